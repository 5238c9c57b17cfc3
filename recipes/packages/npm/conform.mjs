#!/usr/bin/env node
// Starts the program, which is in a package of its own for each platform.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";

const name = `variant-conformance-${process.platform}-${process.arch}`;
let program;
try {
  program = createRequire(import.meta.url).resolve(`${name}/conform${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`conform: there is no ${name} here. On a platform that has one, install with optional dependencies; on others, build conform from source.`);
  process.exit(3);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`conform: ${program} cannot be started: ${error.message}`);
  process.exit(3);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));

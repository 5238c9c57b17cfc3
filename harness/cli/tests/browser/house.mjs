// What every test of a page needs: records made by the real program, and a browser that may load nothing.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const root = resolve(fileURLToPath(import.meta.url), "../../../../..");
export const conform = resolve(root, process.env.CONFORM || "target/release/conform");
export const out = resolve(root, process.env.CONFORM_OUT || "target/ci/browser");
export const shots = join(out, "screenshots");
mkdirSync(shots, { recursive: true });

/** Runs conform in the project's root; the exit status is the test's business. */
export const run = (...args) => runIn(root, ...args);
export const runIn = (folder, ...args) => {
  const done = spawnSync(conform, args, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
  if (done.error) throw done.error;
  return done;
};
export const adapter = (name) => ["--", "python3", "harness/cli/tests/adapters/" + name];

/** A recorded run in a folder of its own. */
export const recorded = (name, ...args) => {
  const folder = join(out, name);
  rmSync(folder, { recursive: true, force: true });
  const at = args.indexOf("--");
  const options = at < 0 ? args : args.slice(0, at);
  const { stderr } = run("run", ...options, "--out", folder, ...(at < 0 ? [] : args.slice(at)));
  if (!existsSync(join(folder, "report.html"))) throw new Error(stderr);
  const page = join(folder, "report.html");
  return { folder, page, lines: explained(records(join(folder, "results.jsonl")), page) };
};
/** The lines of a record, each test with its cause as the page has it, and a line for each cause. No file has these. */
const explained = (lines, page) => {
  const { causes } = JSON.parse(readFileSync(page, "utf8").match(/ id="explained">(.*)<\/script>/)[1]);
  const of = new Map(causes.flatMap(({ id, tests }) => tests.map((test) => [test, id])));
  const named = lines.map((line) => (of.has(line.test) ? { ...line, cause: of.get(line.test) } : line));
  return [...named, ...causes.map((cause) => ({ kind: "cause", ...cause, tests: cause.tests.length }))];
};
export const records = (file) => readFileSync(file, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

/** A browser with a profile of its own. */
export const launch = async (options = {}) => {
  const profile = mkdtempSync(join(tmpdir(), "conform-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium", headless: true, args: FLAGS, viewport: { width: 1600, height: 1000 }, ...options });
  const close = context.close.bind(context);
  context.close = async () => { await close(); rmSync(profile, { recursive: true, force: true }); };
  return context;
};

/** Opens a page, and keeps all that it says or tests for. */
export const open = async (context, file, hash = "") => {
  const page = await context.newPage();
  page.said = [];
  page.asked = [];
  page.on("console", (message) => page.said.push(message.type() + ": " + message.text()));
  page.on("pageerror", (error) => page.said.push("error: " + error));
  page.blocked = [];
  page.on("requestfailed", (request) => page.blocked.push(request.url() + " " + request.failure()?.errorText));
  page.on("request", (request) => page.asked.push(request.url()));
  await page.goto(pathToFileURL(file) + hash);
  await drawn(page);
  return page;
};
/** Until a report has unpacked and drawn its record. */
export const drawn = (page) => page.waitForSelector("#filters[hidden]", { state: "detached" });

export const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
export const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** What axe says against the page is nothing. The page's own policy stays; axe comes in through the debugger. */
export const readable = async (page, rules = 15) => {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"], preload: false }));
  assert.ok(found.passes.length > rules, "axe looked at the page");
  assert.deepEqual(found.violations.map((rule) => `${rule.id}: ${rule.nodes[0].html.slice(0, 200)} ${rule.nodes[0].failureSummary}`), []);
};

// -- the record, counted a second time, by other code -----------------------------------------------------

export const FAILURES = ["fail", "crashed", "timed-out", "garbled", "non-canonical", "order-dependent"];
export const WARNINGS = ["nondeterministic", "resource", "declared-loss"];
export const colour = ({ verdict, level, class: asked }) =>
  level === "should" && (verdict === "non-canonical" || (verdict === "fail" && asked !== "canonical")) ? "warning" : FAILURES.includes(verdict) ? "failure" : WARNINGS.includes(verdict) ? "warning" : "other";
export const isProblem = (record) => ["failure", "warning"].includes(colour(record)) || record.verdict === "not-run";
export const verdicts = (lines) => lines.filter((line) => line.kind === "verdict");
export const causes = (lines) => lines.filter((line) => line.kind === "cause");
export const typeOf = (record) => record.test.split("/").slice(0, 2).join("/");
export const wayOf = (op) => (op === "decode" ? "decode" : "encode");
export const opOf = (record) => record.test.slice(record.test.lastIndexOf(":") + 1);
export const caseOf = (record) => record.test.slice(0, record.test.lastIndexOf(":")).split("~")[0];

/** type → direction → {passed, judged}, and variants of both. */
export const counts = (lines) => {
  const cells = {};
  const cell = (type) => (cells[type] ??= { decode: { passed: 0, judged: 0 }, encode: { passed: 0, judged: 0 }, variant: { passed: 0, judged: 0 } });
  for (const record of verdicts(lines)) {
    if (["undecided", "not-supported", "not-run"].includes(record.verdict)) continue;
    const part = cell(typeOf(record))[record.origin === "variant" ? "variant" : wayOf(opOf(record))];
    part.judged += 1;
    part.passed += record.verdict === "pass" ? 1 : 0;
  }
  for (const tally of lines.filter((line) => line.kind === "tally")) {
    cell(tally.type).variant.judged += tally.pass;
    cell(tally.type).variant.passed += tally.pass;
  }
  return cells;
};
export const sum = (cells, part, key) => Object.values(cells).reduce((total, cell) => total + (part === "case" ? cell.decode[key] + cell.encode[key] : cell[part][key]), 0);

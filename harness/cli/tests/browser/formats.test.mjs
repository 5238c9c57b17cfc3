// The machine formats, each read by somebody else's program, and counted against results.jsonl.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { marked } from "marked";
import { adapter, colour, launch, out, recorded, run, typeOf, verdicts } from "./house.mjs";

const runs = {};
let browser;
before(async () => {
  browser = await launch({ javaScriptEnabled: true });
  runs.reference = recorded("formats-reference", "--dialect", "godot-4.4", "--dialect", "godot-3");
  runs.nothing = recorded("formats-null", ...adapter("null.py"));
  runs.hostile = recorded("formats-hostile", ...adapter("hostile.py"));
  runs.columns = recorded("formats-column-major", ...adapter("column_major.py"));
});
after(() => browser?.close());
const names = ["reference", "nothing", "hostile", "columns"];

const report = (name, format, ...args) => {
  const file = join(runs[name].folder, "..", `${name}.${format}`);
  const made = run("report", join(runs[name].folder, "results.jsonl"), "--format", format, "--out", file, ...args);
  assert.equal(made.status, 0, made.stderr);
  return file;
};

// -- what a list of tests must be, from the record, by other code -------------------------------------------

const stem = (rule) => rule.replace(/-(minus|\d).*$/, "");
const nameOf = ({ test }) => {
  const op = test.slice(test.lastIndexOf(":"));
  const [name, rule] = test.slice(0, -op.length).split("~");
  return name + (rule === undefined ? "" : "~" + stem(rule)) + op;
};
const DEAD = ["crashed", "timed-out", "garbled", "order-dependent"];
const stateOf = (record) => {
  const weight = colour(record);
  if (weight === "failure") return DEAD.includes(record.verdict) ? "broken" : "failed";
  if (weight === "warning") return "doubtful";
  if (record.verdict === "not-run") return "broken";
  return record.verdict === "pass" ? "passed" : "skipped";
};
const ORDER = ["skipped", "passed", "doubtful", "known", "failed", "broken"];
const tests = (lines) => {
  const found = new Map();
  for (const record of verdicts(lines)) {
    const name = nameOf(record);
    const state = stateOf(record);
    if (!found.has(name) || ORDER.indexOf(state) > ORDER.indexOf(found.get(name))) found.set(name, state);
  }
  for (const { type, rule, op } of lines.filter((line) => line.kind === "tally")) found.set(`${type}/~${rule}:${op}`, "passed");
  return found;
};
const tally = (states) => {
  const counts = Object.fromEntries(ORDER.map((state) => [state, 0]));
  for (const state of states) counts[state] += 1;
  return counts;
};

describe("JUnit", () => {
  for (const name of names) {
    test(name, async () => {
      const file = report(name, "junit");
      assert.ok(statSync(file).size < 30e6, "GitLab's limit");
      const expected = tests(runs[name].lines);
      const counts = tally(expected.values());
      // junitparser: its counts, and its own verdict.
      const read = JSON.parse(execFileSync(process.env.PYTHON || "python3", ["-c", `
import json, sys
from junitparser import JUnitXml, TestSuite
xml = JUnitXml.fromfile(sys.argv[1])
cases = [(suite.name, case.classname, case.name, [type(result).__name__ for result in case.result]) for suite in xml for case in suite]
print(json.dumps({"tests": xml.tests, "failures": xml.failures, "errors": xml.errors, "skipped": xml.skipped, "cases": cases}))
`, file], { encoding: "utf8", maxBuffer: 1 << 28 }));
      assert.deepEqual({ ...read, cases: read.cases.length }, { tests: expected.size, cases: expected.size, failures: counts.failed, errors: counts.broken, skipped: counts.skipped + counts.known });
      assert.equal(new Set(read.cases.map(([, suite, test]) => suite + " " + test)).size, expected.size, "names are unique");
      for (const [suite, classname, test, results] of read.cases) {
        const state = expected.get(suite + "/" + test);
        assert.equal(classname, suite.replace("/", "."));
        assert.deepEqual(results, { passed: [], doubtful: [], failed: ["Failure"], broken: ["Error"], known: ["Skipped"], skipped: ["Skipped"] }[state], suite + "/" + test);
      }
    });
  }
  test("a browser reads it as XML without complaint, hostile names and all", async () => {
    const page = await browser.newPage();
    const text = readFileSync(report("hostile", "junit"), "utf8");
    const [complaints, root] = await page.evaluate((text) => {
      const xml = new DOMParser().parseFromString(text, "text/xml");
      return [xml.querySelectorAll("parsererror").length, xml.documentElement.getAttribute("name")];
    }, text);
    await page.close();
    assert.equal(complaints, 0);
    assert.equal(root, "conform: </script><script>window.pwned = 2</script>");
  });
});

describe("Markdown", () => {
  for (const name of names) {
    test(name, async () => {
      const file = report(name, "markdown");
      assert.ok(statSync(file).size <= 1024 * 1024);
      const html = marked.parse(readFileSync(file, "utf8"));
      const page = await browser.newPage();
      await page.setContent(html);
      const seen = await page.evaluate(() => ({
        heading: document.querySelector("h2").textContent, strange: document.querySelectorAll("script, img, a, h1").length, text: document.body.textContent,
        rows: [...document.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent)) }));
      await page.close();
      assert.equal(seen.strange, 0, "nothing of an implementation is markup");
      assert.ok(seen.heading.includes(runs[name].lines[0].handshake.name), seen.heading);
      const failures = verdicts(runs[name].lines).filter((record) => colour(record) === "failure");
      assert.equal(seen.text.includes("❌"), failures.length > 0, "what is wrong is seen");
      const wrong = new Set(failures.map(typeOf));
      assert.ok(seen.rows.filter((row) => row.slice(2).join(" ").includes("no")).length >= wrong.size, "every wrong type has a row");
    });
  }
});

describe("badges", () => {
  test("of the reference codec, every dialect in a folder", () => {
    const folder = join(out, "badges");
    const made = run("report", join(runs.reference.folder, "results.jsonl"), "--format", "badge", "--out", folder);
    assert.equal(made.status, 0, made.stderr);
    for (const { name, types } of runs.reference.lines[0].dialects) {
      const badge = JSON.parse(readFileSync(join(folder, name + ".json"), "utf8"));
      const all = types.length;
      assert.equal(badge.message, `reads ${all} of ${all} types, writes ${all}, exact ${all}, safe ${all}`);
      assert.equal(badge.color, "brightgreen");
    }
  });
  test("not the brightest where something is wrong", () => {
    for (const name of ["nothing", "columns", "hostile"]) {
      const badge = JSON.parse(readFileSync(report(name, "badge"), "utf8"));
      assert.match(badge.message, /^reads \d+ of 27 types/, name);
      assert.notEqual(badge.color, "brightgreen", name);
    }
  });
  const write = (folder, lines) => {
    const own = lines.filter((line) => line.kind !== "cause").map(({ cause, ...line }) => line);
    const text = own.slice(0, -1).map((line) => JSON.stringify(line) + "\n").join("");
    const end = { ...own.at(-1), digest: "sha256:" + createHash("sha256").update(text).digest("hex") };
    writeFileSync(join(folder, "results.jsonl"), text + JSON.stringify(end) + "\n");
  };
  const endOf = (lines) => lines.find((line) => line.kind === "end");
  const changed = (name, change) => {
    const folder = join(out, "badge-" + name);
    mkdirSync(folder, { recursive: true });
    const lines = structuredClone(runs.reference.lines);
    change(lines);
    write(folder, lines);
    return run("report", join(folder, "results.jsonl"), "--format", "badge", "--dialect", "godot-3");
  };
  const required = (line) => line.kind === "verdict" && line.test.startsWith("godot-3/") && line.verdict === "pass" && line.level === "must";
  for (const [what, change] of Object.entries({
    "fails": (lines) => { Object.assign(lines.find(required), { verdict: "fail", reason: "wrong-value" }); },
    "was not run": (lines) => { lines.find(required).verdict = "not-run"; endOf(lines).executed -= 1; },
    "fails, as derived": (lines) => { Object.assign(lines.find(required), { origin: "variant", verdict: "fail", reason: "wrong-value" }); },
  })) {
    test(`never the brightest where one required case ${what}`, () => {
      const made = changed(what.replace(/\W+/g, "-"), change);
      assert.equal(made.status, 0, made.stderr);
      assert.notEqual(JSON.parse(made.stdout).color, "brightgreen", made.stdout);
    });
  }
  test("none of a run that left something out", () => {
    const made = changed("only", (lines) => { lines[0].selection.only = "godot-3/int/*"; });
    assert.equal(made.status, 2);
    assert.match(made.stderr, /a badge needs a complete run/);
  });
  test("no file outside the folder, whatever a dialect is called", () => {
    const folder = join(out, "badge-outside");
    mkdirSync(folder, { recursive: true });
    const lines = structuredClone(runs.columns.lines);
    lines[0].dialects.push({ name: "../../escaped", types: [] });
    write(folder, lines);
    const made = run("report", join(folder, "results.jsonl"), "--format", "badge", "--out", join(folder, "badges"));
    assert.equal(made.status, 2);
    assert.match(made.stderr, /cannot be a file name/);
  });
});

test("annotations: at most ten causes, each a command that a workflow obeys, what is everyday first", () => {
  for (const name of names) {
    const lines = readFileSync(report(name, "annotations"), "utf8").split("\n").filter(Boolean);
    const findings = verdicts(runs[name].lines).filter((record) => ["failure", "warning"].includes(colour(record)));
    assert.equal(lines.length > 0, findings.length > 0, name);
    assert.ok(lines.length <= 10);
    for (const line of lines) assert.match(line, /^::(error|warning) (file=[^,:]+,line=\d+,)?title=[^,:]+::[^\r\n]+$/);
    if (lines.length) assert.match(lines[0], /::everyday, /, name);
  }
});

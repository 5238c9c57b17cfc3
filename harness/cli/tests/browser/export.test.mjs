// The corpus as data: as its schema says, complete, and of use to other people's test runners.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import Ajv2020 from "ajv/dist/2020.js";
import { out, root, run } from "./house.mjs";

const file = join(out, "corpus.json");
let corpus;
before(() => {
  const made = run("export", "--out", file);
  assert.equal(made.status, 0, made.stderr);
  corpus = JSON.parse(readFileSync(file, "utf8"));
});

test("it is as its schema says", () => {
  const schema = JSON.parse(run("export", "--format", "schema").stdout);
  const valid = new Ajv2020({ allErrors: true }).compile(schema);
  assert.ok(valid(corpus), JSON.stringify(valid.errors?.slice(0, 3)));
});

test("every test of `conform list --quick` is in it, and no other", () => {
  const tests = (cases) => cases.flatMap((each) => Object.keys(each.asks).map((op) => each.id + ":" + op)).sort();
  assert.deepEqual(tests(corpus.cases), run("list", "--quick").stdout.trimEnd().split("\n").sort());
});

test("each case has what its tests need", () => {
  const tags = new Set(Object.keys(corpus.tags));
  const errata = new Set(corpus.errata.map((erratum) => erratum.id));
  for (const each of corpus.cases) {
    if (each.asks.decode || each.asks.reencode) assert.ok(each.bytes !== undefined, each.id);
    if (each.asks.encode) assert.ok(each.value !== undefined, each.id);
    if (each.asks.decode && ["canonical", "readable"].includes(each.class)) assert.ok(each.value && each.used !== undefined, each.id);
    if (each.mask) assert.equal(each.mask.length, each.bytes.length, each.id);
    if (each.document) assert.ok(each.erratum, `${each.id} says why it has two judges`);
    assert.ok((each.tags ?? []).every((tag) => tags.has(tag)), each.id);
    assert.ok(each.erratum === undefined || errata.has(each.erratum), each.id);
  }
});

test("no value is deeper than common readers of JSON go", () => {
  const depth = (value) => (value && typeof value === "object" ? 1 + Math.max(0, ...Object.values(value).slice(0, 100).map(depth)) : 0);
  assert.ok(Math.max(...corpus.cases.map((each) => depth(each.value))) < 110);
});

test("the two examples pass on it, and fail on a corpus with one byte changed", () => {
  const python = process.env.PYTHON || "/usr/bin/python3";
  const { NODE_TEST_CONTEXT: _, ...env } = process.env; // it would report to this run, not to us
  const js = (path) => execFileSync("node", ["--test", "--test-reporter=tap", join(root, "examples/corpus.mjs")],
    { env: { ...env, CORPUS: path }, encoding: "utf8", stdio: "pipe", maxBuffer: 1 << 28 });
  const py = (path) => execFileSync(python, [join(root, "examples/corpus.py"), path], { encoding: "utf8", stdio: "pipe" });
  for (const example of ["corpus.py", "corpus.mjs"]) {
    assert.ok(readFileSync(join(root, "examples", example), "utf8").trimEnd().split("\n").length < 30, example + " is short");
  }
  assert.match(py(file), /^[1-9]\d+ cases passed/);
  assert.match(js(file), /# pass [1-9]\d/);
  const wrong = structuredClone(corpus);
  const one = wrong.cases.find((each) => each.dialect === "godot-3" && each.layout === "vector3" && each.class === "canonical");
  one.bytes = one.bytes.slice(0, -2) + (one.bytes.endsWith("00") ? "01" : "00");
  const path = join(out, "corpus-wrong.json");
  writeFileSync(path, JSON.stringify(wrong));
  assert.throws(() => py(path), /AssertionError/);
  assert.throws(() => js(path));
});

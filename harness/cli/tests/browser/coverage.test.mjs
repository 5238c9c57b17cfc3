// The pages of coverage: what they show is what `conform coverage --format json` says.
import assert from "node:assert/strict";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, describe, test } from "node:test";
import { marked } from "marked";
import { adapter, launch, open, out, overflow, readable, recorded, root, run, runIn, settled, shots } from "./house.mjs";

const file = join(out, "coverage.html");
let browser, coverage, hostile, markdown;
before(async () => {
  hostile = recorded("coverage-hostile", ...adapter("hostile.py"));
  const reference = recorded("coverage-reference");
  coverage = JSON.parse(run("coverage", "--format", "json").stdout);
  const results = [reference, hostile].flatMap(({ folder }) => ["--results", join(folder, "results.jsonl")]);
  const made = run("coverage", "--format", "html", "--out", file, ...results);
  assert.equal(made.status, 0, made.stderr);
  markdown = run("coverage", "--format", "markdown", ...results).stdout;
  browser = await launch();
});
after(() => browser?.close());

const share = ({ total, covered }) => (total ? `${covered}/${total}` : "");
const of = (rows) => share({ total: rows.length, covered: rows.filter((row) => row.covered).length });

test("documents, types and rows are those of the measurement", async () => {
  const page = await open(browser, file);
  const seen = await page.evaluate(() => ({
    documents: [...document.querySelectorAll("#documents ~ .wide tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent)),
    dialects: [...document.querySelectorAll("section.type")].map((section) => ({ name: section.id,
      types: [...section.querySelectorAll("tbody tr")].map((row) => ({ counts: [0, 1, 2, 3, 4, 5].map((at) => row.cells[at].textContent),
        rows: [...row.querySelectorAll("li code")].map((code) => code.textContent) })) })),
  }));
  const shares = (each) => [each["type-rows"], each["field-rows"], each.notes].map(({ total, covered }) => `${covered}/${total}`);
  coverage.documents.forEach((each, index) => {
    assert.ok(seen.documents[index][0].includes(each.name), each.name);
    const { title } = coverage.dialects.find((dialect) => dialect.name === each.dialect);
    assert.deepEqual(seen.documents[index].slice(1), [title, ...shares(each)]);
  });
  assert.deepEqual(seen.dialects, coverage.dialects.map((dialect) => ({ name: dialect.name,
    types: dialect.types.map((each) => ({
      counts: [String(each.id), each.name === each.layout ? each.name : `${each.name} ${each.layout}`, ...["canonical", "readable", "invalid", "undecided"].map((kind) => String(each.cases[kind]))],
      rows: [each.row, ...each.rows, ...each.notes].map((row) => row.id) })) })));
  assert.deepEqual(page.said, []);
  assert.deepEqual(page.asked, [String(pathToFileURL(file))]);
  await page.close();
});

test("how implementations do is what their results say, and their names are text", async () => {
  const page = await open(browser, file);
  const [head, cells] = await page.evaluate(() => [[...document.querySelector('[id="godot-3"] thead tr').cells].map((cell) => cell.textContent),
    [...document.getElementById("godot-3/vector2").querySelectorAll("td.pair")].map((cell) => cell.textContent.trim())]);
  const name = hostile.lines[0].handshake.name;
  assert.ok(head[7].startsWith(name.slice(0, 20)) && name.includes("<script>"), head[7]);
  assert.equal(cells.length, 2);
  assert.match(cells[0], /^reads: yes\./);
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  assert.equal(await page.evaluate(() => document.scripts.length), 1);
  await page.close();
});

test("as Markdown, the same", async () => {
  const page = await browser.newPage();
  await page.setContent(marked.parse(markdown));
  const seen = await page.evaluate(() => ({ strange: document.querySelectorAll("script, img, a, h1").length,
    tables: [...document.querySelectorAll("table")].map((table) => [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent))) }));
  await page.close();
  assert.equal(seen.strange, 0);
  assert.deepEqual(seen.tables[0].map((row) => row[0]), coverage.documents.map((each) => each.name));
  coverage.dialects.forEach((dialect, index) => {
    assert.match(seen.tables[index + 1].pop()[1], /^any packet/);
    assert.deepEqual(seen.tables[index + 1].map((row) => row.slice(0, 7)), dialect.types.map((each) => [String(each.id), each.layout, of([...each.rows, ...each.notes]) || "-",
      ...["canonical", "readable", "invalid", "undecided"].map((kind) => String(each.cases[kind]))]));
  });
});

test("results of another corpus or of a part are refused", () => {
  const there = join(out, "other");
  cpSync(join(root, "corpus"), join(there, "corpus"), { recursive: true });
  writeFileSync(join(there, "corpus/VERSION"), "9.9.9\n");
  const made = runIn(there, "coverage", "--results", join(hostile.folder, "results.jsonl"), "--format", "markdown");
  assert.equal(made.status, 2);
  assert.match(made.stderr, /belongs to another corpus/);
  const selected = recorded("coverage-only", "--dialect", "godot-3", "--only", "godot-3/int/*");
  const refused = run("coverage", "--results", join(selected.folder, "results.jsonl"), "--format", "markdown");
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /not a complete run/);
});

describe("at every width and in both lights", () => {
  for (const width of [360, 1600]) {
    for (const colorScheme of ["light", "dark"]) {
      test(`${width}, ${colorScheme}: nothing beyond the edge, and readable`, async () => {
        const page = await browser.newPage();
        await page.setViewportSize({ width, height: width < 500 ? 800 : 1000 });
        await page.emulateMedia({ colorScheme });
        await page.goto(String(pathToFileURL(file)));
        await settled(page);
        await page.screenshot({ path: join(shots, `coverage-${width}-${colorScheme}.png`) });
        await page.evaluate(() => document.querySelectorAll("details").forEach((node, index) => { node.open = index < 2; }));
        await settled(page);
        assert.equal(await overflow(page), 0);
        // The page is long: twice is enough.
        if ((width < 500) === (colorScheme === "light")) return page.close();
        await readable(page);
        await page.close();
      });
    }
  }
});

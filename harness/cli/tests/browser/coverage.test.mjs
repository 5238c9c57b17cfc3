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
    documents: [...document.querySelectorAll("section.grid tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent.trim())),
    dialects: [...document.querySelectorAll(".grids > details")].map((grid) => ({
      name: grid.querySelector("h2").textContent.trim(),
      types: [...grid.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent.trim())) })),
    rows: Object.fromEntries([...document.querySelectorAll(".list > .case")].map((card) => [card.id, [...card.querySelectorAll("ul code")].map((code) => code.textContent)])),
  }));
  assert.deepEqual(seen.documents, coverage.documents.map((each) => [each.name, each.dialect, share(each["type-rows"]), share(each["field-rows"]), share(each.notes)]));
  assert.deepEqual(seen.dialects.map((each) => each.name), coverage.dialects.map((each) => each.name));
  coverage.dialects.forEach((dialect, index) => {
    assert.deepEqual(seen.dialects[index].types, dialect.types.map((each) => [String(each.id), each.layout, of([...each.rows, ...each.notes]),
      ...["canonical", "readable", "invalid", "undecided"].map((kind) => String(each.cases[kind]))]));
    for (const each of dialect.types) {
      assert.deepEqual(seen.rows[`${dialect.name}/${each.layout}`], [each.row, ...each.rows, ...each.notes].map((row) => row.id));
    }
  });
  assert.deepEqual(page.said, []);
  assert.deepEqual(page.asked, [String(pathToFileURL(file))]);
  await page.close();
});

test("how implementations do is what their results say, and their names are text", async () => {
  const page = await open(browser, file, "#godot-3/vector2");
  await settled(page);
  const rows = await page.evaluate(() => [...document.querySelectorAll(".case.target .grid tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent.trim())));
  const name = hostile.lines[0].handshake.name;
  assert.equal(rows.length, 2);
  assert.ok(rows[1][0].startsWith(name.slice(0, 20)) && name.includes("<script>"), rows[1][0]);
  assert.match(rows[1].slice(1).join(" "), /^(yes|no|-|not run)/);
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  assert.equal(await page.evaluate(() => document.scripts.length), 2);
  await page.close();
});

test("links open, search finds", async () => {
  const page = await open(browser, file, "#pandemonium-38/basis");
  await settled(page);
  assert.equal(await page.locator(".case.target[open]").getAttribute("id"), "pandemonium-38/basis");
  await page.fill("#q", "godot-3/vector2@8");
  const shown = await page.evaluate(() => [...document.querySelectorAll(".list > .case")].filter((card) => !card.hidden).map((card) => card.id));
  assert.ok(shown.includes("godot-3/vector2") && !shown.includes("godot-3/color"), shown.join(" "));
  assert.match(await page.locator("#count").textContent(), new RegExp(`^${shown.length} of `));
  await page.keyboard.press("Escape");
  assert.match(await page.locator("#count").textContent(), /^(\d+) of \1 /);
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
        await page.goto(pathToFileURL(file) + (width < 500 ? "" : "#godot-3/string"));
        await settled(page);
        await page.screenshot({ path: join(shots, `coverage-${width}-${colorScheme}.png`) });
        await page.evaluate(() => document.querySelectorAll("details").forEach((node, index) => { node.open = index < 40; }));
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

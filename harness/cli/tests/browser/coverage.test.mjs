// Coverage, as a page of the site and as Markdown: what they show is what `conform coverage --format json` says.
import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { marked } from "marked";
import { launch, open, out, recorded, root, run } from "./house.mjs";

const site = resolve(root, process.env.SITE || join(out, "coverage-site"));
let browser, coverage, markdown;
before(async () => {
  const reference = recorded("coverage-reference");
  coverage = JSON.parse(run("coverage", "--format", "json").stdout);
  if (!process.env.SITE) assert.equal(run("site", site, "--results", join(reference.folder, "results.jsonl")).status, 0);
  markdown = run("coverage").stdout;
  browser = await launch();
});
after(() => browser?.close());

const share = ({ total, covered }) => (total ? `${covered}/${total}` : "");
const named = ({ name, layout }) => (name === layout ? name : `${name} ${layout}`);
const of = (rows) => share({ total: rows.length, covered: rows.filter((row) => row.covered).length });

test("documents, types and rows are those of the measurement", async () => {
  const page = await open(browser, join(site, "coverage.html"));
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
      counts: [String(each.id), named(each), ...["canonical", "readable", "invalid", "undecided"].map((kind) => String(each.cases[kind]))],
      rows: [each.row, ...each.rows, ...each.notes].map((row) => row.id) })) })));
  assert.deepEqual(page.said, []);
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
    assert.deepEqual(seen.tables[index + 1].map((row) => row.slice(0, 7)), dialect.types.map((each) => [String(each.id), named(each), of([...each.rows, ...each.notes]) || "-",
      ...["canonical", "readable", "invalid", "undecided"].map((kind) => String(each.cases[kind]))]));
  });
});

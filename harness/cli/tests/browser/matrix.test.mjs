// The pages of the matrix in a site: what they show is what the records of its runs say.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { colour, launch, open, out, readable, root, run, verdicts } from "./house.mjs";

const folder = join(out, "matrix");
const site = join(out, "matrix-site");
const file = join(site, "matrix.html");
const list = join(site, "implementations/index.html");
let browser, records;
before(async () => {
  // Three implementations: ours, one in another language, and one that says what no page should obey.
  const adapters = join(out, "matrix-adapters");
  rmSync(adapters, { recursive: true, force: true });
  const adapter = (name, text) => {
    mkdirSync(join(adapters, name), { recursive: true });
    writeFileSync(join(adapters, name, "adapter.yaml"), text);
  };
  mkdirSync(adapters, { recursive: true });
  writeFileSync(join(adapters, "README.md"), "");
  const script = (name) => JSON.stringify(join(root, "harness/cli/tests/adapters", name));
  adapter("hostile", `command: [python3, ${script("hostile.py")}]\nabout: "<img src=x onerror='window.pwned = 4'>"\nhome: "javascript:window.pwned = 5"\n`);
  adapter("nulls", `command: [python3, ${script("null.py")}]\nabout: a decoder of nulls\nhome: https://example.org\n`);
  adapter("absent", "command: [./no-such-program]\nabout: not installed\nhome: https://example.org\n");
  const made = run("matrix", "--adapters", adapters, "--out", folder);
  assert.equal(made.status, 1, made.stderr);
  const ran = ["reference", "hostile", "nulls"].map((name) => join(folder, "runs", name, "results.jsonl"));
  const built = run("site", site, "--adapters", adapters, "--results", ...ran);
  assert.equal(built.status, 0, built.stderr);
  records = Object.fromEntries(["reference", "hostile", "nulls"].map((name) =>
    [name, readFileSync(join(folder, "runs", name, "results.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line))]));
  browser = await launch();
});
after(() => browser?.close());

test("cards and cells are those of the records", async () => {
  const page = await open(browser, file);
  const seen = await page.evaluate(() => ({
    titles: [...document.querySelectorAll("section.type h2")].map((heading) => heading.textContent),
    tables: Object.fromEntries([...document.querySelectorAll("section.type")].map((table) => [table.querySelector("h2").textContent, {
      columns: [...table.querySelectorAll("thead th")].slice(2).map((cell) => cell.textContent),
      rows: [...table.querySelectorAll("tbody tr")].map((row) => ({ type: row.cells[1].textContent, cells: [...row.cells].slice(2).map((cell) => cell.textContent.trim()) })) }])),
  }));
  const cards = await open(browser, list);
  const shown = await cards.locator(".card").evaluateAll((all) => all.map((card) => ({ name: card.querySelector("h3 bdi").textContent, said: card.querySelector(".said").textContent.trim() })));
  await cards.close();
  assert.deepEqual(shown.map((card) => card.name), ["reference", "hostile", "nulls"]);
  for (const { name, said } of shown) {
    const failures = verdicts(records[name]).filter((record) => colour(record) === "failure").length;
    if (failures > 0) assert.ok(said.includes(`; ${failures} failure${failures === 1 ? "" : "s"}`), said);
  }
  const plans = Object.entries(records).map(([name, lines]) => [name, lines.find((line) => line.kind === "plan")]);
  const title = (dialect) => seen.titles.find((title) => title.endsWith(`(${dialect.name})`));
  for (const [name, plan] of plans) {
    for (const dialect of plan.dialects) assert.ok(seen.tables[title(dialect)]?.columns.includes(name), `${name} ${dialect.name}`);
  }
  for (const table of Object.values(seen.tables)) {
    const at = table.columns.indexOf("reference");
    for (const { type, cells } of table.rows) if (at >= 0) assert.ok(!cells[at].includes("–"), `the reference codec and ${type}: ${cells[at]}`);
  }
  // Each cell leads to its type in the page of the implementation.
  const links = await page.locator("section.type td.pair a").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  assert.ok(links.length > 0);
  for (const link of links) assert.match(link, /^implementations\/[a-z]+\.html#./);
  await readable(page);
  assert.deepEqual(page.said, []);
  await page.close();
});

test("what an adapter says of itself is text", async () => {
  const page = await open(browser, list);
  const seen = await page.evaluate(() => ({ pwned: window.pwned, images: document.images.length, scripts: document.scripts.length,
    links: [...document.links].map((link) => link.getAttribute("href")) }));
  assert.equal(seen.pwned, undefined);
  assert.equal(seen.images, 0);
  assert.equal(seen.scripts, 1);
  assert.ok(seen.links.every((link) => /^(#|https:\/\/|\.\.\/)/.test(link)), seen.links.join(" "));
  assert.ok((await page.locator(".cards").textContent()).includes("<img src=x onerror='window.pwned = 4'>"));
  await page.close();
});

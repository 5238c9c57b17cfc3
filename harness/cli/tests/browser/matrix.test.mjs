// The page of the matrix: what it shows is what matrix.json says.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, describe, test } from "node:test";
import { launch, open, out, overflow, readable, root, run, settled, shots } from "./house.mjs";

const folder = join(out, "matrix");
const file = join(folder, "matrix.html");
let browser, matrix;
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
  const made = run("matrix", "--adapters", adapters, "--out", folder, "--runs", join(out, "matrix-runs"));
  assert.equal(made.status, 1, made.stderr);
  matrix = JSON.parse(readFileSync(join(folder, "matrix.json"), "utf8"));
  browser = await launch();
});
after(() => browser?.close());

test("cards and cells are those of matrix.json", async () => {
  const page = await open(browser, file);
  const seen = await page.evaluate(() => ({
    cards: [...document.querySelectorAll(".card")].map((card) => ({ name: card.querySelector("h3 bdi").textContent, said: card.querySelector(".said").textContent.trim() })),
    tables: Object.fromEntries([...document.querySelectorAll("section.table")].map((table) => [table.querySelector("h2").textContent, {
      columns: [...table.querySelectorAll("thead th")].slice(2).map((cell) => cell.textContent),
      rows: [...table.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => [...cell.querySelectorAll(".half")].map((half) => half.classList[1] + " " + half.querySelector(".n").textContent))) }])),
  }));
  assert.deepEqual(seen.cards.map((card) => card.name), matrix.implementations.map((row) => row.name));
  for (const [index, row] of matrix.implementations.entries()) {
    if (row.status === "not-run") assert.ok(seen.cards[index].said.startsWith("not run"), seen.cards[index].said);
    else if (row.red > 0) assert.equal(seen.cards[index].said, `${row.red + row.stale.length} not as expected`);
  }
  const ran = matrix.implementations.filter((row) => row.status === "run");
  const names = new Set(ran.flatMap((row) => row.dialects.map((dialect) => dialect.name)));
  assert.deepEqual(Object.keys(seen.tables).sort(), [...names].sort());
  const share = ({ mark, passed, judged }) => `${mark} ${judged ? `${passed}/${judged}` : ""}`;
  for (const name of names) {
    const columns = ran.filter((row) => row.dialects.some((dialect) => dialect.name === name));
    assert.deepEqual(seen.tables[name].columns, columns.map((row) => row.name));
    const types = (row) => row.dialects.find((dialect) => dialect.name === name).types;
    const empty = (type) => type.decode.mark === "none" && type.encode.mark === "none";
    const expected = types(columns[0]).map((_, index) => columns.map((row) => types(row)[index]))
      .filter((cells) => !cells.every(empty)).map((cells) => cells.map((type) => (empty(type) ? [] : [share(type.decode), share(type.encode)])));
    assert.deepEqual(seen.tables[name].rows.map((row) => row.slice(2)), expected, name);
  }
  // What has no finding leads to its tests in the report of the run.
  const links = await page.locator("section.table td.pair a.half").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  assert.ok(links.length > 0);
  for (const link of links) assert.match(link, /^\.\/\.\.\/matrix-runs\/[a-z]+\/report\.html#[^#]+:(decode|encode)$/);
  assert.deepEqual(page.said, []);
  assert.deepEqual(page.asked, [String(pathToFileURL(file))]);
  await page.close();
});

test("what an adapter says of itself is text", async () => {
  const page = await open(browser, file);
  const seen = await page.evaluate(() => ({ pwned: window.pwned, images: document.images.length, scripts: document.scripts.length,
    links: [...document.links].map((link) => link.getAttribute("href")) }));
  assert.equal(seen.pwned, undefined);
  assert.equal(seen.images, 0);
  assert.equal(seen.scripts, 1);
  const own = /^(#|https:\/\/|\.\.\/adapters\/|\.\/findings\/|\.\/\.\.\/matrix-runs\/\w+\/report\.html)/;
  assert.ok(seen.links.every((link) => own.test(link)), seen.links.join(" "));
  assert.ok((await page.locator(".cards").textContent()).includes("<img src=x onerror='window.pwned = 4'>"));
  await page.close();
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
        await page.screenshot({ path: join(shots, `matrix-${width}-${colorScheme}.png`), fullPage: true, clip: { x: 0, y: 0, width, height: 2200 } });
        assert.equal(await overflow(page), 0);
        // The page is long: twice is enough.
        if ((width < 500) === (colorScheme === "dark")) await readable(page);
        await page.close();
      });
    }
  }
});

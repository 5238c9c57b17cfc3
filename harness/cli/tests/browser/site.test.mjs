// The site: every kind of page opens alone, in both lights and at three widths; the explorer, where its program is built.
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, describe, test } from "node:test";
import { launch, open, out, overflow, recorded, root, run, settled, shots } from "./house.mjs";

const folder = join(out, "site");
const program = join(root, process.env.EXPLORER || "target/explorer.wasm");
const PAGES = ["index.html", "format/index.html", "format/godot-3.html", "errata.html", "implementations/index.html", "implementations/reference.html",
  "matrix.html", "coverage.html", "cases/godot-3/node_path.html", "explorer.html"];
let browser;
before(async () => {
  const ours = recorded("site-reference", "--smoke", "--dialect", "godot-3");
  const hostile = recorded("site-hostile", "--only", "godot-3/bool/*", ...["--", "python3", "harness/cli/tests/adapters/hostile.py"]);
  rmSync(folder, { recursive: true, force: true });
  const records = [ours, hostile].map((run) => join(run.folder, "results.jsonl"));
  const made = run("site", folder, "--results", ...records, ...(existsSync(program) ? ["--explorer", program] : []));
  assert.equal(made.status, 0, made.stderr);
  browser = await launch();
});
after(() => browser?.close());

describe("each page", () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  for (const file of PAGES) {
    test(`${file}: nothing from outside, nothing beyond the edge, and readable`, async () => {
      const page = await open(browser, join(folder, file));
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        for (const width of [360, 800, 1600]) {
          await page.setViewportSize({ width, height: 900 });
          await settled(page);
          await page.screenshot({ path: join(shots, `site-${file.replaceAll("/", "-")}-${width}-${colorScheme}.png`) });
          assert.equal(await overflow(page), 0, `${width}`);
        }
        await page.evaluate(axe);
        const found = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"], preload: false }));
        assert.deepEqual(found.violations.map((rule) => `${rule.id}: ${rule.nodes[0].html.slice(0, 200)} ${rule.nodes[0].failureSummary}`), []);
      }
      assert.deepEqual(page.said, []);
      assert.deepEqual(page.asked.filter((url) => !url.startsWith(String(pathToFileURL(folder))) && !url.startsWith("data:")), []);
      assert.equal(await page.evaluate(() => window.pwned), undefined);
      await page.close();
    });
  }
});

describe("the explorer", { skip: !existsSync(program) && "recipes/build-explorer target/explorer.wasm builds it" }, () => {
  const VECTOR = "050000000000803f00000040";
  const explore = async (hash) => {
    const page = await open(browser, join(folder, "explorer.html"), hash);
    await page.waitForSelector("#explorer[data-ready]");
    return page;
  };
  test("each form is the same bytes, and what conform explain shows", async () => {
    const page = await explore("");
    const forms = [VECTOR, "05 00 00 00 00 00 80 3f 00 00 00 40", "[5, 0, 0, 0, 0, 0, 128, 63, 0, 0, 0, 64]",
      "<Buffer 05 00 00 00 00 00 80 3f 00 00 00 40>", "b'\\x05\\x00\\x00\\x00\\x00\\x00\\x80?\\x00\\x00\\x00@'", "BQAAAAAAgD8AAABA"];
    const explained = run("explain", VECTOR, "--dialect", "godot-3").stdout.trim().split("\n").slice(0, -1).map((line) => line.split(/ {2,}/));
    for (const form of forms) {
      await page.fill("#paste", form);
      const rows = await page.evaluate(() => [...document.querySelectorAll("#reading tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent)));
      assert.deepEqual(rows, explained, form);
    }
    assert.deepEqual(page.said, []);
    await page.close();
  });
  test("a change of the value or of a byte changes the other, and the link", async () => {
    const page = await explore(`#${VECTOR}@godot-3`);
    assert.ok(await page.evaluate(() => +document.getElementById("explorer").dataset.took < 1000), "it is ready in time");
    await page.locator("#value-0").fill('{"vector2":[3.0,2.0]}');
    await page.locator("#value-0").blur();
    assert.equal((await page.inputValue("#paste")).replaceAll(" ", ""), "050000000000404000000040");
    await page.locator('[data-at="10"]').click();
    await page.locator("input.byte").fill("80");
    await page.keyboard.press("Enter");
    assert.equal(await page.inputValue("#value-0"), '{"vector2":[3.0,4.0]}');
    assert.ok((await page.evaluate(() => location.hash)).startsWith("#050000000000404000008040"));
    assert.deepEqual(page.said, []);
    await page.close();
  });
});

// The site: every kind of page opens alone, in both lights and at three widths, and on paper; the explorer, where its program is built.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { after, before, describe, test } from "node:test";
import { conform, launch, open, out, overflow, readable, recorded, records, root, run, settled, shots } from "./house.mjs";

// SITE: one that is there already, as .ci/run makes it from the matrix; else a small one is made here.
const folder = resolve(root, process.env.SITE || join(out, "site"));
const program = join(root, process.env.EXPLORER || "target/explorer.wasm");
const PAGES = ["index.html", "format/index.html", "format/godot-3.html", "format/pandemonium-40.html", "errata.html", "implementations/index.html",
  "implementations/reference.html", "matrix.html", "interop.html", "interop/reference.html", "coverage.html", "cases/godot-3/node_path.html", "explorer.html",
  ...(process.env.SITE ? ["implementations/gd-com.html", "implementations/playgodot.html", "interop/godot3@3.6.html"] : [])];
let browser;
const small = () => {
  const ours = recorded("site-reference", "--quick", "--dialect", "godot-3");
  const hostile = recorded("site-hostile", "--only", "godot-3/bool/*", ...["--", "python3", "harness/cli/tests/adapters/hostile.py"]);
  rmSync(folder, { recursive: true, force: true });
  const exchange = join(out, "interop.jsonl");
  const adapters = ["column_major.py", "hostile.py"].map((name) => "python3 harness/cli/tests/adapters/" + name);
  assert.equal(run("interop", "--dialect", "godot-3", "--out", exchange, "reference", ...adapters).status, 1);
  const results = [ours, hostile].map((run) => join(run.folder, "results.jsonl"));
  const made = run("site", folder, "--interop", exchange, "--results", ...results, ...(existsSync(program) ? ["--explorer", program] : []));
  assert.equal(made.status, 0, made.stderr);
};
before(async () => {
  if (!process.env.SITE) small();
  browser = await launch();
});
after(() => browser?.close());

/** The words of four bytes that stand on two lines. */
const WRAPPED = `[...document.querySelectorAll(".word")].filter((word) => word.getClientRects().length > 1
  || word.offsetHeight > 1.9 * parseFloat(getComputedStyle(word).lineHeight)).map((word) => word.textContent)`;

describe("each page", () => {
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
        // The table of the matrix is read by matrix.test.mjs.
        if (file !== "matrix.html") await readable(page);
      }
      await page.emulateMedia({ media: "print", colorScheme: "light" });
      await settled(page);
      assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector(".site nav")).display), "none", "paper has no bar");
      await page.screenshot({ path: join(shots, `site-${file.replaceAll("/", "-")}-print.png`) });
      assert.deepEqual(await page.evaluate(WRAPPED), [], "four bytes are on one line");
      assert.deepEqual(page.said, []);
      assert.deepEqual(page.asked.filter((url) => !url.startsWith(String(pathToFileURL(folder))) && !url.startsWith("data:")), []);
      assert.equal(await page.evaluate(() => window.pwned), undefined);
      await page.close();
    });
  }
});

describe("all pages", () => {
  test("each opens without a word or a request outside, and each link leads somewhere", async () => {
    const pages = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(".html"));
    const ids = new Map(), links = [];
    const lane = async (some) => {
      const page = await open(browser, join(folder, "index.html"));
      for (const file of some) {
        await page.goto(String(pathToFileURL(join(folder, file))));
        const [here, there] = await page.evaluate(() => [[...document.querySelectorAll("[id]")].map((one) => one.id), [...document.links].map((link) => link.href)]);
        ids.set(join(folder, file), new Set(here));
        links.push(...there.filter((url) => !url.startsWith("https://")).map((url) => [file, url]));
      }
      assert.deepEqual(page.said, []);
      assert.deepEqual(page.asked.filter((url) => !url.startsWith(String(pathToFileURL(folder))) && !url.startsWith("data:")), []);
      await page.close();
    };
    await Promise.all([0, 1, 2, 3].map((at) => lane(pages.filter((_, place) => place % 4 === at))));
    const lost = links.filter(([, url]) => {
      const { hash } = new URL(url), file = fileURLToPath(url.split("#")[0]);
      if (!existsSync(file)) return true;
      return hash && !file.endsWith("explorer.html") && !ids.get(file)?.has(decodeURIComponent(hash.slice(1)));
    });
    assert.deepEqual(lost.slice(0, 20), []);
    assert.ok(links.length > 10_000, `${links.length} links`);
  });
  test("the start page is small, with all that it loads", () => {
    const sizes = ["index.html", "style.css", "site.js"].map((file) => readFileSync(join(folder, file)).length);
    assert.ok(sizes.reduce((sum, size) => sum + size) < 100_000, `${sizes}`);
  });
});

describe("five questions of a stranger", { skip: !process.env.SITE && "asked of the whole site" }, () => {
  /** From the start page, by what the links say. */
  const asked = async (...clicks) => {
    const page = await open(browser, join(folder, "index.html"));
    for (const [where, name] of clicks) await page.locator(where).getByRole("link", { name, exact: true }).first().click();
    return page;
  };
  test("what is byte 8 of a node path?", async () => {
    const page = await asked(["#find ~ .chips", "NodePath node_path"]);
    const row = page.locator("#node_path tbody tr", { has: page.locator("td:first-child", { hasText: /^8$/ }) }).first();
    assert.match(await row.textContent(), /sub-?name/i);
    await page.close();
  });
  test("what are these bytes?", { skip: !existsSync(program) }, async () => {
    const page = await open(browser, join(folder, "index.html"));
    await page.fill("#bytes", "[7, 0, 0, 0, 0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64]");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.waitForSelector("#explorer[data-ready]");
    assert.match(await page.textContent("#reading"), /type 7 Vector3.*Vector3\(1/s);
    await page.close();
  });
  test("does playgodot read packed vectors?", async () => {
    const page = await asked(["#who ~ .wide", "playgodot"]);
    const row = await page.locator('[id="godot-4.4/vector2_array"]').textContent();
    assert.match(row, /^35PackedVector2Array.*(yes|no|not supported)/s);
    await page.close();
  });
  test("can gd-com's packets be read by Godot 3.6?", async () => {
    const page = await asked(["nav", "Interop"]);
    await page.getByRole("link", { name: /^godot3@3\.6 reads gd-com:/ }).click();
    assert.match(await page.locator("tr:target").textContent(), /gd-com.*\d+\/\d+/);
    await page.close();
  });
  test("why is Basis transposed?", async () => {
    const page = await asked(["#find ~ .chips", "Basis basis"], ["#basis", "basis-is-row-major"]);
    assert.match(await page.locator('[id="basis-is-row-major"]').textContent(), /by rows|row/);
    await page.close();
  });
});

test("the page of an implementation names each column", async () => {
  const page = await open(browser, join(folder, "implementations/reference.html"));
  assert.deepEqual(await page.locator("#types ~ details thead").first().locator("th").allTextContents(), ["id", "type", "reads", "writes", "exact", "safe", "findings"]);
  await page.close();
});

describe("interop", () => {
  test("each cell says what the record says, counted by other code", async () => {
    const [plan, ...cases] = records(join(folder, "interop.jsonl"));
    const names = plan.participants.map((one) => one.name);
    const dialect = (each) => each.case.split("/")[0];
    // writer, reader, way → type → whether all of its values arrived.
    const types = new Map();
    const key = (each, writer, reader, way) => `${dialect(each)}: ${names[writer]} → ${names[reader]} ${way}`;
    const count = (each, writer, reader, way, layout, arrived) => {
      const pair = key(each, writer, reader, way);
      if (!types.has(pair)) types.set(pair, new Map());
      types.get(pair).set(layout, (types.get(pair).get(layout) ?? true) && arrived);
    };
    for (const each of cases) {
      const layout = each.case.split("/")[1];
      for (const { from, decode, reencode } of each.packets) {
        for (const [way, arrivals] of [decode, reencode].entries()) {
          for (const { fate, by } of arrivals) for (const reader of by) for (const writer of from) count(each, writer, reader, way, layout, fate === "same");
        }
      }
    }
    // A type of which a value was not written does not arrive whole.
    for (const each of cases) {
      const layout = each.case.split("/")[1];
      for (const writer of (each.unwritten ?? []).flatMap(({ by }) => by)) {
        for (const reader of each.readers) {
          count(each, writer, reader, 0, layout, false);
          if (types.get(key(each, writer, reader, 1))?.has(layout)) count(each, writer, reader, 1, layout, false);
        }
      }
    }
    const page = await open(browser, join(folder, "interop.html"));
    const shown = await page.evaluate(() => [...document.querySelectorAll("table.exchange")].flatMap((table) => {
      const columns = [...table.tHead.rows[0].cells].slice(1).map((cell) => cell.textContent.trim());
      return [...table.tBodies[0].rows].flatMap((row) => [...row.cells].slice(1).flatMap((cell, at) =>
        [...cell.querySelectorAll(".half")].map((half) => [`${table.closest("section").id}: ${row.cells[0].textContent.trim()} → ${columns[at]} ${half.title.startsWith("read and") ? 1 : 0}`,
          half.querySelector(".n").textContent])));
    }));
    const counted = [...types].map(([pair, of]) => [pair, `${[...of.values()].filter(Boolean).length}/${of.size}`]);
    assert.deepEqual(Object.fromEntries(shown), Object.fromEntries(counted));
    assert.ok(shown.length > 8, `${shown.length} cells`);
    await page.close();
  });
  test("a cell leads to the packets, and those to the explorer", { skip: process.env.SITE && "nobody there writes columns" }, async () => {
    const page = await open(browser, join(folder, "interop.html"));
    const first = page.locator("th:first-child, td:first-child", { hasText: "column_major" });
    await page.locator("table.exchange tbody tr", { has: first }).locator("td a").first().click();
    assert.ok(page.url().includes("/interop/reference.html#godot-3/from/"), page.url());
    await page.locator("tr:target").getByText("basis", { exact: false }).click();
    assert.ok(page.url().endsWith("#godot-3/basis"), page.url());
    const link = await page.locator('[aria-label^="Packets of Basis"] a.hexlink').first().getAttribute("href");
    assert.match(link, /explorer\.html#0c000000[0-9a-f]{72}@godot-3$/);
    await page.close();
  });
});

describe("the explorer", { skip: !existsSync(program) && "recipes/build-explorer target/explorer.wasm builds it" }, () => {
  const VECTOR = "050000000000803f00000040";
  /** Whether a line of `conform explain` is a row of a listing. */
  const isRow = (line) => /^ *\d+ {2}/.test(line);
  const explore = async (hash) => {
    const page = await open(browser, join(folder, "explorer.html"), hash);
    await page.waitForSelector("#explorer[data-ready]");
    return page;
  };
  test("each form is the same bytes, and what conform explain shows", async () => {
    const page = await explore("");
    const forms = [VECTOR, "05 00 00 00 00 00 80 3f 00 00 00 40", "[5, 0, 0, 0, 0, 0, 128, 63, 0, 0, 0, 64]",
      "<Buffer 05 00 00 00 00 00 80 3f 00 00 00 40>", "b'\\x05\\x00\\x00\\x00\\x00\\x00\\x80?\\x00\\x00\\x00@'", "BQAAAAAAgD8AAABA"];
    const explained = run("explain", VECTOR, "--dialect", "godot-3").stdout.trim().split("\n").filter(isRow).map((line) => line.trim().split(/ {2,}/));
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
  const FORMS = [(hex) => hex, (hex) => hex.match(/../g).join(" "), (hex) => `[${hex.match(/../g).map((byte) => parseInt(byte, 16)).join(", ")}]`,
    (hex) => `<Buffer ${hex.match(/../g).join(" ")}>`, (hex) => `b'${hex.replace(/../g, "\\x$&")}'`, (hex) => Buffer.from(hex, "hex").toString("base64")];
  /** A row without what aligns it. */
  const words = (row) => row.trim().split(/ {2,}/);
  /** The rows as `conform explain` aligns them. */
  const aligned = (rows) => {
    const width = (of) => Math.max(0, ...rows.map((row) => [...of(row)].length));
    const [offsets, bytes, names] = [(row) => String(row.offset), (row) => row.bytes, (row) => row.name].map(width);
    const pad = (text, to) => text + " ".repeat(to - [...text].length);
    return rows.map((row) => `${String(row.offset).padStart(offsets)}  ${pad(row.bytes, bytes)}  ${pad(row.name, names)}  ${row.meaning}`.trimEnd());
  };
  const explain = (hex, dialect) => new Promise((done) => {
    execFile(conform, ["explain", hex, "--dialect", dialect], { cwd: root, maxBuffer: 1 << 26 }, (_, stdout) => done(stdout.trimEnd().split("\n")));
  });
  const exported = () => JSON.parse(spawnSync(conform, ["export"], { cwd: root, maxBuffer: 1 << 28 }).stdout).cases;
  /** A thousand packets from all over the corpus; and the same, each with a byte changed, cut off or put in. */
  const packets = () => {
    const all = exported().filter((each) => /^([0-9a-f]{2}){4,600}$/.test(each.bytes ?? "") && !each.dialect.includes("docs"));
    const once = [...new Map(all.map((each) => [each.dialect + each.bytes, { dialect: each.dialect, hex: each.bytes }])).values()];
    const step = once.length / 1000;
    const chosen = Array.from({ length: 1000 }, (_, at) => once[Math.floor(at * step)]);
    let seed = 1;
    const random = (below) => { seed = (Math.imul(seed, 1103515245) + 12345) >>> 0; return (seed >>> 8) % below; };
    const mutated = chosen.map(({ dialect, hex }) => {
      const bytes = [...Buffer.from(hex, "hex")];
      const at = random(bytes.length), byte = random(256);
      [() => { bytes[at] = byte; }, () => { bytes.splice(at, bytes.length > 4 ? 1 : 0); }, () => { bytes.splice(at, 0, byte); }][random(3)]();
      return { dialect, hex: Buffer.from(bytes).toString("hex") };
    });
    return [...chosen, ...mutated];
  };
  test("a thousand packets and a thousand mutants are explained as `conform explain` does, in each form", async () => {
    const page = await explore("");
    const sent = packets().map((each, at) => ({ ...each, text: FORMS[at % FORMS.length](each.hex) }))
      // Some base64 is hex too.
      .map((each) => /^[0-9a-f]+$/i.test(each.text) ? { ...each, text: each.hex } : each);
    const answers = [];
    for (let at = 0; at < sent.length; at += 100) {
      answers.push(...await page.evaluate((texts) => texts.map((text) => JSON.parse(window.conformCall({ op: "explore", text }))), sent.slice(at, at + 100).map((each) => each.text)));
    }
    const checks = sent.map((each, at) => async () => {
      const answer = answers[at];
      assert.equal(answer.bytes, each.hex, each.text);
      // It is no packet, and both say what else it is.
      if (answer.readings.length === 0) {
        assert.ok(!(await explain(each.hex, each.dialect)).some((line) => line.startsWith("as JSON: ")), each.hex);
        return;
      }
      // In the dialect of the case; if no engine speaks that, in the best one.
      const reading = answer.readings.find((one) => one.dialects.includes(each.dialect)) ?? answer.readings[0];
      const dialect = reading.dialects.includes(each.dialect) ? each.dialect : reading.dialects[0];
      // The listing of a long packet is cut in the command alone.
      if (reading.packets.some((packet) => packet.rows.some((row) => row.name.startsWith("…")))) return;
      const lines = await explain(each.hex, dialect);
      const rows = reading.packets.flatMap((packet) => aligned(packet.rows.map((row) => ({ bytes: "", meaning: "", ...row }))));
      assert.deepEqual(rows.map(words), lines.filter(isRow).map(words), `${each.hex} in ${dialect}`);
      for (const packet of reading.packets) {
        if (packet.refused !== null) assert.ok(lines.some((line) => line.startsWith(`refused: ${packet.refused}`)), each.hex);
        else if (packet.value !== null) {
          const wanted = JSON.stringify(JSON.parse(packet.value));
          const values = lines.filter((line) => line.startsWith("as JSON: ")).map((line) => line.slice("as JSON: ".length));
          assert.ok(values.some((value) => value.endsWith("…") || JSON.stringify(JSON.parse(value)) === wanted), `${each.hex}: ${packet.value}`);
        }
      }
    });
    // Four at a time.
    await Promise.all([0, 1, 2, 3].map(async (lane) => { for (let at = lane; at < checks.length; at += 4) await checks[at](); }));
    assert.ok(sent.length === 2000);
    await page.close();
  });
  test("each canonical value is encoded as `conform serve` encodes it", async () => {
    const page = await explore("");
    const values = exported().filter((each) => each.class === "canonical" && each.value && !each.framing && JSON.stringify(each.value).length < 4000);
    const lines = values.map((each, seq) => JSON.stringify({ op: "encode", seq, dialect: each.dialect, value: each.value, options: { objects: true } }));
    const served = spawnSync(conform, ["serve"], { cwd: root, input: lines.join("\n") + "\n", maxBuffer: 1 << 28, encoding: "utf8" }).stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
    const ours = await page.evaluate((sent) => sent.map(({ value, dialect }) => JSON.parse(window.conformCall({ op: "encode", value: JSON.stringify(value), dialect }))), values);
    assert.ok(values.length > 1000, `${values.length} values`);
    for (const [at, each] of values.entries()) assert.equal(ours[at].bytes, served[at].bytes, `${each.id}: ${JSON.stringify([ours[at], served[at]])}`);
    await page.close();
  });
  test("it is small, and nothing moves as it comes", async () => {
    const size = readFileSync(program).length;
    assert.ok(size < 530_000, `${size} bytes`);
    const page = await explore(`#${VECTOR}`);
    await settled(page);
    const moved = await page.evaluate(() => new Promise((done) => {
      new PerformanceObserver((list) => done(list.getEntries().reduce((sum, entry) => sum + entry.value, 0))).observe({ type: "layout-shift", buffered: true });
      setTimeout(() => done(0), 300);
    }));
    assert.ok(moved < 0.01, `what was there moved by ${moved}`);
    await page.close();
  });
});

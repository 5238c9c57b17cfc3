// The report of a run, in a real browser: what it shows is what results.jsonl says.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createHash } from "node:crypto";
import { writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { adapter, caseOf, causes, colour, counts, drawn, isProblem, launch, open, opOf, out, overflow, readable, recorded, root, run, settled, shots, sum, typeOf, verdicts, wayOf } from "./house.mjs";

/** A list of known failures of an adapter that writes the columns of a basis. */
const known = `implementation: column-major
findings:
- id: numbers-by-column
  finding: A basis is written column by column.
  packet: a basis that is not symmetric.
  expected: its rows.
  actual: its columns.
  consequence: Every rotation is read as its inverse.
  severity: high
  tests: ["*/basis/**"]
`;
const runs = {};
let browser;
before(async () => {
  runs.reference = recorded("reference"); // every dialect
  runs.nothing = recorded("null", ...adapter("null.py"));
  runs.columns = recorded("column-major", ...adapter("column_major.py"));
  runs.hostile = recorded("hostile", ...adapter("hostile.py"));
  const list = join(out, "known-list");
  mkdirSync(list, { recursive: true });
  writeFileSync(join(list, "findings.yaml"), known);
  writeFileSync(join(list, "adapter.yaml"), JSON.stringify({ command: ["python3", join(root, "harness/cli/tests/adapters/column_major.py")] }));
  runs.known = recorded("known", list);
  browser = await launch();
});
after(() => browser?.close());

const gridOf = (page) => page.evaluate(() => Object.fromEntries([...document.querySelectorAll(".grid tr[data-type]")].map((row) => {
  const cells = [...row.querySelectorAll("td.cell")].map((cell) => ({ mark: cell.classList[1], n: cell.querySelector(".n").textContent, word: cell.querySelector(".word").textContent }));
  return [row.dataset.type, { decode: cells[0], encode: cells[1], variants: row.querySelector("td.variants").textContent.trim() }];
})));
const count = (page) => page.locator("#count").textContent();
const shownCases = (page) => page.evaluate(() => [...document.querySelectorAll(".case")].map((node) => node.dataset.case));
const choose = async (page, id, value) => { await page.selectOption("#" + id, value); };
/** What the count line must say for these records. */
const said = (all, hits) => {
  const many = new Set(all.map((record) => record.test.split("/")[0])).size > 1;
  const cases = (records) => new Set(records.map(caseOf)).size;
  return `${cases(hits)} of ${cases(all)} cases${many ? " × dialects" : ""}, ${hits.length} of ${all.length} recorded tests`;
};

describe("the numbers are those of results.jsonl", () => {
  for (const name of ["reference", "nothing", "columns", "hostile"]) {
    test(name, async () => {
      const { page: file, lines } = runs[name];
      const page = await open(browser, file);
      const rows = Object.fromEntries(await page.evaluate(() => [...document.querySelectorAll("tr[data-type]")].map((row) =>
        [row.dataset.type, [...row.querySelectorAll(".cell .word")].map((cell) => cell.textContent)])));
      for (const type of lines[0].dialects.flatMap((dialect) => dialect.types.map((layout) => dialect.name + "/" + layout))) {
        assert.equal(rows[type]?.length, 4, type + " has a row");
        for (const word of rows[type]) assert.ok(["yes", "no", "fails (known)", "–", "not run"].includes(word), `${type}: ${word}`);
        const failed = verdicts(lines).some((record) => typeOf(record) === type && record.origin === "case" && colour(record) === "failure");
        if (failed) assert.ok(rows[type].includes("no"), `${type} fails: ${rows[type]}`);
        if (name === "reference") assert.ok(rows[type].every((word) => word === "yes" || word === "–"), `${type}: ${rows[type]}`);
      }
      const failures = verdicts(lines).filter((record) => colour(record) === "failure").length;
      const headline = await page.locator(".verdict").textContent();
      assert.match(headline, /reads \d+ of \d+ types/);
      assert.equal(/\d causes?/.test(headline), failures > 0, headline);
      const totals = Object.fromEntries(await page.evaluate(() => [...document.querySelectorAll(".totals tbody tr")].map((row) =>
        [row.querySelector("th").textContent.trim(), [...row.querySelectorAll("td")].map((cell) => +cell.textContent)])));
      const tallied = lines.filter((line) => line.kind === "tally").reduce((total, tally) => total + tally.pass, 0);
      for (const verdict of new Set(verdicts(lines).map((record) => record.verdict))) {
        const of = (origin) => verdicts(lines).filter((record) => record.verdict === verdict && record.origin === origin).length;
        assert.deepEqual(totals[verdict], [of("case"), of("variant") + (verdict === "pass" ? tallied : 0)], verdict);
      }
      await page.close();
    });
  }
});

describe("the page is quiet", () => {
  for (const name of ["reference", "nothing", "columns", "hostile"]) {
    test(`${name}: no console message, no request but for the file`, async () => {
      const page = await open(browser, runs[name].page);
      await page.locator(".case > summary").first().click();
      await settled(page);
      assert.deepEqual(page.said, []);
      assert.deepEqual(page.asked, [String(pathToFileURL(runs[name].page))]);
      await page.close();
    });
  }

  test("the policy forbids what the page does not do", async () => {
    const page = await open(browser, runs.reference.page);
    const refused = await page.evaluate(async () => {
      const tried = {};
      tried.fetch = await fetch("https://example.invalid/").then(() => "went out", () => "refused");
      tried.script = await new Promise((done) => {
        const script = document.createElement("script");
        script.textContent = "window.ran = 1";
        document.body.append(script);
        setTimeout(() => done(window.ran ? "ran" : "refused"), 50);
      });
      document.addEventListener("securitypolicyviolation", (event) => { tried.image = event.effectiveDirective; });
      const image = new Image();
      image.src = "https://example.invalid/x.png";
      document.body.append(image);
      await new Promise((done) => setTimeout(done, 50));
      return tried;
    });
    assert.deepEqual(refused, { fetch: "refused", script: "refused", image: "img-src" });
    await page.waitForTimeout(50);
    assert.deepEqual(page.blocked, ["https://example.invalid/x.png csp"], "nothing left the page");
    await page.close();
  });
});

test("what an implementation says is shown, never obeyed", async () => {
  const page = await open(browser, runs.hostile.page);
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  assert.equal(await page.locator("h1").textContent().then((text) => text.includes("</script><script>window.pwned = 2</script>")), true);
  assert.ok((await page.title()).includes("<script>"));
  await page.click("#open-all");
  await settled(page);
  const seen = await page.evaluate(() => ({ scripts: document.scripts.length, images: document.images.length, pwned: window.pwned,
    text: document.getElementById("list").textContent }));
  assert.equal(seen.scripts, 4);
  assert.equal(seen.images, 0);
  assert.equal(seen.pwned, undefined);
  for (const saying of ["<script>window.pwned = 1</script>", "<img src=x onerror='window.pwned = 3'>", "{{ 7 * 7 }}", "\\u{202e}", "\\u{1b}[31m"]) {
    assert.ok(seen.text.includes(saying), `${saying} is shown`);
  }
  assert.ok(!/[\u202e\u2066]/.test(seen.text), "nothing turns the text around");
  assert.deepEqual(page.said, []);
  await page.close();
});

describe("filters", () => {
  let page, all;
  before(async () => {
    page = await open(browser, runs.nothing.page);
    all = verdicts(runs.nothing.lines);
  });
  after(() => page.close());
  const check = async (what, holds) => assert.equal(await count(page), said(all, all.filter(holds)), what);

  test("begin with the problems", () => check("problems", isProblem));
  test("everything", async () => { await choose(page, "f-show", ""); await check("everything", () => true); });
  test("one verdict", async () => {
    await choose(page, "f-show", "fail/wrong-bytes");
    await check("wrong-bytes", (record) => record.reason === "wrong-bytes");
  });
  test("one direction", async () => {
    await choose(page, "f-show", "");
    await choose(page, "f-op", "encode");
    await check("encode", (record) => wayOf(opOf(record)) === "encode");
    await choose(page, "f-op", "");
  });
  test("without variants", async () => {
    await page.uncheck("#f-variants");
    await check("case", (record) => record.origin === "case");
    await page.check("#f-variants");
  });
  test("a type, by its row in the grid", async () => {
    await page.click('.grid tr[data-type="godot-3/basis"] th a');
    await settled(page);
    await check("basis", (record) => typeOf(record) === "godot-3/basis" && isProblem(record));
    assert.ok((await shownCases(page)).every((id) => id.startsWith("godot-3/basis/")));
  });
  test("a direction of a type, by its cell in the grid", async () => {
    await page.click('.grid tr[data-type="godot-3/color"] td.cell:nth-of-type(3) a');
    await settled(page);
    await check("color encode", (record) => typeOf(record) === "godot-3/color" && wayOf(opOf(record)) === "encode" && isProblem(record));
  });
  test("Escape shows all again", async () => {
    await page.keyboard.press("Escape");
    await check("problems", isProblem);
    assert.ok(!page.url().includes("#"));
  });
  test("search finds ids, fields, bytes and rules", async () => {
    const detail = (record) => ["sent", "answer", "rule", "note", "place", "noise"].map((key) => record.detail?.[key] ?? "").join("\n");
    const spelled = (record) => record.verdict + (record.reason ? "/" + record.reason : "");
    for (const words of ["negative-zero", "0f00000003000080", "corpus/family/color.yaml", "header vector2 encode"]) {
      await page.fill("#q", words);
      await page.waitForTimeout(150);
      const headlines = Object.fromEntries(causes(runs.nothing.lines).map((cause) => [cause.id, cause.headline]));
      const text = (record) => [record.test, spelled(record), record.field, record.erratum, record.cause, headlines[record.cause], detail(record)].join("\n").toLowerCase();
      await check(words, (record) => isProblem(record) && words.split(" ").every((word) => text(record).includes(word)));
    }
    await page.fill("#q", "no-such-thing-anywhere");
    await page.waitForTimeout(150);
    assert.match(await page.locator("#list").textContent(), /Nothing matches/);
    await page.click("#reset");
    await check("problems", isProblem);
  });
});

describe("groups", () => {
  for (const name of ["nothing", "columns", "hostile"]) {
    test(`${name}: each is a cause of the record, with its tests`, async () => {
      const { page: file, lines } = runs[name];
      const page = await open(browser, file);
      const shown = await page.evaluate(() => [...document.querySelectorAll(".group")].map((node) => ({
        id: node.id, headline: node.querySelector(".name").textContent, extent: node.querySelector(".extent").textContent,
        marked: node.querySelector(".mark").classList[1] })));
      assert.ok(shown.length > 0);
      const plural = (count) => `${count} test${count === 1 ? "" : "s"}`;
      const wanted = causes(lines).map((cause) => {
        const tests = verdicts(lines).filter((record) => record.cause === cause.id);
        assert.equal(tests.length, cause.tests, cause.id);
        return { id: "cause/" + cause.id, headline: cause.headline, proof: cause.proof ?? "", count: plural(cause.tests), marked: tests.some((test) => colour(test) === "failure") ? "fail" : "warning" };
      });
      const byId = (a, b) => (a.id < b.id ? -1 : 1);
      const bare = ({ id, headline, marked }) => ({ id, headline, marked });
      assert.deepEqual([...shown].sort(byId).map(bare), wanted.sort(byId).map(bare));
      for (const { id, count, proof } of wanted) {
        const { extent } = shown.find((each) => each.id === id);
        assert.ok(extent.includes(count) && extent.includes(proof), id);
      }
      if (name === "columns") assert.ok(wanted.some(({ proof }) => proof.startsWith("same reply in")));
      await page.close();
    });
  }

  test("each opens by keyboard, with its smallest test and its own cases", async () => {
    const { page: file, lines } = runs.columns;
    for (const cause of causes(lines)) {
      // A link to a test shows its type alone: each begins anew.
      const page = await open(browser, file);
      const group = page.locator(`.group[id="cause/${cause.id}"]`);
      if ((await group.getAttribute("open")) === null) {
        await group.locator("> summary").focus();
        await page.keyboard.press("Enter");
        await settled(page);
        assert.equal(new URL(page.url()).hash, "#cause/" + cause.id);
      }
      const smallest = group.locator("> .body > .test");
      const record = verdicts(lines).find((record) => record.test === cause.smallest);
      const text = await smallest.textContent();
      for (const part of [record.detail.rule, `--only '${cause.smallest}'`]) assert.ok(text.includes(part), part);
      assert.ok((await smallest.locator(".listing, .sides").count()) > 0, "two listings");
      for (let more = group.locator(".body > .list > button"); (await more.count()) > 0;) await more.click();
      const cases = await group.evaluate((node) => [...node.querySelectorAll(".case")].map((each) => each.dataset.case));
      assert.deepEqual(cases.sort(), [...new Set(verdicts(lines).filter((record) => record.cause === cause.id).map(caseOf))].sort());
      await smallest.locator("h4 a").click();
      await settled(page);
      assert.equal(await page.locator(".test.target").getAttribute("data-test"), cause.smallest);
      assert.equal(await page.locator(".group:has(.test.target)").getAttribute("id"), "cause/" + cause.id);
      await page.close();
    }
  });

  test("cases begin on the first screen, and four bytes stand in a line", async () => {
    const page = await open(browser, runs.columns.page);
    assert.ok((await page.locator(".group").first().boundingBox()).y < 400);
    // The first case is the smallest of the first cause.
    assert.ok((await page.locator(".group[open] .test").first().boundingBox()).y < 600);
    assert.ok((await page.locator(".group[open] .listing").first().boundingBox()).y < 1000);
    await page.click("#open-all");
    for (const width of [360, 1400, 1600]) {
      await page.setViewportSize({ width, height: 1000 });
      await settled(page);
      const lines = await page.evaluate(() => [...document.querySelectorAll(".listing .hex")].filter((cell) => /^\w\w( \w\w){3}$/.test(cell.textContent) && cell.getClientRects().length > 0).map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return new Set([...range.getClientRects()].map((rect) => Math.round(rect.bottom / 4))).size;
      }));
      assert.ok(lines.length > 20, `${width}`);
      assert.deepEqual([...new Set(lines)].filter((count) => count > 1), [], `${width}`);
      assert.equal(await overflow(page), 0, `${width}`);
    }
    await page.close();
  });

  test("a known failure shows the sentence of its finding, and where it is explained", async () => {
    const page = await open(browser, runs.known.page);
    const group = page.locator('.group[id="cause/numbers-by-column"]');
    assert.match(await group.textContent(), /A basis is written column by column/);
    const tests = verdicts(runs.known.lines).filter((record) => typeOf(record).endsWith("/basis") && ["failure", "warning"].includes(colour(record))).length;
    assert.ok(tests > 0);
    assert.ok((await group.locator(".extent").textContent()).includes(`${tests} tests`));
    await page.evaluate(() => document.querySelectorAll(".group:not([open]) > summary").forEach((node) => node.click()));
    await settled(page);
    const link = await group.locator("> .body > p > a").evaluate((node) => node.href);
    const list = join(runs.known.folder, "findings.html");
    assert.equal(link, pathToFileURL(list) + "#numbers-by-column");
    await page.close();
    // The page of findings is read as it is, at both widths, and loads nothing.
    for (const width of [360, 1600]) {
      const findings = await open(browser, list);
      await findings.setViewportSize({ width, height: 900 });
      assert.ok((await overflow(findings)) <= 0, `${width} px`);
      const section = findings.locator("#numbers-by-column");
      assert.match(await section.textContent(), /Every rotation is read as its inverse/);
      assert.match(await section.locator("dl").textContent(), new RegExp(`${tests} tests`));
      assert.deepEqual(findings.said, []);
      assert.deepEqual(findings.asked, [String(pathToFileURL(list))]);
      await findings.close();
    }
  });
});

describe("the address", () => {
  test("keeps filters, search and what is open; back works", async () => {
    const page = await open(browser, runs.nothing.page);
    const begun = await count(page);
    await choose(page, "f-type", "godot-3/string");
    const typed = await count(page);
    assert.notEqual(typed, begun);
    await choose(page, "f-op", "encode");
    await page.fill("#q", "empty & string");
    await page.waitForTimeout(200);
    const searched = await count(page);
    await page.uncheck("#f-variants");
    const last = await count(page);
    await page.reload();
    await drawn(page);
    assert.equal(await count(page), last);
    assert.equal(await page.inputValue("#q"), "empty & string");
    assert.equal(await page.inputValue("#f-type"), "godot-3/string");
    assert.equal(await page.isChecked("#f-variants"), false);
    for (const before of [searched, typed, begun]) {
      await page.goBack();
      await settled(page);
      assert.equal(await count(page), before);
    }
    await page.goForward();
    await settled(page);
    assert.equal(await count(page), typed);
    await page.locator(".case > summary").first().click();
    await settled(page);
    const opened = await page.locator(".case[open]").getAttribute("data-case");
    await page.reload();
    await drawn(page);
    assert.equal(await count(page), typed);
    assert.equal(await page.locator(".case[open]").getAttribute("data-case"), opened);
    assert.deepEqual(page.said, []);
    await page.close();
  });
});

describe("links", () => {
  const inView = (page, selector) => page.evaluate((selector) => {
    const node = document.querySelector(selector);
    if (!node) return "missing";
    const { top } = node.getBoundingClientRect();
    return top >= -2 && top < innerHeight ? "seen" : `at ${top}`;
  }, selector);

  test("every kind of link opens what it names", async () => {
    const lines = verdicts(runs.nothing.lines);
    const step = Math.floor(lines.length / 10);
    for (const { test } of lines.filter((_, index) => index % step === 0)) {
      const page = await open(browser, runs.nothing.page, "#" + test);
      await settled(page);
      assert.equal(await inView(page, ".target"), "seen", test);
      assert.equal(await page.locator(".test.target").getAttribute("data-test"), test);
      assert.deepEqual(page.said, []);
      await page.close();
    }
  });
  test("a case, while the page is open, and back again", async () => {
    const page = await open(browser, runs.reference.page);
    await page.evaluate(() => { location.hash = "#godot-3/int/narrow-without-flags"; });
    await settled(page);
    assert.equal(await page.locator(".case.target").getAttribute("id"), "godot-3/int/narrow-without-flags");
    assert.equal(await page.locator(".case.target[open]").count(), 1);
    await page.close();
  });
  test("an opened case is in the address", async () => {
    const page = await open(browser, runs.columns.page);
    await page.locator(".case > summary").first().click();
    await settled(page);
    const id = await page.locator(".case").first().getAttribute("id");
    assert.equal(decodeURI(new URL(page.url()).hash), "#" + id);
    await page.close();
  });
  test("a link to nothing shows the page as it is", async () => {
    for (const hash of ["#nothing", "#godot-3/nothing", "#godot-3/int/nothing", "#%E0%A4%A", "#about"]) {
      const page = await open(browser, runs.columns.page, hash);
      assert.ok((await page.locator(".case").count()) > 0, hash);
      assert.deepEqual(page.said, [], hash);
      await page.close();
    }
  });
});

test("two listings stand side by side, and what differs is marked", async () => {
  const record = verdicts(runs.columns.lines).find(({ test }) => test === "godot-3/basis/nine-numbers-go-row-by-row:encode");
  const page = await open(browser, runs.columns.page, "#" + record.test);
  await settled(page);
  const node = page.locator(`[data-test="${record.test}"]`);
  const rows = await node.locator(".listing tbody tr").evaluateAll((rows) => rows.map((row) => ({
    differs: row.classList.contains("differs"), first: row.classList.contains("first"), cells: [...row.cells].map((cell) => cell.textContent) })));
  const columns = ({ offset, bytes, name, meaning }) => [String(offset), bytes, name, meaning];
  const expected = record.detail.expected.map(columns);
  const actual = record.detail.actual.map(columns);
  assert.equal(rows.length, expected.length);
  rows.forEach((row, index) => {
    assert.deepEqual(row.cells.slice(2, 5), [expected[index][0], expected[index][1], expected[index][3]]);
    assert.deepEqual(row.cells.slice(5, 8), [actual[index][0], actual[index][1], actual[index][3]]);
    assert.equal(row.differs, expected[index][1] !== actual[index][1], expected[index][2]);
    assert.equal(row.cells[0] === "≠", row.differs, "a sign, not colour alone");
  });
  assert.equal(rows.find((row) => row.first).cells[1].split(" ")[0].replace(/^\d+/, ""), record.field);
  const text = await node.textContent();
  for (const part of [record.detail.rule, record.detail.sent, record.erratum, `conform run --only '${record.test}' -- python3`]) assert.ok(text.includes(part), part);
  await page.close();
});

test("the command on the page tests just this again", async () => {
  const page = await open(browser, runs.columns.page, "#godot-3/basis/nine-numbers-go-row-by-row:encode");
  await settled(page);
  const command = await page.locator('[data-test="godot-3/basis/nine-numbers-go-row-by-row:encode"] .again pre').textContent();
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2]);
  assert.equal(words.shift(), "conform");
  const again = run("run", "--out", join(out, "again"), ...words.slice(1));
  assert.equal(again.status, 1);
  assert.match(again.stdout, /^fail\/wrong-bytes +godot-3\/basis\/nine-numbers-go-row-by-row:encode/);
  await page.close();
});

test("stderr stands with what it belongs to", async () => {
  const record = verdicts(runs.hostile.lines).find((record) => record.detail?.noise?.includes("dying"));
  assert.equal(record?.verdict, "crashed", "the run has stderr");
  const page = await open(browser, runs.hostile.page, "#" + record.test);
  await settled(page);
  assert.match(await page.locator(".test.target").textContent(), /stderr and stray output.*<b>dying<\/b> words/s);
  await page.close();
});

test("ten thousand cases are drawn as they are looked at", async () => {
  const [plan, ...rest] = runs.nothing.lines;
  const ofCases = rest.filter((line) => line.kind === "verdict" && line.origin === "case");
  const copies = Math.ceil(10000 / new Set(ofCases.map(caseOf)).size);
  const lines = [];
  for (let copy = 0; copy < copies; copy++) {
    for (const record of ofCases) lines.push({ ...record, test: record.test.replace(/:(\w+)$/, `-${copy}:$1`) });
  }
  const folder = join(out, "many");
  mkdirSync(folder, { recursive: true });
  const executed = lines.filter((record) => !["not-supported", "not-run"].includes(record.verdict)).length;
  const text = [{ ...plan, tests: lines.length }, ...lines].map((line) => JSON.stringify(line) + "\n").join("");
  const digest = "sha256:" + createHash("sha256").update(text).digest("hex");
  writeFileSync(join(folder, "results.jsonl"), text + JSON.stringify({ kind: "end", executed, digest, complete: true }) + "\n");
  const made = run("report", join(folder, "results.jsonl"), "--format", "html", "--out", join(folder, "report.html"));
  assert.equal(made.status, 0, made.stderr);
  const began = performance.now();
  const page = await open(browser, join(folder, "report.html"));
  const opened = performance.now();
  const all = new Set(lines.map(caseOf)).size;
  assert.ok(all >= 10000);
  assert.match(await count(page), new RegExp(`of ${all} cases`));
  assert.ok((await page.locator(".case").count()) < 300, "only what is looked at is drawn");
  const searched = await page.evaluate(() => {
    const q = document.getElementById("q");
    const began = performance.now();
    q.value = "negative-zero";
    document.getElementById("f-op").dispatchEvent(new Event("change"));
    return performance.now() - began;
  });
  const last = lines.at(-1).test;
  const linked = performance.now();
  await page.evaluate((hash) => { location.hash = hash; }, "#" + last);
  await settled(page);
  assert.equal(await page.locator(".test.target").getAttribute("data-test"), last);
  console.log(`${all} cases: opened in ${Math.round(opened - began)} ms, searched in ${Math.round(searched)} ms, the last case linked in ${Math.round(performance.now() - linked)} ms`);
  await page.close();
});

test("keys", async () => {
  const page = await open(browser, runs.columns.page);
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "q");
  await page.keyboard.type("t/");
  assert.equal(await page.inputValue("#q"), "t/");
  await page.keyboard.press("Escape");
  assert.equal(await page.inputValue("#q"), "");
  await page.close();
});

test("light, dark, and as the system has it", async () => {
  const page = await open(browser, runs.reference.page);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await ground();
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await ground();
  assert.notEqual(light, dark);
  await page.click("#theme");
  assert.equal(await ground(), light);
  await page.emulateMedia({ colorScheme: "light" });
  await page.click("#theme");
  assert.equal(await ground(), dark);
  await page.click("#theme");
  assert.equal(await ground(), light);
  await page.close();
});

test("without a script the grid and the findings are there", async () => {
  const plain = await launch({ javaScriptEnabled: false });
  const page = await plain.newPage();
  await page.goto(String(pathToFileURL(runs.columns.page)));
  const text = await page.locator("main").textContent();
  for (const cause of causes(runs.columns.lines)) {
    for (const part of [cause.headline, `${cause.tests} test`, cause.smallest]) assert.ok(text.includes(part), part);
  }
  assert.ok(await page.locator('.grid tr[data-type="godot-3/basis"] td.cell.fail').first().isVisible());
  assert.ok(!(await page.locator("#filters").isVisible()));
  await plain.close();
});

test("on paper there are no controls, and what is open is printed", async () => {
  const page = await open(browser, runs.columns.page, "#godot-3/basis/nine-numbers-go-row-by-row:encode");
  await settled(page);
  await page.emulateMedia({ media: "print" });
  for (const hidden of ["#filters", "#theme", ".again button"]) assert.ok(!(await page.locator(hidden).first().isVisible()), hidden);
  assert.ok(await page.locator(".test.target .listing").isVisible());
  const pdf = await page.pdf({ path: join(shots, "report-print.pdf"), format: "A4" });
  assert.ok(pdf.length > 10000);
  await page.close();
});

/** What of the types' panel cannot be seen without scrolling it sideways. */
const cut = (page) => page.evaluate(() => {
  const panel = document.querySelector(".grids");
  const edge = panel.getBoundingClientRect().left + panel.clientLeft + panel.clientWidth;
  return [panel, ...panel.querySelectorAll(".grid")].filter((box) => box.scrollWidth > box.clientWidth).map((box) => `${box.className} scrolls`)
    .concat([...panel.querySelectorAll("td, th, summary small, dd")].filter((box) => box.getBoundingClientRect().right > edge + 0.5).map((box) => box.textContent));
});

describe("at every width, and in both lights at both ends", () => {
  const views = { nothing: "", columns: "#godot-3/basis/nine-numbers-go-row-by-row:encode", reference: "", hostile: "" };
  for (const [name, hash] of Object.entries(views)) {
    for (const width of process.env.FULL ? [360, 800, 1400, 1600] : [360, 1600]) {
      const isEnd = width === 360 || width === 1600;
      for (const colorScheme of isEnd ? ["light", "dark"] : ["light"]) {
        test(`${name} at ${width}, ${colorScheme}: nothing beyond the edge, and readable`, async () => {
          const page = await browser.newPage();
          await page.setViewportSize({ width, height: width < 500 ? 800 : 1000 });
          await page.emulateMedia({ colorScheme });
          await page.goto(pathToFileURL(runs[name].page) + hash);
          await drawn(page);
          await settled(page);
          await page.screenshot({ path: join(shots, `report-${name}-${width}-${colorScheme}.png`) });
          if (name === "hostile" || name === "columns") await page.click("#open-all");
          await settled(page);
          assert.equal(await overflow(page), 0);
          assert.deepEqual(await cut(page), []);
          const isWhole = name === "columns" || name === "reference";
          if (isWhole && isEnd) await readable(page, 20);
          await page.close();
        });
      }
    }
  }
});


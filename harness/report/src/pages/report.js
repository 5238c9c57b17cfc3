"use strict";
// The cases of a report: found, filtered, and drawn only when they are looked at.
// The page has the lines of results.jsonl, packed; beside them it has what was found in them: causes, and the mark of each verdict.
// Everything that is shown comes through textContent; nothing is ever parsed as markup.
(async () => {
  const byId = (id) => document.getElementById(id);
  const packed = new Blob([Uint8Array.from(atob(byId("record").textContent), (letter) => letter.charCodeAt(0))]);
  const lines = await new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).text();
  const record = lines.trim().split("\n").map((line) => JSON.parse(line));
  const explained = JSON.parse(byId("explained").textContent);
  const PAGE = 60; // cases drawn at a time
  const FIRST = 5; // cases of a group drawn when it is opened
  const NAMED = 6; // types of a group named in its line
  const FOLD = 7; // more lines alike than this are folded
  const RANK = ["fail", "not-run", "known", "warning", "undecided", "ok", "not-supported"]; // worst first

  // -- elements ------------------------------------------------------------------------------------

  const h = (name, attributes, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === false || value == null) continue;
      if (key === "on") for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
      else element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.flat(Infinity).filter((child) => child != null && child !== false && child !== ""));
    return element;
  };
  const SVG = "http://www.w3.org/2000/svg";
  const mark = (name) => {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("class", "mark " + name);
    svg.setAttribute("aria-hidden", "true");
    const use = document.createElementNS(SVG, "use");
    use.setAttribute("href", "#m-" + name);
    svg.append(use);
    return svg;
  };
  const button = (label, act) => h("button", { type: "button", class: "quiet", on: { click: act } }, label);

  // -- the record: dialects, their types, the cases of a type, the tests of a case ---------------------

  const causes = explained.causes;
  const causeOf = new Map(causes.flatMap((cause, place) => cause.tests.map((test) => [test, place])));
  const dialects = [];
  const known = new Map(); // dialects, types and cases by what their ids begin with
  const once = (key, make) => known.get(key) || known.set(key, make()).get(key);
  const dialectOf = (name) => once(name, () => { const dialect = { name, types: [] }; dialects.push(dialect); return dialect; });
  const typeOf = (key, id) => once(key, () => {
    const [dialect, name] = key.split("/");
    const type = { id, name, key, label: explained.labels[name] || name, dialect: dialectOf(dialect), variants: 0, cases: [] };
    type.dialect.types.push(type);
    return type;
  });
  const caseOf = (id) => once(id, () => {
    const type = typeOf(id.split("/", 2).join("/"));
    const item = { id, key: type.key, name: id.slice(type.key.length + 1), type, dialect: type.dialect, tests: [] };
    type.cases.push(item);
    return item;
  });
  // dialect/type/name~rule:op
  const parsed = (id) => {
    const colon = id.lastIndexOf(":");
    const [of, ...rules] = id.slice(0, colon).split("~");
    return { of, rule: rules.join("~"), op: id.slice(colon + 1) };
  };
  const replied = ({ value, bytes, refused, unsupported } = {}) =>
    value?.json ?? bytes ?? (refused != null ? "refused: " + refused : unsupported != null ? "unsupported: " + unsupported : "");

  for (const { name, engines, types, names } of record[0].dialects) {
    dialectOf(name).title = engines ? `${engines} (${name})` : name;
    types.forEach((layout, id) => { const type = typeOf(name + "/" + layout, id); type.label = names?.[id] || type.label; });
  }
  let judged = 0;
  for (const line of record) {
    if (line.kind === "tally") typeOf(line.type).variants += line.pass;
    if (line.kind !== "verdict") continue;
    const { of, rule, op } = parsed(line.test);
    const item = caseOf(of);
    if (!rule || !item.class) item.class = line.class;
    const place = causeOf.get(line.test);
    const word = line.verdict + (line.reason ? "/" + line.reason : "");
    item.tests.push({ ...line, rule, op, place, word, mark: explained.marks[judged], cause: causes[place] });
    judged += 1;
  }
  const order = new Intl.Collator("en", { numeric: true });
  const cases = dialects.flatMap((dialect) => dialect.types).flatMap((type) => type.cases);
  for (const item of cases) item.tests.sort((a, b) => order.compare(a.rule, b.rule) || order.compare(a.op, b.op));
  const label = (type) => (type.id == null ? type.label : type.id + " " + type.label);
  const worst = (tests) => RANK.find((name) => tests.some((test) => test.mark === name)) || "none";
  const direction = (op) => (op === "decode" ? "decode" : "encode");
  const isProblem = (test) => ["fail", "warning", "known", "not-run"].includes(test.mark) && test.word !== "declared-loss";
  const haystack = (test) => {
    if (test.hay == null) {
      const { sent, rule, note, place, noise } = test.detail || {};
      test.hay = [test.test, test.word, test.field, test.erratum, test.cause?.id, test.cause?.headline, sent, replied(test.reply), rule, note, place, noise]
        .join("\n").toLowerCase();
    }
    return test.hay;
  };

  // -- filters ---------------------------------------------------------------------------------------

  const controls = { q: byId("q"), show: byId("f-show"), by: byId("f-by"), type: byId("f-type"), op: byId("f-op"), class: byId("f-class"),
    erratum: byId("f-error"), variants: byId("f-variants") };
  const everyTest = cases.flatMap((item) => item.tests);
  const counted = (keys) => {
    const counts = new Map();
    for (const key of keys) if (key) counts.set(key, (counts.get(key) || 0) + 1);
    return counts;
  };
  const option = (value, label) => h("option", { value }, label);
  const problems = everyTest.filter(isProblem).length;
  controls.show.append(option("problems", `problems (${problems})`), option("", `everything (${everyTest.length})`));
  const words = counted(everyTest.map((test) => test.word));
  [...words].sort((a, b) => b[1] - a[1]).forEach(([word, n]) => controls.show.append(option(word, `${word} (${n})`)));
  controls.type.append(option("", "all"));
  for (const dialect of dialects) {
    const many = dialects.length > 1;
    const home = many ? h("optgroup", { label: dialect.title || dialect.name }) : controls.type;
    if (many) {
      home.append(option(dialect.name, "all of " + (dialect.title || dialect.name)));
      controls.type.append(home);
    }
    for (const type of dialect.types) home.append(option(type.key, label(type)));
  }
  controls.class.append(option("", "all"));
  for (const [name, n] of counted(cases.map((item) => item.class))) controls.class.append(option(name, `${name} (${n})`));
  const errata = counted(everyTest.map((test) => test.erratum));
  byId("l-error").hidden = errata.size === 0;
  controls.erratum.append(option("", "any"));
  for (const [name, n] of errata) controls.erratum.append(option(name, `${name} (${n})`));
  const initial = problems > 0 ? "problems" : "";
  byId("l-by").hidden = causes.length === 0;

  // -- the address: what is open, and the filters that are not as they begin --------------------------

  const BEGIN = { q: "", show: initial, by: "", type: "", op: "", class: "", erratum: "" };
  const choose = (wanted) => {
    for (const [name, begin] of Object.entries(BEGIN)) {
      controls[name].value = wanted[name] ?? begin;
      if (controls[name].selectedIndex < 0) controls[name].value = begin;
    }
    controls.variants.checked = wanted.variants !== "no";
  };
  const address = (target) => {
    const chosen = Object.keys(BEGIN).filter((name) => controls[name].value !== BEGIN[name]).map((name) => [name, controls[name].value]);
    if (!controls.variants.checked) chosen.push(["variants", "no"]);
    const filters = chosen.length > 0 ? "?" + new URLSearchParams(chosen) : "";
    return location.pathname + location.search + (target || filters ? "#" + encodeURI(target) + filters : "");
  };
  const remember = (target) => history.replaceState(null, "", address(target));
  const changed = () => {
    if (address("") !== location.pathname + location.search + location.hash) history.pushState(null, "", address(""));
    search();
  };

  choose({});

  const matches = (item, test, wanted) =>
    (wanted.show === "" || (wanted.show === "problems" ? isProblem(test) : test.word === wanted.show)) &&
    (wanted.op === "" || direction(test.op) === wanted.op) &&
    (wanted.variants || !test.rule) &&
    (wanted.erratum === "" || test.erratum === wanted.erratum) &&
    wanted.words.every((word) => haystack(test).includes(word));

  let grouped = []; // by group: {item, tests} that match
  let found = []; // those in no group
  let drawn = 0;
  const search = () => {
    const wanted = { show: controls.show.value, op: controls.op.value, erratum: controls.erratum.value,
      variants: controls.variants.checked, words: controls.q.value.toLowerCase().split(/\s+/).filter(Boolean) };
    const type = controls.type.value;
    const groups = causes.map(() => []);
    const alone = [];
    let tests = 0;
    let items = 0;
    for (const item of cases) {
      if (type && item.key !== type && item.dialect.name !== type) continue;
      if (controls.class.value && item.class !== controls.class.value) continue;
      const hits = item.tests.filter((test) => matches(item, test, wanted));
      for (const place of new Set(hits.map((test) => (controls.by.value ? undefined : test.place)))) {
        (groups[place] || alone).push({ item, place, tests: controls.by.value ? hits : hits.filter((test) => test.place === place) });
      }
      tests += hits.length;
      items += hits.length > 0 ? 1 : 0;
    }
    found = alone;
    grouped = groups;
    byId("count").textContent = `${items} of ${cases.length} cases${dialects.length > 1 ? " × dialects" : ""}, ${tests} of ${everyTest.length} recorded tests`;
    byId("reset").hidden = address("") === location.pathname + location.search;
    const here = type + (wanted.op ? ":" + wanted.op : "");
    for (const row of document.querySelectorAll(".grid tr[data-type]")) {
      row.classList.toggle("here", row.dataset.type === type);
      if (row.dataset.type === type) row.closest("details").open = true;
      for (const link of row.querySelectorAll("td.cell a")) {
        link.parentElement.classList.toggle("here", link.getAttribute("href") === "#" + here);
      }
    }
    byId("list").replaceChildren(...causes.flatMap((group, place) => (grouped[place].length > 0 ? groupRow(group, grouped[place]) : [])));
    const first = byId("list").querySelector(".group");
    if (first) unfold(first);
    drawn = 0;
    draw();
  };
  const reset = () => {
    choose({});
    changed();
  };

  // -- the list --------------------------------------------------------------------------------------

  const draw = (upTo = drawn + PAGE) => {
    const list = byId("list");
    const batch = document.createDocumentFragment();
    for (; drawn < Math.min(upTo, found.length); drawn++) {
      const { item, tests } = found[drawn];
      if (drawn === 0 || found[drawn - 1].item.key !== item.key) batch.append(heading(item));
      batch.append(row(item, tests));
    }
    list.append(batch);
    if (found.length === 0 && list.childElementCount === 0) list.append(nothing());
    byId("more").hidden = drawn >= found.length;
  };
  const nothing = () => {
    const none = problems === 0 && controls.show.value === "problems";
    return h("p", { class: "empty" }, none ? "No problems." : "Nothing matches these filters.");
  };
  const heading = (item) => h("h3", {}, label(item.type),
    dialects.length > 1 ? h("span", {}, item.dialect.title || item.dialect.name) : null,
    item.type.variants ? h("span", {}, item.type.variants + " variants passed") : null);

  // A group: what is wrong, the smallest test that shows it, and its cases.
  const groupRow = (group, entries) => {
    const tests = entries.reduce((sum, entry) => sum + entry.tests.length, 0);
    const of = tests === group.tests.length ? "" : tests + " of ";
    const alone = of ? 0 : group.alone || 0;
    const count = group.tests.length - alone;
    const counted = `${of}${count} test${count === 1 ? "" : "s"}${alone ? `, ${alone} of them sent again alone` : ""}`;
    const types = group.types.slice(0, NAMED).join(", ") + (group.types.length > NAMED ? ` and ${group.types.length - NAMED} more` : "")
      + (group.lesser || "");
    const summary = h("summary", { on: { click: () => node.open || remember("cause/" + group.id) } }, mark(group.mark), h("h3", { class: "name" }, group.headline),
      h("span", { class: "extent" }, h("b", {}, group.weight), h("span", { class: "types" }, types), counted,
        group.proof ? h("span", { class: "proof" }, group.proof) : null, h("code", {}, group.id)));
    const node = h("details", { class: "group", id: "cause/" + group.id }, summary);
    node.addEventListener("toggle", () => node.open && node.draw(FIRST));
    let list = null;
    node.draw = (upTo) => {
      if (!list) {
        list = h("div", { class: "list" });
        node.append(h("div", { class: "body" }, group.types.length > NAMED ? h("p", { class: "facts" }, group.types.join(", ")) : null,
          group.page ? h("p", {}, h("a", { href: group.page }, "The finding in full")) : null, smallest(group), list));
      }
      const shown = list.querySelectorAll(".case").length;
      if (shown >= upTo) return;
      list.lastChild?.tagName === "BUTTON" && list.lastChild.remove();
      list.append(...entries.slice(shown, upTo).map(({ item, tests }) => row(item, tests, true)));
      if (entries.length > upTo) list.append(button(`${entries.length - upTo} more cases`, () => node.draw(upTo + PAGE)));
    };
    return node;
  };
  const unfold = (node) => { node.open = true; node.draw(FIRST); };
  const smallest = (group) => {
    for (const item of cases) {
      const test = item.tests.find((test) => test.cause === group && test.test === group.smallest);
      if (!test) continue;
      const node = article(item, test);
      node.removeAttribute("data-test");
      node.querySelector("h4").prepend(h("code", {}, item.id));
      return node;
    }
    return null;
  };

  const row = (item, tests, named = false) => {
    const ofCase = item.tests.filter((test) => !test.rule);
    const variants = item.tests.filter((test) => test.rule);
    const ways = h("span", { class: "ways" },
      ofCase.map((test) => h("span", { title: test.word }, mark(test.mark), test.op)),
      variants.length > 0 ? h("span", {}, mark(worst(variants)), variants.length + " variants") : null);
    const node = h("details", { class: "case", id: byId(item.id) ? null : item.id, "data-case": item.id },
      h("summary", {}, mark(worst(tests)), h("span", { class: "name" }, named ? h("small", {}, (dialects.length > 1 ? item.key : item.type.label) + " ") : null, item.name),
        h("span", { class: "tag" }, item.class), ways));
    node.item = item;
    node.addEventListener("toggle", () => {
      if (node.open && node.childElementCount === 1) node.append(body(item, tests));
      if (node.open && !opening) remember(item.id);
    });
    return node;
  };

  const body = (item, tests) => {
    const ofCase = item.tests.filter((test) => !test.rule);
    const variants = tests.filter((test) => test.rule);
    const place = item.tests.map((test) => test.detail?.place).find(Boolean);
    return h("div", { class: "body" },
      h("p", { class: "facts" }, h("code", {}, item.id), place && h("span", {}, place),
        copier("copy link", () => location.href.split("#")[0] + "#" + encodeURI(item.id))),
      ofCase.map((test) => article(item, test)),
      variants.length > 0 ? variantsOf(item, variants) : null);
  };

  const variantsOf = (item, variants) => {
    const groups = new Map();
    for (const test of variants) {
      const key = [test.rule.replace(/-?-\d+$/, ""), test.op, test.word].join(" · ");
      groups.set(key, [...(groups.get(key) || []), test]);
    }
    const single = (test) => lazily(test.test, [mark(test.mark), h("code", {}, "~" + test.rule), test.op, h("b", {}, test.word)],
      () => article(item, test));
    return h("div", { class: "variants-of-a-case" },
      h("p", {}, "Variants: made from this case's bytes by a fixed rule."),
      [...groups].map(([key, tests]) => tests.length < 4 ? tests.map(single)
        : lazily(null, [mark(worst(tests)), key, h("b", {}, "× " + tests.length)], () => tests.map(single), tests.map((test) => test.test))));
  };

  // A disclosure whose content is made when it is first opened.
  const lazily = (id, summary, content, holds = []) => {
    const node = h("details", { id, class: "fold" }, h("summary", {}, summary));
    node.holds = holds;
    node.fill = () => { if (node.childElementCount === 1) node.append(h("div", {}, content())); };
    node.addEventListener("toggle", () => node.open && node.fill());
    return node;
  };

  // -- one test ---------------------------------------------------------------------------------------

  const article = (item, test) => {
    const detail = test.detail;
    const id = test.test;
    const node = h("article", { class: "test " + test.mark, "data-test": id },
      h("h4", {}, mark(test.mark), test.op + ":", h("b", {}, test.word), test.expected_failure ? h("span", { class: "tag" }, "fails (known)") : null,
        test.level === "should" ? h("span", { class: "tag" }, "good practice, not required") : null,
        test.erratum ? h("span", { class: "tag" }, "documentation error " + test.erratum) : null,
        h("a", { href: "#" + encodeURI(id), title: "link to this test", "aria-label": "link to " + id }, "#")),
      why(test));
    if (!detail) {
      if (test.word === "pass") node.append(h("p", { class: "why" }, item.class === "invalid" ? "Refused, as it must be." : test.op === "decode" ? "Read as the value in the case." : "Written as the bytes in the case."));
      if (test.word === "not-supported") node.append(h("p", { class: "why" }, "Not run: the implementation does not support it."));
      node.append(again(id, test));
      return node;
    }
    if (detail.expected.length > 0 || detail.actual.length > 0) node.append(comparison(test, detail));
    if (detail.rule) node.append(h("p", { class: "rule" }, h("b", {}, "Rule: "), detail.rule, inDocument(detail)));
    if (detail.sent) node.append(box(detail.objects ? "sent, with objects allowed" : "sent", detail.sent));
    if (detail.packet) node.append(lazily(null, ["what was sent, field by field"], () => oneSided(detail.packet)));
    if (replied(test.reply)) node.append(box("reply", replied(test.reply)));
    if (detail.noise) node.append(box("stderr and stray output", detail.noise));
    node.append(again(id, test));
    return node;
  };
  // A record may come from anybody.
  const inDocument = ({ document: address }) =>
    /^https:\/\//.test(address || "") ? h("span", {}, " ", h("a", { href: address, rel: "noreferrer" }, "In the document")) : null;

  const why = (test) => {
    const at = test.at == null ? "" : " at byte " + test.at;
    const sentences = [];
    if (test.field) sentences.push("First differs", at, ": ", h("b", {}, test.field), ". ");
    else if (at) sentences.push("First differs" + at + ". ");
    if (test.detail?.note) sentences.push(test.detail.note + ". ");
    if (test.length_not_told) sentences.push("The consumed length was not reported, so it was not checked. ");
    if (test.losses) sentences.push("Declared loss: " + test.losses.join(", ") + ". ");
    if (test.like?.length) sentences.push("Replies like " + test.like.join(", ") + ". ");
    return sentences.length > 0 ? h("p", { class: "why" }, sentences) : null;
  };
  const box = (title, said) => h("div", { class: "box" }, h("h5", {}, title), h("pre", { class: "says", tabindex: "0" }, said));
  const again = (id, test) => {
    // What fails only after other requests passes alone.
    const all = test.word === "order-dependent" || test.cause?.id === explained.of_order;
    const command = all ? explained.again.all : explained.again.before + "'" + id.replaceAll("'", "'\\''") + "'" + explained.again.after;
    return h("div", { class: "box" }, h("h5", {}, all ? "re-run all tests" : "re-run just this test"),
      h("div", { class: "again" }, h("pre", { class: "says", tabindex: "0" }, command), copier("copy", () => command)));
  };
  const copier = (label, what) => button(label, async (event) => {
    const it = event.currentTarget;
    try {
      await navigator.clipboard.writeText(what());
      it.textContent = "copied";
    } catch {
      it.textContent = "select and copy it by hand";
    }
    setTimeout(() => { it.textContent = label; }, 1500);
  });

  // -- two listings ------------------------------------------------------------------------------------

  const comparison = (test, { expected, actual }) => {
    const sentences = [expected, actual].some((side) => typeof side === "string");
    if (!sentences) return table(pairs(expected, actual), test);
    const side = (said) => typeof said === "string" ? h("pre", { class: "says" }, said) : oneSided(said);
    return h("div", { class: "sides" },
      h("div", {}, h("h5", {}, "expected"), side(expected)), h("div", {}, h("h5", {}, "actual"), side(actual)));
  };
  // Rows of one field side by side, by the longest common sequence of names; where one side lacks the field, it has none.
  const pairs = (expected, actual) => {
    const common = Array.from({ length: expected.length + 1 }, () => new Uint16Array(actual.length + 1));
    for (let i = expected.length - 1; i >= 0; i--) {
      for (let j = actual.length - 1; j >= 0; j--) {
        common[i][j] = expected[i].name === actual[j].name ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    const rows = [];
    let i = 0;
    let j = 0;
    while (i < expected.length || j < actual.length) {
      if (expected[i] && expected[i].name === actual[j]?.name) rows.push([expected[i++], actual[j++]]);
      else if (j >= actual.length || (i < expected.length && common[i + 1][j] >= common[i][j + 1])) rows.push([expected[i++], undefined]);
      else rows.push([undefined, actual[j++]]);
    }
    return rows;
  };

  const isPacket = (rows) => rows.some((row) => row?.offset != null);
  const atNarrow = ({ offset }) => offset != null && h("span", { class: "at-narrow", "aria-hidden": "true" }, offset);
  const oneSided = (rows) => {
    const packet = isPacket(rows);
    return h("table", { class: "listing one" }, h("tbody", {}, rows.map((row) => h("tr", {},
      packet ? h("td", { class: "at" }, row.offset) : null, packet ? h("td", { class: "hex" }, row.bytes) : null,
      h("th", { scope: "row", class: "field" }, atNarrow(row), row.name), h("td", {}, row.meaning)))));
  };

  const table = (rows, test) => {
    const packet = isPacket(rows.flat());
    const span = packet ? 3 : 1;
    const head = h("thead", {}, h("tr", {}, h("th", { class: "no" }, h("span", { class: "vh" }, "differs")), h("th", { scope: "col" }, "field"),
      h("th", { scope: "colgroup", colspan: span, class: "left" }, "expected"), h("th", { scope: "colgroup", colspan: span, class: "left" }, "actual")));
    const differs = ([expected, actual]) => !expected || !actual || expected.bytes !== actual.bytes || expected.meaning !== actual.meaning;
    let first = rows.findIndex((pair) => differs(pair) && (pair[0] || pair[1]).name === test.field);
    if (first < 0) first = rows.findIndex(differs);
    const lines = rows.map((pair, index) => line(pair, packet, differs(pair), index === first));
    return h("table", { class: "listing" }, head, h("tbody", {}, folded(lines, rows.map(differs))));
  };
  const line = ([expected, actual], packet, differs, first) => {
    const { name } = expected || actual;
    return h("tr", { class: differs ? (first ? "differs first" : "differs") : "" },
      h("td", { class: "no sign" }, differs ? "≠" : ""),
      h("th", { scope: "row", class: "field" }, atNarrow(expected || actual), name, first ? h("span", { class: "vh" }, " (first difference)") : null),
      half(expected, actual, packet, "expected"), half(actual, expected, packet, "actual"));
  };
  const half = (mine, other, packet, side) => {
    if (!mine) return h("td", { class: "left lacks " + side, colspan: packet ? 3 : 1, "data-side": side }, "missing");
    const differs = other && mine.meaning !== other.meaning;
    const meaning = differs && mine.meaning && (!packet || mine.bytes === other.bytes) ? h("mark", {}, mine.meaning) : mine.meaning;
    if (!packet) return h("td", { class: "left " + side, "data-side": side }, meaning);
    return [h("td", { class: "at left " + side }, mine.offset),
      h("td", { class: "hex " + side, "data-side": side }, marked(mine.bytes, other?.bytes)), h("td", { class: side }, meaning)];
  };
  // Bytes with those that differ marked.
  const marked = (bytes, other) => {
    if (!bytes || !other || bytes === other) return bytes;
    const others = other.split(" ");
    return bytes.split(" ").flatMap((byte, i) => [i ? " " : "", byte === others[i] ? byte : h("mark", {}, byte)]);
  };
  // Long runs of lines alike, but for the ones next to a difference, behind a button.
  const folded = (lines, differ) => {
    const near = (i) => [i - 2, i - 1, i, i + 1, i + 2].some((j) => differ[j]);
    const out = [];
    for (let i = 0; i < lines.length;) {
      let end = i;
      while (end < lines.length && !near(end)) end++;
      if (end - i > FOLD) {
        const hidden = lines.slice(i, end);
        const fold = h("tr", { class: "alike" }, h("td", { colspan: 8 }, h("button", { type: "button", on: { click: () => fold.replaceWith(...hidden) } }, `… ${hidden.length} lines alike`)));
        out.push(fold);
      } else out.push(...lines.slice(i, end));
      if (end < lines.length) out.push(lines[end++]);
      i = end;
    }
    return out;
  };

  // -- links -------------------------------------------------------------------------------------------

  // #cause/id, #dialect, #dialect/type, #dialect/type:decode, #dialect/type/case, #dialect/type/case~rule:decode; what follows a "?" are the filters
  let opening = false;
  const follow = () => {
    const [named, filters] = location.hash.slice(1).split(/\?(.*)/s);
    let target = named;
    try { target = decodeURIComponent(target); } catch { return false; }
    if (!target || filters || target.startsWith("cause/")) {
      choose(Object.fromEntries(new URLSearchParams(filters)));
      search();
      const node = byId(target);
      if (node?.classList.contains("group")) {
        unfold(node);
        node.querySelector("summary").focus({ preventScroll: true });
        node.scrollIntoView({ block: "start" });
        return true;
      }
    }
    if (!target) return true;
    const colon = target.lastIndexOf(":");
    const path = colon < 0 ? target : target.slice(0, colon);
    const op = colon < 0 ? "" : target.slice(colon + 1);
    const [dialect, type, ...rest] = path.split("/");
    const known = dialects.find((each) => each.name === dialect);
    if (!known || (type !== undefined && !known.types.some((each) => each.name === type))) return Boolean(filters);
    const name = rest.join("/").split("~")[0];
    const item = name && cases.find((each) => each.id === [dialect, type, name].join("/"));
    if (filters && item && reveal(item, colon < 0 ? null : target)) return true;
    for (const key of ["q", "class", "erratum"]) controls[key].value = "";
    controls.variants.checked = true;
    controls.type.value = type === undefined ? (dialects.length > 1 ? dialect : "") : dialect + "/" + type;
    controls.op.value = item || !["decode", "encode"].includes(op) ? "" : op;
    const some = cases.some((each) => (!controls.type.value || each.key === controls.type.value || each.dialect.name === controls.type.value) &&
      each.tests.some((test) => isProblem(test) && (!controls.op.value || direction(test.op) === op)));
    // A test that is no problem is found among all, also where the case has problems.
    const fine = item && colon >= 0 && item.tests.some((test) => test.test === target && !isProblem(test));
    controls.show.value = (item ? item.tests.some(isProblem) && !fine : some) ? "problems" : "";
    search();
    if (item) reveal(item, colon < 0 ? null : target);
    else byId("cases-title").scrollIntoView({ block: "start" });
    return true;
  };
  const reveal = (item, test) => {
    const all = [...grouped.flat(), ...found].filter((each) => each.item === item);
    const entry = all.find((each) => each.tests.some((each) => each.test === test)) || all[0];
    if (!entry) return false;
    const home = byId("list").querySelector(`.group[id="${CSS.escape("cause/" + causes[entry.place]?.id)}"]`);
    if (home) unfold(home);
    if (home) home.draw(grouped[entry.place].indexOf(entry) + 1);
    else draw(Math.max(drawn, found.indexOf(entry) + 1));
    const node = [...(home || byId("list")).querySelectorAll(home ? ".case" : ":scope > .case")].find((each) => each.item === item);
    opening = true;
    document.querySelectorAll(".target").forEach((old) => old.classList.remove("target"));
    node.open = true;
    if (node.childElementCount === 1) node.append(body(item, entry.tests));
    let goal = node;
    if (test) {
      for (const group of node.querySelectorAll("details.fold")) {
        if (group.holds.includes(test)) { group.open = true; group.fill(); }
      }
      const single = [...node.querySelectorAll("details.fold")].find((each) => each.id === test);
      if (single) { single.open = true; single.fill(); }
      goal = [...node.querySelectorAll("[data-test]")].find((each) => each.dataset.test === test) || node;
    }
    goal.classList.add("target");
    node.querySelector("summary").focus({ preventScroll: true });
    goal.scrollIntoView({ block: "start" });
    setTimeout(() => { opening = false; }, 0);
    return true;
  };

  // -- keys and the rest --------------------------------------------------------------------------------

  const acts = { "/": () => controls.q.focus(), t: () => window.conformNextTheme() };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "Escape") {
      if (typing) event.target.blur();
      return reset();
    }
    if (typing || !acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  });
  let pending = 0;
  controls.q.addEventListener("input", () => { clearTimeout(pending); pending = setTimeout(() => { remember(""); search(); }, 80); });
  for (const name of ["show", "by", "type", "op", "class", "erratum", "variants"]) controls[name].addEventListener("change", changed);
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("reset").addEventListener("click", reset);
  byId("open-all").addEventListener("click", () => {
    const rows = () => [...document.querySelectorAll(".group, .case")];
    const shut = rows().some((node) => !node.open);
    opening = true;
    if (shut) document.querySelectorAll(".group").forEach((node) => { unfold(node); node.draw(PAGE); });
    for (const node of rows()) node.open = shut;
    setTimeout(() => { opening = false; }, 0);
  });
  byId("more").firstElementChild.addEventListener("click", () => draw());
  new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && draw(), { rootMargin: "800px" }).observe(byId("more"));
  window.addEventListener("beforeprint", () => draw(2000));
  window.addEventListener("hashchange", follow);
  byId("filters").hidden = false;
  if (!follow()) search();
})();

// The explorer: the reference codec as WebAssembly answers, and this shows.
(() => {
  "use strict";
  const element = (name, properties = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (key in made) made[key] = value; else made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  };
  const LONG = 1024;

  /** Calls the program: a request in JSON, a reply in JSON. */
  const caller = (program) => {
    const { memory, request, answer, reply } = program.exports;
    return (asked) => {
      const bytes = new TextEncoder().encode(JSON.stringify(asked));
      // Each call may grow the memory, which makes a new buffer.
      const at = request(bytes.length);
      new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
      const length = answer();
      return new TextDecoder().decode(new Uint8Array(memory.buffer, reply(), length));
    };
  };
  const load = async ({ program, beside }) => {
    if (location.protocol !== "file:") {
      const response = await fetch(program);
      if (!response.ok) throw new Error(`${program}: ${response.status}`);
      return caller((await WebAssembly.instantiate(await response.arrayBuffer())).instance);
    }
    await new Promise((resolve, reject) => {
      document.head.append(element("script", { src: beside, onload: resolve, onerror: () => reject(new Error(`${beside} cannot be read`)) }));
    });
    const bytes = Uint8Array.from(atob(window.conformExplorer), (letter) => letter.charCodeAt(0));
    return caller((await WebAssembly.instantiate(bytes)).instance);
  };

  /** What is behind the `#`: bytes in any form, then `@` and the dialect to show. */
  const linked = () => {
    let text = location.hash.slice(1);
    try { text = decodeURIComponent(text); } catch { /* then it stands as it is */ }
    const at = text.lastIndexOf("@");
    return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
  };

  const explorer = (root, call) => {
    const [paste, file, told, readings, reading] = ["paste", "file", "told", "readings", "reading"].map((id) => document.getElementById(id));
    let bytes = "", wanted = "", shown = null;

    const show = (answer, keep) => {
      readings.replaceChildren();
      reading.replaceChildren();
      readings.hidden = reading.hidden = !!answer.error;
      if (answer.error) {
        told.textContent = paste.value.trim() ? answer.error : "Paste bytes above.";
        told.className = paste.value.trim() ? "wrong" : "";
        return;
      }
      bytes = answer.bytes;
      const size = `${bytes.length / 2} bytes.`;
      if (!keep) told.textContent = [...answer.said, size].join(" ");
      told.className = "";
      shown = answer;
      const good = (one) => one.packets.length > 0 && one.packets.every((packet) => packet.refused === null);
      for (const one of answer.readings) {
        // Rows are all the bytes, so each ends where the next begins.
        const rows = one.packets.flatMap((packet) => packet.rows);
        rows.forEach((row, at) => { row.length = (rows[at + 1]?.offset ?? bytes.length / 2) - row.offset; });
        const button = element("button", { type: "button", className: good(one) ? "good" : "bad", "aria-pressed": "false", title: one.dialects.join(", ") },
          element("b", {}, one.title), " ", element("span", {}, one.line));
        button.addEventListener("click", () => { wanted = one.dialects[0]; choose(one, button); remember(); });
        one.button = button;
        readings.append(button);
      }
      const chosen = answer.readings.find((one) => one.dialects.includes(wanted)) ?? answer.readings[0];
      if (chosen) choose(chosen, chosen.button);
    };

    const remember = () => {
      // A long packet makes no link.
      const hash = bytes.length <= 4096 ? "#" + bytes + (wanted ? "@" + wanted : "") : "#";
      try { history.replaceState(null, "", hash); } catch { /* a page may be opened where that is not allowed */ }
    };

    const explore = (text, keep) => {
      const answer = JSON.parse(call({ op: "explore", text }));
      show(answer, keep);
      if (!answer.error) remember();
      return answer;
    };

    /** Puts bytes in hex into the place of others. */
    const splice = (at, length, hex) => {
      const next = bytes.slice(0, at * 2) + hex + bytes.slice((at + length) * 2);
      paste.value = next.match(/../g)?.join(" ") ?? "";
      explore(next, true);
    };

    const choose = (one, button) => {
      for (const other of readings.children) other.setAttribute("aria-pressed", String(other === button));
      const parts = [];
      if (one.oddities.length) parts.push(element("p", { className: "odd" }, "Odd: " + one.oddities.join("; ") + ". An engine of this version did not write that."));
      parts.push(grid(one));
      for (const [index, packet] of one.packets.entries()) parts.push(packetView(one, packet, index));
      if (one.more) parts.push(element("p", { className: "soft" }, `${one.more} more packets.`));
      if (one.trailing) parts.push(element("p", { className: "odd" }, `${one.trailing} bytes after the last packet.`));
      for (const note of shown.notes) parts.push(element("p", { className: "soft" }, note));
      reading.replaceChildren(...parts);
    };

    /** The bytes, four in a word. */
    const grid = (one) => {
      const box = element("div", { className: "hexes", role: "group", "aria-label": "Bytes: arrow keys move, Enter changes one" });
      const rows = one.packets.flatMap((packet) => packet.rows);
      const field = (at) => rows.find((row) => at >= row.offset && at < row.offset + row.length);
      const count = Math.min(bytes.length / 2, LONG);
      // Words are those of the packet, so that each number is in one.
      const starts = new Set(one.packets.map((packet) => packet.offset));
      let word = null, since = 0;
      for (let at = 0; at < count; at += 1) {
        if (!word || since % 4 === 0 || starts.has(at)) { word = element("span", { className: "word" }); box.append(word, " "); since = 0; }
        since += 1;
        const hex = bytes.slice(at * 2, at * 2 + 2);
        const row = field(at);
        const button = element("button", { type: "button", tabIndex: at === 0 ? 0 : -1, title: `byte ${at}${row ? ": " + row.name : ""}` }, hex);
        button.setAttribute("aria-label", `${hex}, byte ${at}${row ? ", " + row.name : ""}`);
        button.dataset.at = at;
        word.append(button);
      }
      if (bytes.length / 2 > LONG) box.append(element("span", { className: "soft" }, `${bytes.length / 2 - LONG} more bytes`));
      const byteOf = (event) => event.target.closest("button[data-at]");
      const over = (event) => { const button = byteOf(event); light(button ? field(+button.dataset.at) : null); };
      box.addEventListener("mouseover", over);
      box.addEventListener("focusin", over);
      box.addEventListener("mouseleave", () => light(null));
      box.addEventListener("click", (event) => { const button = byteOf(event); if (button) edit(button); });
      box.addEventListener("keydown", (event) => {
        const button = byteOf(event);
        const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 4, ArrowUp: -4 }[event.key];
        if (!button || !step) return;
        event.preventDefault();
        const next = box.querySelector(`[data-at="${+button.dataset.at + step}"]`);
        if (next) { button.tabIndex = -1; next.tabIndex = 0; next.focus(); }
      });
      return box;
    };

    const edit = (button) => {
      const at = +button.dataset.at;
      const input = element("input", { className: "byte", value: button.textContent, maxLength: 2, "aria-label": `byte ${at}, two hex digits` });
      let ended = false;
      const done = (apply) => {
        // What replaces it also takes its focus.
        if (ended) return;
        ended = true;
        const hex = input.value.toLowerCase();
        input.replaceWith(button);
        if (apply && /^[0-9a-f]{2}$/.test(hex) && hex !== button.textContent) {
          splice(at, 1, hex);
          reading.querySelector(`[data-at="${at}"]`)?.focus();
        } else button.focus();
      };
      input.addEventListener("keydown", (event) => {
        if (event.key === "Enter") { event.preventDefault(); done(true); }
        if (event.key === "Escape") done(false);
      });
      input.addEventListener("blur", () => done(true));
      button.replaceWith(input);
      input.focus();
      input.select();
    };

    /** Marks the bytes and the row of a field. */
    const light = (row) => {
      for (const lit of reading.querySelectorAll(".lit")) lit.classList.remove("lit");
      if (!row) return;
      for (let at = row.offset; at < Math.min(row.offset + row.length, LONG); at += 1) reading.querySelector(`[data-at="${at}"]`)?.classList.add("lit");
      reading.querySelector(`tr[data-field="${row.offset}"]`)?.classList.add("lit");
    };

    const packetView = (one, packet, index) => {
      const many = one.packets.length > 1;
      const table = element("tbody");
      for (const row of packet.rows) {
        const tr = element("tr", {}, element("td", { className: "num" }, String(row.offset)), element("td", { className: "hex" }, row.bytes ?? ""),
          element("th", { scope: "row" }, row.name), element("td", { className: "wrap" }, row.meaning ?? ""));
        tr.dataset.field = row.offset;
        tr.addEventListener("mouseenter", () => light(row));
        tr.addEventListener("mouseleave", () => light(null));
        table.append(tr);
      }
      const fields = element("div", { className: "wide", tabIndex: 0, role: "group", "aria-label": `Fields of packet ${index + 1}` },
        element("table", { className: "bytes" }, table));
      const view = element("div", { className: "packet" });
      if (many) view.append(element("h2", {}, packet.name ?? `Packet ${index + 1}`));
      view.append(fields);
      if (packet.refused !== null) view.append(element("p", { className: "wrong" }, `Refused: ${packet.refused}.`));
      if (packet.permission !== null) view.append(element("p", { className: "soft" }, packet.permission));
      if (packet.value !== null) {
        const id = `value-${index}`;
        const value = element("textarea", { id, rows: Math.min(10, 1 + Math.floor(packet.value.length / 70)), spellcheck: false, value: packet.value });
        const wrong = element("p", { className: "wrong", role: "status" });
        value.addEventListener("change", () => {
          const answer = JSON.parse(call({ op: "encode", value: value.value, dialect: one.dialects[0] }));
          if (answer.error) { wrong.textContent = answer.error; return; }
          const length = answer.bytes.length / 2;
          wanted = one.dialects[0];
          if (!one.framing) { splice(packet.offset, packet.length, answer.bytes); return; }
          const prefix = new DataView(new ArrayBuffer(4));
          prefix.setUint32(0, length, one.framing === "u32le");
          const hex = [...new Uint8Array(prefix.buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
          splice(packet.offset - 4, packet.length + 4, hex + answer.bytes);
        });
        view.append(element("label", { htmlFor: id }, "Value as JSON: edit it to change the bytes"), value, wrong);
      }
      if (packet.literal !== null) {
        view.append(element("p", { className: "soft" }, "In a script of Godot"), element("pre", { tabIndex: 0, "aria-label": "In a script of Godot" }, packet.literal));
      }
      return view;
    };

    const begin = () => {
      const [text, dialect] = linked();
      wanted = dialect;
      if (text) paste.value = /^[0-9a-f]+$/i.test(text) ? text.match(/..?/g).join(" ") : text;
      explore(paste.value);
    };
    paste.addEventListener("input", () => { wanted = ""; explore(paste.value); });
    const open = async (chosen) => {
      if (!chosen) return;
      if (chosen.size > 1 << 20) { told.textContent = "This is more than 1 MB: select the part that you want."; told.className = "wrong"; return; }
      const data = new Uint8Array(await chosen.arrayBuffer());
      paste.value = [...data].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
      wanted = "";
      explore(paste.value);
    };
    file.addEventListener("change", () => open(file.files[0]));
    root.addEventListener("dragover", (event) => event.preventDefault());
    root.addEventListener("drop", (event) => { event.preventDefault(); open(event.dataTransfer.files[0]); });
    window.addEventListener("hashchange", begin);
    begin();
    root.dataset.ready = "";
  };

  document.addEventListener("DOMContentLoaded", async () => {
    for (const form of document.querySelectorAll("form[data-explorer]")) {
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        location.href = "explorer.html#" + encodeURIComponent(form.elements.bytes.value.trim());
      });
    }
    const root = document.getElementById("explorer");
    if (!root) return;
    const started = performance.now();
    try {
      const call = await load(root.dataset);
      window.conformCall = call;
      explorer(root, call);
      root.dataset.took = Math.round(performance.now() - started);
    } catch (error) {
      document.getElementById("told").textContent = `The explorer could not be loaded: ${error.message}.`;
    }
  });
})();

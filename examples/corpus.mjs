// The corpus in your own test runner: conform export --out corpus.json; node --test corpus.mjs
import { deepEqual, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const corpus = JSON.parse(readFileSync(process.env.CORPUS ?? "corpus.json", "utf8"));
const { ids } = corpus.dialects.find((dialect) => dialect.name === "godot-3");
const fixed = ["vector2", "rect2", "vector3", "plane", "quaternion", "aabb", "color"];

/** The code under test: a header, and each real as 32 bits. */
const encode = (layout, reals) => {
  const packet = new DataView(new ArrayBuffer(4 + 4 * reals.length));
  packet.setUint32(0, ids[layout], true);
  reals.forEach((real, index) => {
    if (String(real).startsWith("0x")) packet.setUint32(4 + 4 * index, Number(real), true); // bits
    else packet.setFloat32(4 + 4 * index, typeof real === "string" ? Number(real.replace("inf", "Infinity")) : real, true);
  });
  return Buffer.from(packet.buffer);
};

for (const { id, dialect, layout, asks, class: asked, value, bytes } of corpus.cases) {
  if (dialect !== "godot-3" || !fixed.includes(layout) || !asks.encode || asked !== "canonical") continue;
  if (!(layout in value)) continue; // it stands within another type
  test(id, () => deepEqual(encode(layout, value[layout]).toString("hex"), bytes));
}
test("there were cases", () => ok(corpus.cases.length > 1000));

// gd-com, a library for Node.js, on the vectors of Godot 3 for the types that it tells apart. What it does wrong is listed in
// gd-com.known: what is listed must fail, and nothing else may.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { check, same, vectors } from "variant-vectors";

const { getVar, putVar } = createRequire(process.env.GD_COM ?? import.meta.url)("gd-com");
const known = readFileSync(process.env.KNOWN ?? new URL("gd-com.known", import.meta.url), "utf8").split("\n").filter(Boolean);

// What a caller holds, and the vector's form of it.
const SHAPES = { vector2: ["x", "y"], vector3: ["x", "y", "z"] };
const shown = (value, layout) => (layout in SHAPES ? SHAPES[layout].map((field) => value[field]) : value);

for (const layout of ["null", "bool", "int", "float", "string", "vector2", "vector3"]) {
  // A number of JavaScript does not say whether it is an int or a float, and an object not which vector it is.
  const ops = layout === "float" || layout in SHAPES ? ["decode"] : ["decode", "encode"];
  for (const vector of vectors("godot-3", { layouts: [layout], ops, known, lossy: ["nan-payload"] })) {
    const decode = (bytes) => {
      const { value, length } = getVar(bytes);
      return { value: { [layout]: shown(value, layout) }, used: length };
    };
    const encode = ({ [layout]: body }) => putVar(layout === "int" && typeof body === "string" ? BigInt(body) : body);
    test(vector.name, () => check(vector, { decode, encode }));
  }
}

test("reals are compared by their bits, in the precision of their type", () => {
  assert.ok(same({ vector2: [0.1, 0] }, { vector2: [0.10000000149011612, 0] }));
  assert.ok(!same({ vector2: [0, 0] }, { vector2: [-0, 0] }));
  assert.ok(!same({ float: 0.1 }, { float: 0.10000000149011612 }));
  assert.ok(same({ float: NaN }, { float: "nan" }));
  assert.ok(!same({ float: "0x7ff8000000000002" }, { float: "0x7ff8000000000001" }));
  assert.ok(same({ float: "0x7f800001" }, { float: "0x7ff0000020000000" }));
  assert.ok(!same({ vector2: ["0x7fc00001", 0] }, { vector2: ["0x7f800001", 0] }));
  assert.ok(!same({ vector2: [1e300, 0] }, { vector2: ["inf", 0] }));
  assert.ok(same({ array: { items: [] } }, { array: [] }));
  assert.ok(same({ int32_array: [7] }, { array: [{ int: 7 }] }, "", ["packed-as-list"]));
  assert.ok(same({ int: 9007199254740993n }, { int: "9007199254740993" }));
  assert.ok(!same({ string: "1" }, { string: "01" }));
  assert.ok(!same({ array: [] }, { array: [{ null: null }] }));
});

// The test vectors of conform: packets of Godot's binary Variant format, and what a codec must do with each.
//
//   for (const vector of vectors("godot-4.4")) test(vector.name, () => check(vector, { decode, encode }));
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

let read;

export function corpus() {
  if (read) return read;
  const file = (name) => readFileSync(new URL(name, import.meta.url));
  const data = gunzipSync(file("corpus.json.gz"));
  const digest = createHash("sha256").update(data).digest("hex");
  if (digest !== file("corpus.sha256").toString().split(/\s/)[0]) {
    throw new Error("variant-vectors: corpus.json.gz is not what this version was released with; install it again");
  }
  return (read = JSON.parse(data));
}

/** How many variants of the cases `conform run` asks besides. */
export const leftOut = (dialect) => dialectOf(dialect).variants;

/** The dialect of this name, or the newest of this version of an engine: `godot-4.6`, `4.6`. */
function dialectOf(name) {
  const { dialects } = corpus();
  const [, engine, written] = /^([a-z]*)[-_ ]*v?([\d.]+)$/.exec(String(name).toLowerCase()) ?? [];
  const version = (written ?? "").split(".").filter(Boolean).map(Number);
  // Negative if the first is older, as far as both say.
  const order = (one, other) => one.map((part, at) => part - (other[at] ?? part)).find((difference) => difference) ?? 0;
  const has = ({ name: dialect, versions }) =>
    version.length > 0 && versions && dialect.startsWith(`${engine || "godot"}-`) && order(versions[0], version) <= 0 && order(version, versions[1]) <= 0;
  const found = dialects.find((one) => one.name === name) ?? dialects.find(has);
  if (!found) throw new Error(`there is no dialect ${name} here; there are ${dialects.map((one) => one.name).join(", ")}`);
  return found;
}

const LOSSY = ["int-float", "nan-payload", "packed-as-list"];

/** `layouts`: all types that the codec has; what holds another is left out. `known`: names of vectors that it fails, which must
 * fail. `lossy`: what JavaScript or the codec cannot tell apart: `int-float`, `nan-payload`, `packed-as-list`. */
export function vectors(dialect, { layouts, ops, framing = false, objects = false, known: failing = [], lossy = [] } = {}) {
  const { name: spoken, ids } = dialectOf(dialect);
  const tests = new Set(corpus().cases.flatMap(({ id, asks }) => Object.keys(asks).map((op) => `${id}:${op}`)));
  const refuse = (wrong, why) => { if (wrong !== undefined) throw new Error(why(wrong)); };
  refuse(layouts?.find((one) => !(one in ids)), (one) => `there is no layout ${one} in ${spoken}; there are ${Object.keys(ids).join(", ")}`);
  refuse(failing.find((one) => !tests.has(one)), (one) => `there is no test ${one}, so it cannot be known`);
  refuse(lossy.find((one) => !LOSSY.includes(one)), (one) =>
    `the vectors cannot judge lossy ${one}: use \`conform run\` for it; they judge ${LOSSY.join(", ")}`);
  const wanted = ({ dialect: of, holds, ...one }) =>
    of === spoken && (!layouts || holds.every((layout) => layouts.includes(layout))) && (framing || !one.framing) && (objects || !one.objects);
  return corpus().cases.filter(wanted).flatMap((one) =>
    Object.entries(one.asks).filter(([op]) => !ops || ops.includes(op)).map(([op, level]) => ({
      name: `${one.id}:${op}`, id: one.id, op, level, dialect: spoken, layout: one.layout, kind: one.class,
      bytes: Buffer.from(one.bytes ?? "", "hex"), written: Buffer.from(one.written ?? one.bytes ?? "", "hex"),
      value: one.value, used: one.used,
      mask: one.mask && Buffer.from(one.mask, "hex"), framing: one.framing, objects: one.objects ?? false, because: one.because ?? "",
      lossy, known: failing.includes(`${one.id}:${op}`),
    })));
}

export function check(vector, codec) {
  if (!vector.known) return checkOne(vector, codec);
  try {
    checkOne(vector, codec);
  } catch {
    return;
  }
  throw new Error(`${vector.name}: is known to fail, and passes`);
}

function checkOne(vector, { decode, encode }) {
  const fail = (why) => { throw new Error(`${vector.name}: ${why}`); };
  const ask = () => {
    if (vector.op === "encode") return encode(vector.value);
    const decoded = decode(vector.bytes);
    return vector.op === "decode" ? decoded : encode(decoded.value);
  };
  let got;
  try {
    got = ask();
  } catch (error) {
    if (vector.kind === "invalid" || vector.kind === "undecided") return;
    fail(`refused ${vector.bytes.toString("hex")}: ${error.message}`);
  }
  if (vector.kind === "undecided") return;
  if (vector.kind === "invalid") fail(`accepted ${vector.bytes.toString("hex")}; ${vector.because}`);
  if (vector.op === "decode") {
    if (!same(got.value, vector.value, "", vector.lossy)) fail(`read ${JSON.stringify(got.value)}, expected ${JSON.stringify(vector.value)}`);
    if ((got.used ?? vector.used) !== vector.used) fail(`consumed ${got.used} bytes, expected ${vector.used}`);
    return;
  }
  const wrong = (byte, at) => (byte ^ got[at]) & (vector.mask ? vector.mask[at] : 0xff);
  if ((got.length !== vector.written.length || vector.written.some(wrong)) && !allows(vector, decode, got)) {
    fail(`wrote ${Buffer.from(got).toString("hex")}, expected ${vector.written.toString("hex")}`);
  }
}

/** Whether other bytes are no failure: those of the same value where the form is good practice (`should`), or those that differ by
 * what is declared lossy. What they mean, the codec says. */
function allows(vector, decode, got) {
  if (vector.level === "should" && vector.kind !== "canonical") return true;
  try {
    const { value } = decode(got);
    return same(value, vector.value, "", vector.lossy) && (vector.level === "should" || !same(value, vector.value));
  } catch {
    return false; // Also where it cannot decode.
  }
}

const DOUBLE = ["float", "float64_array"];
const EXACT = ["string", "string_array", "byte_array", "node_path", "string_name", "class", "names", "subnames"];
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value) => isObject(value) && "utf8" in value;

/** A container without a type in its short form, and what cannot be told apart in one form. */
function plain(value, lossy) {
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  if (entries.length !== 1) return value;
  const [[layout, body]] = entries;
  if (layout === "items" || layout === "entries") return body;
  if (lossy.includes("int-float") && layout === "int") {
    const int = number(body);
    return typeof int !== "undefined" && Number.isInteger(Number(int)) && BigInt(Number(int)) === BigInt(int) ? { float: Number(int) } : value;
  }
  if (!lossy.includes("packed-as-list") || !layout.endsWith("_array")) return value;
  if (layout === "byte_array") return { array: [...Buffer.from(body, "hex")].map((byte) => plain({ int: byte }, lossy)) };
  const of = layout.slice(0, -"_array".length);
  const element = { int32: "int", int64: "int", float32: "float", float64: "float" }[of] ?? of;
  return Array.isArray(body) ? { array: body.map((one) => plain({ [element]: one }, lossy)) } : value;
}

export function same(given, expected, key = "", lossy = []) {
  [given, expected] = [plain(given, lossy), plain(expected, lossy)];
  if (Array.isArray(expected)) {
    if (!Array.isArray(given)) return false;
    if (["dictionary", "entries"].includes(key) && given.length !== expected.length && lossy.includes("int-float")) expected = joined(expected);
    return given.length === expected.length && expected.every((one, at) => same(given[at], one, key, lossy));
  }
  if (EXACT.includes(key) && !(isObject(expected) && !isText(expected))) return text(given) === text(expected);
  if (isObject(expected) && isObject(given)) {
    const [names, others] = [Object.keys(expected), Object.keys(given)];
    return names.length === others.length && names.every((name) => name in given && same(given[name], expected[name], name, lossy));
  }
  if (typeof expected === "boolean" || typeof given === "boolean" || expected === null || given === null) return given === expected;
  if (given === expected && typeof given === "string") return true;
  const [one, other] = [number(given), number(expected)];
  // An expected `nan` is any NaN, and expected bits are those bits.
  if (Number.isNaN(one) && Number.isNaN(other) && (expected === "nan" || lossy.includes("nan-payload"))) return true;
  if (one === undefined || other === undefined) return false;
  if (typeof one === "bigint" || typeof other === "bigint") {
    return typeof one === typeof other ? one === other : Number.isInteger(Number(one)) && BigInt(one) === BigInt(other);
  }
  if (Number.isInteger(other) && !isBits(given)) return Object.is(one, other);
  return bits(given, key) !== undefined && bits(given, key) === bits(expected, key);
}

/** The pairs as a map keeps them that cannot tell an int from a float: the first key stays, with the last value. */
function joined(pairs) {
  const kept = [];
  for (const [key, value] of pairs) {
    const pair = kept.find(([earlier]) => same(key, earlier, "", ["int-float"]));
    if (pair) pair[1] = value;
    else kept.push([key, value]);
  }
  return kept;
}

const isBits = (value) => typeof value === "string" && /^0x([0-9a-f]{8}){1,2}$/.test(value);

/** The bits of a real in the precision of its type: digits as they are, because a number makes a signalling NaN a quiet one.
 * Undefined for what does not fit. */
function bits(value, key) {
  const buffer = Buffer.alloc(DOUBLE.includes(key) ? 8 : 4);
  const real = number(value);
  if (isBits(value)) {
    if (value.length === 2 + 2 * buffer.length) return value;
    if (key !== "float") return undefined;
    if (Number.isNaN(real)) return `0x${((BigInt(value) >> 31n << 63n) | 0x7ffn << 52n | (BigInt(value) & 0x7fffffn) << 29n).toString(16).padStart(16, "0")}`;
  }
  if (buffer.length === 8) buffer.writeDoubleBE(real);
  else if (Number.isFinite(real) && !Number.isFinite(Math.fround(real))) return undefined;
  else buffer.writeFloatBE(real);
  return `0x${buffer.toString("hex")}`;
}

const text = (value) => (isText(value) ? value.utf8 : Buffer.from(String(value)).toString("hex"));

function number(value) {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value !== "string") return undefined;
  if (/^0x[0-9a-f]{8}$/.test(value)) return Buffer.from(value.slice(2), "hex").readFloatBE();
  if (/^0x[0-9a-f]{16}$/.test(value)) return Buffer.from(value.slice(2), "hex").readDoubleBE();
  const names = { nan: NaN, inf: Infinity, "-inf": -Infinity, "-0": -0 };
  return value in names ? names[value] : /^-?\d+$/.test(value) ? BigInt(value) : undefined;
}

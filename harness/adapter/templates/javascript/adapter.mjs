// An adapter between conform and my-adapter: a line of JSON in, a line of JSON out, until the input ends.
//
// It reads and writes null, bool, int and float by itself. Call your library in `decode` and `encode`. Then add type by
// type to `toJson`, `fromJson` and HELLO.
import { existsSync, realpathSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const DIALECT = "godot-4.4"; // ENGINES; `conform new-adapter --help` names others

const HELLO = {
  protocol: 1, name: "my-adapter", version: "0.1.0", language: "javascript", dialects: [DIALECT],
  ops: ["decode", "encode", "reencode"],
  // Only these are tested. All names, with the engine's names: TYPES
  types: ["null", "bool", "int", "float"],
  ints: "strings", // ints come as {"int":"7"}, since a Number is exact up to 2^53 only
  // Floats come and go as their bits, since JSON has no NaN and no -0.0: {"float":"0x3fe0000000000000"}; those of a Vector2
  // and the like have 8 digits.
  reals: "bits",
  // If it reads and writes whole objects: "options": ["objects"]. A request then says whether they are allowed.
  // put_var and store_var write the length of the packet before it, var_to_bytes does not. Call the functions of your
  // library that do so in `decodeFramed` and `encodeFramed`; if it has none, delete this.
  framing: ["u32le"],
};

/** The library says no to this packet or value: throw it for the errors that your library throws for that. */
class Refused extends Error {}

/** The library's own value of a packet, and how many bytes of it were read. */
function decode(packet) {
  need(packet, 4);
  const header = packet.readUInt32LE(0), wide = (header >>> 16) & 1;
  switch (header & 0xff) {
    case 0:
      return { value: null, used: 4 };
    case 1:
      return { value: need(packet, 8).readUInt32LE(4) !== 0, used: 8 };
    case 2:
      need(packet, wide ? 12 : 8);
      return { value: wide ? packet.readBigInt64LE(4) : BigInt(packet.readInt32LE(4)), used: wide ? 12 : 8 };
    case 3:
      need(packet, wide ? 12 : 8);
      return { value: wide ? packet.readDoubleLE(4) : packet.readFloatLE(4), used: wide ? 12 : 8 };
    default:
      throw new Refused(`type ${header & 0xff}`);
  }
}

/** The packet of the library's own value. */
function encode(value) {
  const packet = Buffer.alloc(12);
  if (value === null) return packet.subarray(0, 4);
  if (typeof value === "boolean") {
    packet.writeUInt32LE(1, 0);
    packet.writeUInt32LE(value ? 1 : 0, 4);
    return packet.subarray(0, 8);
  }
  const isInt = typeof value === "bigint";
  const narrow = isInt ? BigInt.asIntN(32, value) === value : Math.fround(value) === value;
  packet.writeUInt32LE((isInt ? 2 : 3) | (narrow ? 0 : 1 << 16), 0);
  if (isInt) narrow ? packet.writeInt32LE(Number(value), 4) : packet.writeBigInt64LE(value, 4);
  else narrow ? packet.writeFloatLE(value, 4) : packet.writeDoubleLE(value, 4);
  return packet.subarray(0, narrow ? 8 : 12);
}

/** The library's own value as the protocol writes it. */
function toJson(value) {
  if (value === null) return { null: null };
  if (typeof value === "boolean") return { bool: value };
  if (typeof value === "bigint") return { int: String(value) };
  if (typeof value !== "number") throw new TypeError("toJson does not know it");
  const bits = Buffer.alloc(8);
  bits.writeDoubleBE(value);
  return { float: "0x" + bits.toString("hex") };
}

function fromJson(json) {
  if ("null" in json) return null;
  if ("bool" in json) return json.bool === true;
  if ("int" in json) return BigInt(json.int);
  if ("float" in json) return Buffer.from(json.float.slice(2), "hex").readDoubleBE();
  throw new TypeError(`fromJson does not know ${Object.keys(json)}`);
}

function need(packet, bytes) {
  if (packet.length < bytes) throw new Refused("the packet ends too early");
  return packet;
}

function decodeFramed(packet) {
  const length = need(packet, 4).readUInt32LE(0);
  return { value: decode(need(packet, 4 + length).subarray(4, 4 + length)).value, used: 4 + length };
}

function encodeFramed(value) {
  const packet = encode(value), length = Buffer.alloc(4);
  length.writeUInt32LE(packet.length);
  return Buffer.concat([length, packet]);
}

/** Everything in a reply except its seq. */
function answer({ op, dialect, bytes, value, options }) {
  if (!op || !HELLO.ops.includes(op) || dialect !== DIALECT) return { unsupported: `${op} in ${dialect}` };
  const [read, write] = options?.framing ? [decodeFramed, encodeFramed] : [decode, encode];
  try {
    if (op === "encode") return { bytes: write(fromJson(value)).toString("hex") };
    if (!/^([0-9a-f]{2})*$/i.test(bytes)) throw new Error("bytes is not hex"); // Buffer would take what comes before
    const decoded = read(Buffer.from(bytes, "hex"));
    if (op === "reencode") return { bytes: write(decoded.value).toString("hex") };
    return { value: toJson(decoded.value), used: decoded.used };
  } catch (error) {
    if (error instanceof Refused) return { refused: error.message };
    return { unsupported: `internal error: ${error}` }; // never a refusal: that would hide it
  }
}

async function main() {
  // Replies have standard output for themselves: what the library prints goes to standard error.
  const reply = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    let request = null;
    try {
      request = JSON.parse(line);
    } catch {}
    if (request === null || typeof request !== "object" || Array.isArray(request)) continue;
    reply(JSON.stringify(request.op === "hello" ? HELLO : { seq: request.seq, ...answer(request) }) + "\n");
  }
}

export { decode, encode, fromJson, Refused, toJson }; // for tests of your own

const started = process.argv[1] ?? ""; // may be a symbolic link, which the address of this file is not
if (existsSync(started) && import.meta.url === pathToFileURL(realpathSync(started)).href) await main();

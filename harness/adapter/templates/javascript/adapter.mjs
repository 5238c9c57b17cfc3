// An adapter between conform and my-adapter: a line of JSON in, a line of JSON out, until the input ends.
//
// It reads and writes null, bool, int and float by itself. Put your library into `decode` and `encode`, list its types
// in HELLO, and leave the rest as it is.
import { createInterface } from "node:readline";

const HELLO = {
  protocol: 1,
  name: "my-adapter",
  version: "0.1.0",
  language: "javascript",
  dialects: ["godot-3"],
  ops: ["decode", "encode", "reencode"],
  types: ["null", "bool", "int", "float"], // only these are tested
  ints: "strings", // ints come as {"int":"7"}, since a Number is exact up to 2^53 only
  reals: "bits", // floats come as {"float":"0x3fe0000000000000"}, since JSON has no NaN and no infinity
};

/** The library says no to this packet or value: throw it for the errors that your library throws for that. */
class Refused extends Error {}

/** The value of a packet, and how many bytes of it were read. */
function decode(packet) {
  const need = (bytes) => {
    if (packet.length < bytes) throw new Refused("the packet ends too early");
  };
  need(4);
  const header = packet.readUInt32LE(0);
  const wide = (header >>> 16) & 1;
  switch (header & 0xff) {
    case 0:
      return { value: { null: null }, used: 4 };
    case 1:
      need(8);
      return { value: { bool: packet.readUInt32LE(4) !== 0 }, used: 8 };
    case 2:
      need(wide ? 12 : 8);
      return { value: { int: String(wide ? packet.readBigInt64LE(4) : packet.readInt32LE(4)) }, used: wide ? 12 : 8 };
    case 3: {
      need(wide ? 12 : 8);
      const bits = Buffer.alloc(8);
      bits.writeDoubleBE(wide ? packet.readDoubleLE(4) : packet.readFloatLE(4));
      return { value: { float: "0x" + bits.toString("hex") }, used: wide ? 12 : 8 };
    }
    default:
      throw new Refused(`type ${header & 0xff}`);
  }
}

/** The packet of a value. */
function encode(value) {
  const [layout, body] = Object.entries(value)[0];
  switch (layout) {
    case "null":
      return words(0);
    case "bool":
      return words(1, body ? 1 : 0);
    case "int": {
      const number = BigInt(body);
      if (BigInt.asIntN(32, number) === number) return words(2, Number(BigInt.asUintN(32, number)));
      const packet = words(2 | (1 << 16), 0, 0);
      packet.writeBigInt64LE(number, 4);
      return packet;
    }
    case "float": {
      const number = Buffer.from(body.slice(2), "hex").readDoubleBE();
      const single = Object.is(Math.fround(number), number) && !Number.isNaN(number);
      const packet = single ? words(3, 0) : words(3 | (1 << 16), 0, 0);
      if (single) packet.writeFloatLE(number, 4);
      else Buffer.from(body.slice(2), "hex").reverse().copy(packet, 4); // the bits themselves: NaNs keep theirs
      return packet;
    }
    default:
      throw new Refused(`cannot write ${layout}`);
  }
}

function words(...numbers) {
  const packet = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, place) => packet.writeUInt32LE(number, 4 * place));
  return packet;
}

/** Everything in a reply except its seq. */
function answer({ op, dialect, bytes, value }) {
  if (!HELLO.ops.includes(op) || !HELLO.dialects.includes(dialect)) return { unsupported: `${op} in ${dialect}` };
  try {
    if (op === "encode") return { bytes: encode(value).toString("hex") };
    if (!/^([0-9a-f]{2})*$/.test(bytes)) return { unsupported: "`bytes` is not hex" };
    const decoded = decode(Buffer.from(bytes, "hex"));
    return op === "reencode" ? { bytes: encode(decoded.value).toString("hex") } : decoded;
  } catch (error) {
    if (error instanceof Refused) return { refused: error.message };
    return { unsupported: `internal error: ${error}` }; // never a refusal: that would hide it
  }
}

// Replies have standard output for themselves: what the library prints goes to standard error.
const reply = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  let request;
  try {
    request = JSON.parse(line);
  } catch {
    continue;
  }
  if (request === null || typeof request !== "object" || Array.isArray(request)) continue;
  const message = request.op === "hello" ? HELLO : { seq: request.seq, ...answer(request) };
  reply(JSON.stringify(message) + "\n");
}

/** One key, the type, and its body, as in conform's protocol: `{vector2: [-1, 2]}`. */
export type Value = Record<string, unknown>;
export type Op = "decode" | "encode" | "reencode";

/** One question to a codec. */
export interface Vector {
  /** `godot-4.4/vector2/zero:decode` */
  name: string;
  id: string;
  op: Op;
  dialect: string;
  layout: string;
  /** An invalid packet must be refused; with an open one, anything but a crash is right. */
  kind: "canonical" | "readable" | "invalid" | "undecided";
  /** `should` is good practice. */
  level: "must" | "should";
  bytes: Buffer;
  /** What is right to write: the same as `bytes`, unless what was read is sent on in another form. */
  written: Buffer;
  value?: Value;
  /** Bytes consumed. */
  used?: number;
  mask?: Buffer;
  framing?: "u32le" | "u32be";
  objects: boolean;
  because: string;
  known: boolean;
  lossy: Lossy[];
}

export interface Codec {
  /** A value, and the bytes consumed if it knows them; throws to refuse. */
  decode?: (bytes: Buffer) => { value: Value; used?: number };
  encode?: (value: Value) => Uint8Array;
}

/** The corpus, format 1 (`conform export --format schema`). */
export function corpus(): any;
/** What a language or codec cannot tell apart. */
export type Lossy = "int-float" | "nan-payload" | "packed-as-list";
export interface Options {
  /** All types that the codec has: what holds another is left out. */
  layouts?: string[];
  ops?: Op[];
  framing?: boolean;
  objects?: boolean;
  /** Names of vectors that the codec fails: they must fail. */
  known?: string[];
  lossy?: Lossy[];
}
/** The questions about a dialect. Packets with a length prefix, or with objects, are left out unless asked for. */
export function vectors(dialect: string, options?: Options): Vector[];
/** How many variants of the cases `conform run` asks besides. */
export function leftOut(dialect: string): number;
/** Asks the codec; throws an Error where it is wrong, or right where it is known to be wrong. */
export function check(vector: Vector, codec: Codec): void;
/** Whether two values are the same: reals by their bits, in the precision of their type. */
export function same(given: unknown, expected: unknown, key?: string, lossy?: Lossy[]): boolean;

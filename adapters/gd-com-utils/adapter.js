#!/usr/bin/env node
// @gd-com/utils behind the protocol: getVar and putVar, and what a caller of theirs holds in between. Serves two
// versions: the package is that of the folder it is started in.
'use strict'

const where = { paths: [process.cwd()] }
const gdCom = require(require.resolve('@gd-com/utils', where))
const { TYPE } = gdCom
const VERSION = require(require.resolve('@gd-com/utils/package.json', where)).version

const DECODES = ['null', 'bool', 'int', 'float', 'string', 'vector2', 'rect2', 'vector3', 'transform2d', 'plane',
  'quaternion', 'aabb', 'basis', 'transform', 'color', 'node_path', 'dictionary', 'array', 'byte_array', 'int32_array',
  'float32_array', 'string_array', 'vector2_array', 'vector3_array', 'color_array']
const WIDE = TYPE.INT_64_ARRAY ? ['int64_array', 'float64_array'] : []

const HELLO = {
  protocol: 1,
  name: '@gd-com/utils',
  version: VERSION,
  language: 'javascript',
  // As its README says: 5 is for "Godot 4.0 or greater", 4 for "Godot 3.0 or greater".
  dialects: [VERSION.startsWith('5') ? 'godot-4.0' : 'godot-3'],
  ops: ['decode', 'encode', 'reencode'],
  types: {
    decode: [...DECODES, ...WIDE],
    encode: ['null', 'bool', 'int', 'float', 'string', 'vector2', 'rect2', 'vector3', 'plane', 'quaternion', 'aabb', 'color',
      'dictionary', 'array', 'byte_array']
  },
  lossy: ['int-float', 'nan-payload', 'dictionary-order', 'dictionary-keys', 'packed-as-list']
}

require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line)
  const reply = request.op === 'hello' ? HELLO : { seq: request.seq, ...answer(request) }
  process.stdout.write(JSON.stringify(reply) + '\n')
})

// A count is believed, and 64-bit ints are read beyond the end without an error: two billion of them take the memory of the
// machine. No packet has more of them than bytes; then there is no answer, and it is no refusal.
const Long = require(require.resolve('long', where))
const { fromBytesLE } = Long
class Endless extends Error {}
let left = 0
Long.fromBytesLE = (...args) => {
  if (left-- < 0) throw new Endless('it reads more numbers than the packet has bytes, without end')
  return fromBytesLE.apply(Long, args)
}

function answer (request) {
  try {
    return translated(request)
  } catch (error) {
    return { unsupported: String(error) } // nothing that the library said
  }
}

function translated ({ op, bytes = '', value }) {
  const given = op === 'encode' ? build(value) : Buffer.from(bytes, 'hex')
  let decoded
  left = bytes.length / 2
  try {
    // "For complex type you need to pass the type": there is a place for one, that of the outermost value.
    if (op === 'encode') return { bytes: gdCom.putVar(given, NAMES[Object.keys(value)[0]]).toString('hex') }
    decoded = gdCom.getVar(given)
    if (op === 'reencode') return { bytes: gdCom.putVar(decoded.value, NAMES[layoutOf(decoded.value)]).toString('hex') }
  } catch (error) {
    return { [error instanceof Endless ? 'unsupported' : 'refused']: error.message }
  }
  if (isDeep(decoded.value, 200)) throw new Error('nested too deep for JSON; ask for reencode')
  return { value: show(decoded.value), used: decoded.length }
}

// ---- what getVar gave ----

const FIELDS = {
  GodotVector2: ['vector2', 'x', 'y'],
  GodotVector3: ['vector3', 'x', 'y', 'z'],
  GodotRect2: ['rect2', 'coordinate', 'size'],
  GodotTransform2D: ['transform2d', 'x', 'y', 'origin'],
  GodotPlane: ['plane', 'x', 'y', 'z', 'distance'],
  GodotQuat: ['quaternion', 'x', 'y', 'z', 'w'],
  GodotAabb: ['aabb', 'coordinate', 'size'],
  GodotBasis: ['basis', 'x', 'y', 'z'],
  GodotTransform: ['transform', 'x', 'y', 'z', 'origin'],
  GodotColor: ['color', 'r', 'g', 'b', 'a']
}

// No case that is compared has more levels; where the stack ends depends on what ran before.
function isDeep (value, left) {
  if (value === null || typeof value !== 'object' || Buffer.isBuffer(value)) return false
  return left === 0 || Object.values(value).some((inner) => isDeep(inner, left - 1))
}

function show (value) {
  if (value === null) return { null: null }
  if (typeof value === 'boolean') return { bool: value }
  if (typeof value === 'string') return { string: value }
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) && !Object.is(value, -0) ? { int: value } : { float: real(value) }
  }
  if (Buffer.isBuffer(value)) return { byte_array: value.toString('hex') }
  if (Array.isArray(value)) return { array: value.map(show) }
  // A dictionary may have a key `constructor`.
  const kind = Object.getPrototypeOf(value)?.constructor?.name
  // What `long`, which it comes with, makes of 64 bits.
  if (kind === 'Long') return { int: value.toString() }
  const layout = layoutOf(value)
  if (layout) return { [layout]: numbers(value).map(real) }
  return { dictionary: Object.entries(value).map((entry) => entry.map(show)) }
}

// A class says what it is; of a number, whether it was a float is lost.
function layoutOf (value) {
  return FIELDS[Object.getPrototypeOf(Object(value))?.constructor?.name]?.[0]
}

function numbers (value) {
  return typeof value === 'number' ? [value] : FIELDS[value.constructor.name].slice(1).flatMap((name) => numbers(value[name]))
}

// JSON has no names for these, and would make -0 a 0.
function real (number) {
  if (Number.isNaN(number)) return 'nan'
  if (Object.is(number, -0)) return '-0'
  return Number.isFinite(number) ? number : number > 0 ? 'inf' : '-inf'
}

// ---- what a caller would hand to putVar ----

const NAMES = {
  float: TYPE.FLOAT, vector2: TYPE.VECTOR2, rect2: TYPE.RECT2, vector3: TYPE.VECTOR3, plane: TYPE.PLANE, quaternion: TYPE.QUAT,
  aabb: TYPE.AABB, color: TYPE.COLOR
}
const { GodotVector2: V2, GodotVector3: V3 } = gdCom
const BUILD = {
  vector2: (x, y) => new V2(x, y),
  vector3: (x, y, z) => new V3(x, y, z),
  rect2: (x, y, w, h) => new gdCom.GodotRect2(new V2(x, y), new V2(w, h)),
  plane: (x, y, z, d) => new gdCom.GodotPlane(x, y, z, d),
  quaternion: (x, y, z, w) => new gdCom.GodotQuat(x, y, z, w),
  aabb: (x, y, z, w, h, d) => new gdCom.GodotAabb(new V3(x, y, z), new V3(w, h, d)),
  color: (r, g, b, a) => new gdCom.GodotColor(r, g, b, a)
}

function build (json) {
  const [[layout, body]] = Object.entries(json)
  if (layout in BUILD) return BUILD[layout](...body.map(unreal))
  if (['array', 'dictionary'].includes(layout) && !Array.isArray(body)) throw new Error('there are no typed containers')
  if (layout === 'array') return body.map(build)
  // A property name is a text, whatever the key was.
  if (layout === 'dictionary') return Object.fromEntries(body.map(([key, value]) => [String(build(key)), build(value)]))
  if (layout === 'byte_array') return Buffer.from(body, 'hex')
  if (layout === 'string') return typeof body === 'string' ? body : Buffer.from(body.utf8, 'hex').toString()
  if (layout === 'int') return int(body)
  if (layout === 'float') return unreal(body)
  if (layout === 'null' || layout === 'bool') return body
  throw new Error('there is nothing to make a ' + layout + ' with')
}

// A caller holds a BigInt where a number would be another one.
function int (body) {
  const number = Number(body)
  return BigInt(number) === BigInt(body) ? number : BigInt(body)
}

const NAMED = { nan: NaN, inf: Infinity, '-inf': -Infinity }

function unreal (body) {
  if (typeof body === 'number') return body
  const bits = Buffer.from(body.slice(2), 'hex')
  return body in NAMED ? NAMED[body] : bits.length === 8 ? bits.readDoubleBE(0) : bits.readFloatBE(0)
}

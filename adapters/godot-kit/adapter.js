#!/usr/bin/env node
// godot-kit behind the protocol: encodeVariant and decodeVariant of its debugger link, and the values in between.
'use strict'

const { decodeVariant, encodeVariant } = require('godot-kit/lib/protocol.js')

// The names of the types that decodeVariant knows, in the order of their ids.
const DECODES = ['null', 'bool', 'int', 'float', 'string', 'vector2', 'vector2i', 'rect2', 'rect2i', 'vector3', 'vector3i',
  'transform2d', 'vector4', 'vector4i', 'plane', 'quaternion', 'aabb', 'basis', 'transform', 'projection', 'color',
  'string_name', 'node_path', 'rid', 'object', 'callable', 'signal', 'dictionary', 'array', 'byte_array', 'int32_array',
  'int64_array', 'float32_array', 'float64_array', 'string_array', 'vector2_array', 'vector3_array', 'color_array',
  'vector4_array']

const HELLO = {
  protocol: 1,
  name: 'godot-kit',
  version: require('godot-kit/package.json').version,
  language: 'javascript',
  // "Godot 4.6 project", as its README says.
  dialects: ['godot-4.4'],
  engine: '4.6',
  ops: ['decode', 'encode', 'reencode'],
  types: { decode: DECODES, encode: ['null', 'bool', 'int', 'float', 'string', 'dictionary', 'array'] },
  lossy: ['int-float', 'nan-payload', 'dictionary-order', 'dictionary-keys', 'packed-as-list', 'container-types']
}

require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  let request
  try { request = JSON.parse(line) } catch { return }
  if (request === null || typeof request !== 'object' || Array.isArray(request)) return
  const reply = request.op === 'hello' ? HELLO : { seq: request.seq, ...answer(request) }
  process.stdout.write(JSON.stringify(reply) + '\n')
})

// A count is believed, and beyond the end every value is a null: two billion of them take the memory of the machine, or minutes.
// decodeVariant asks for the length of the packet before each value, so it is counted here. Where it is asked too often there is
// no answer, and it is no refusal.
class Endless extends Error {}

function packet (hex) {
  const bytes = Buffer.from(hex, 'hex')
  const { length } = bytes
  if (length !== hex.length / 2) throw new Error('bytes that are not hex')
  let left = length + 1000
  const get = () => {
    if (left-- === 0) throw new Endless('it reads more values than the packet has bytes, without end')
    return length
  }
  return Object.defineProperty(bytes, 'length', { get })
}

function answer (request) {
  try {
    return translated(request)
  } catch (error) {
    return { unsupported: String(error) } // nothing that the library said
  }
}

function translated ({ op, dialect, bytes, value }) {
  if (!HELLO.ops.includes(op) || !HELLO.dialects.includes(dialect)) throw new Error('neither claimed nor known')
  const given = op === 'encode' ? build(value) : packet(bytes)
  let decoded
  try {
    if (op === 'encode') return { bytes: encodeVariant(given).toString('hex') }
    decoded = decodeVariant(given, 0)
    if (op === 'reencode') return { bytes: encodeVariant(decoded.value).toString('hex') }
  } catch (error) {
    return { [error instanceof Endless ? 'unsupported' : 'refused']: error.message }
  }
  if (isDeep(decoded.value, 200)) throw new Error('nested too deep for JSON; ask for reencode')
  return { value: show(decoded.value), used: decoded.size }
}

// ---- what decodeVariant gave: a vector, color or matrix is a plain object, and nothing says that it was one ----

// No case that is compared has more levels; where the stack ends depends on what ran before.
function isDeep (value, left) {
  if (value === null || typeof value !== 'object') return false
  return left === 0 || Object.values(value).some((inner) => isDeep(inner, left - 1))
}

function show (value) {
  if (value === null) return { null: null }
  if (typeof value === 'boolean') return { bool: value }
  if (typeof value === 'string') return { string: value }
  if (typeof value === 'bigint') return isInt64(value) ? { int: value.toString() } : { float: Number(value) } // as an object's id
  if (typeof value === 'number') return number(value)
  if (Array.isArray(value)) return { array: value.map(show) }
  return { dictionary: Object.entries(value).map((entry) => entry.map(show)) }
}

// A number does not say what it was: encodeVariant writes an int if it has no fraction. Beyond 64 bits it is no int.
function number (value) {
  const isInt = Number.isInteger(value) && !Object.is(value, -0) && isInt64(value)
  return isInt ? { int: BigInt(value).toString() } : { float: real(value) }
}

function isInt64 (value) {
  return value >= -(2 ** 63) && value < 2 ** 63
}

// JSON has no names for these, and would make -0 a 0.
function real (number) {
  if (Number.isNaN(number)) return 'nan'
  if (Object.is(number, -0)) return '-0'
  return Number.isFinite(number) ? number : number > 0 ? 'inf' : '-inf'
}

// ---- what a caller would hand to encodeVariant ----

function build (json) {
  const [[layout, body]] = Object.entries(json)
  if (layout === 'array') return (Array.isArray(body) ? body : body.items).map(build)
  if (layout === 'dictionary') {
    // A property name is a text, whatever the key was.
    const entries = Array.isArray(body) ? body : body.entries
    return Object.fromEntries(entries.map(([key, value]) => [String(build(key)), build(value)]))
  }
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

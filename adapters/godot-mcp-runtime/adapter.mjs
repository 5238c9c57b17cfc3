#!/usr/bin/env node
// godot-mcp-runtime behind the protocol: encodeVariant and decodeVariant of its debugger link, and the values in between.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { decodeVariant, encodeVariant } from 'godot-mcp-runtime/dist/utils/godot-variant.js'

const ENCODES = ['null', 'bool', 'int', 'float', 'string', 'array']
const PACKAGE = new URL('node_modules/godot-mcp-runtime/package.json', import.meta.url)

const HELLO = {
  protocol: 1,
  name: 'godot-mcp-runtime',
  version: JSON.parse(readFileSync(PACKAGE)).version,
  language: 'javascript',
  // Its README says "Godot 4.x", and its examples are of 4.4.
  dialects: ['godot-4.4'],
  ops: ['decode', 'encode', 'reencode'],
  types: {
    encode: ENCODES,
    decode: [...ENCODES, 'string_name', 'byte_array', 'int32_array', 'int64_array', 'float32_array', 'float64_array', 'string_array']
  },
  // Its type Variant is `null | boolean | number | string | Variant[]`.
  lossy: ['int-float', 'nan-payload', 'packed-as-list', 'container-types']
}

createInterface({ input: process.stdin }).on('line', (line) => {
  let request
  try { request = JSON.parse(line) } catch { return }
  if (request === null || typeof request !== 'object' || Array.isArray(request)) return
  const reply = request.op === 'hello' ? HELLO : { seq: request.seq, ...answer(request) }
  process.stdout.write(JSON.stringify(reply) + '\n')
})

function answer (request) {
  try {
    return translated(request)
  } catch (error) {
    return { unsupported: String(error) } // nothing that the library said
  }
}

function translated ({ op, dialect, bytes, value }) {
  if (!HELLO.ops.includes(op) || !HELLO.dialects.includes(dialect)) throw new Error('neither claimed nor known')
  const given = op === 'encode' ? build(value) : Buffer.from(bytes, 'hex')
  if (bytes && given.length !== bytes.length / 2) throw new Error('bytes that are not hex')
  let decoded
  try {
    if (op === 'encode') return { bytes: encodeVariant(given).toString('hex') }
    decoded = decodeVariant(given)
    if (op === 'reencode') return { bytes: encodeVariant(decoded).toString('hex') }
  } catch (error) {
    return { refused: error.message }
  }
  return { value: show(decoded) }
}

// ---- what decodeVariant gave ----

function show (value) {
  if (value === null) return { null: null }
  if (typeof value === 'boolean') return { bool: value }
  if (typeof value === 'string') return { string: value }
  if (typeof value === 'number') return number(value)
  if (Array.isArray(value)) return { array: value.map(show) }
  throw new Error('a ' + typeof value)
}

// A number does not say what it was: encodeVariant writes an int if it has no fraction. Beyond 64 bits it is no int.
function number (value) {
  const isInt = Number.isInteger(value) && !Object.is(value, -0) && value >= -(2 ** 63) && value < 2 ** 63
  return isInt ? { int: BigInt(value).toString() } : { float: real(value) }
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

#!/usr/bin/env node
// gd-com behind the protocol: getVar and putVar, and what a caller of theirs holds in between.
'use strict'

const gdCom = require('gd-com')

const DECODES = ['null', 'bool', 'int', 'float', 'string', 'vector2', 'rect2', 'vector3', 'transform2d', 'plane',
  'quaternion', 'aabb', 'basis', 'transform', 'color', 'dictionary', 'array', 'byte_array', 'int32_array',
  'float32_array', 'string_array', 'vector2_array', 'vector3_array', 'color_array']
const ENCODES = ['null', 'bool', 'int', 'float', 'string', 'dictionary', 'array']

const HELLO = {
  protocol: 1,
  name: 'gd-com',
  version: require('gd-com/package.json').version,
  language: 'javascript',
  dialects: ['godot-3'],
  ops: ['decode', 'encode', 'reencode'],
  types: { decode: DECODES, encode: ENCODES },
  lossy: ['int-float', 'nan-payload', 'dictionary-order', 'dictionary-keys', 'packed-as-list']
}

require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line)
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

function translated ({ op, bytes, value }) {
  const given = op === 'encode' ? build(value) : Buffer.from(bytes, 'hex')
  let decoded
  try {
    if (op === 'encode') return { bytes: gdCom.putVar(given).toString('hex') }
    decoded = gdCom.getVar(given)
    if (op === 'reencode') return { bytes: gdCom.putVar(decoded.value).toString('hex') }
  } catch (error) {
    return { refused: error.message }
  }
  if (isDeep(decoded.value, 200)) throw new Error('nested too deep for JSON; ask for reencode')
  return { value: show(decoded.value), used: decoded.length }
}

// ---- what getVar gave: a vector, color or transform is a plain object or a list, and nothing says that it was one ----

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
  return { dictionary: Object.entries(value).map((entry) => entry.map(show)) }
}

// JSON has no names for these, and would make -0 a 0.
function real (number) {
  if (Number.isNaN(number)) return 'nan'
  if (Object.is(number, -0)) return '-0'
  return Number.isFinite(number) ? number : number > 0 ? 'inf' : '-inf'
}

// ---- what a caller would hand to putVar ----

const NAMED = { nan: NaN, inf: Infinity, '-inf': -Infinity }

function build (json) {
  const [[layout, body]] = Object.entries(json)
  if (!ENCODES.includes(layout)) throw new Error('there is nothing to make a ' + layout + ' with')
  if (layout === 'array') return body.map(build)
  // A property name is a text, whatever the key was.
  if (layout === 'dictionary') return Object.fromEntries(body.map(([key, value]) => [String(build(key)), build(value)]))
  if (layout === 'string' && typeof body === 'object') return Buffer.from(body.utf8, 'hex').toString()
  if (layout === 'int') return int(body)
  if (layout !== 'float' || typeof body === 'number') return body
  return body in NAMED ? NAMED[body] : Buffer.from(body.slice(2), 'hex').readDoubleBE(0)
}

// A caller holds a BigInt where a number would be another one.
function int (body) {
  const number = Number(body)
  return BigInt(number) === BigInt(body) ? number : BigInt(body)
}

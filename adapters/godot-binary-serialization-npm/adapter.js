#!/usr/bin/env node
// godot-binary-serialization behind the protocol: get_var and put_var of its PacketPeer, and the values in between.
'use strict'

const { math, misc, PacketPeer } = require('godot-binary-serialization')

// The library prints every error that it swallows, one for each element that a packet promises and lacks. Some packets
// promise billions, and keep it busy for hours: there is no answer to give then, so the adapter ends, which is a crash. It
// counts errors and not seconds, so that a busy machine changes nothing; and wants one request at a time, to lose no other.
const TOO_MANY = 70000
let errors = 0
console.warn = () => { if (++errors > TOO_MANY) process.exit(70) }
Error.stackTraceLimit = 0

const CLASSES = {
  vector2: math.Vector2,
  rect2: math.Rect2,
  vector3: math.Vector3,
  transform2d: math.Transform2D,
  plane: math.Plane,
  quaternion: math.Quat,
  aabb: math.AABB,
  basis: math.Basis,
  transform: math.Transform,
  color: misc.Color
}

const HELLO = {
  protocol: 1,
  name: 'godot-binary-serialization (npm)',
  version: require('godot-binary-serialization/package.json').version,
  language: 'javascript',
  dialects: ['godot-3'],
  ops: ['decode', 'encode', 'reencode'],
  types: ['null', 'bool', 'int', 'float', 'string', ...Object.keys(CLASSES), 'node_path', 'dictionary', 'array'],
  lossy: ['int-float', 'nan-payload', 'dictionary-order', 'dictionary-keys'],
  limits: ['path-names'],
  max_in_flight: 1
}

require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line)
  const reply = request.op === 'hello' ? HELLO : { seq: request.seq, ...answer(request) }
  process.stdout.write(JSON.stringify(reply) + '\n')
})

// `get_var` gives null for what it cannot read, and no length: so does this.
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
  errors = 0
  try {
    if (op === 'encode') return { bytes: PacketPeer.put_var(given).toString('hex') }
    decoded = PacketPeer.get_var(given)
    if (op === 'reencode') return { bytes: PacketPeer.put_var(decoded).toString('hex') }
  } catch (error) {
    return { refused: error.message }
  }
  if (isDeep(decoded, 200)) throw new Error('nested too deep for JSON; ask for reencode')
  return { value: show(decoded) }
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
  if (Array.isArray(value)) return { array: value.map(show) }
  if (value instanceof misc.NodePath) {
    return { node_path: { absolute: value._absolute, names: value._name, subnames: value._subname } }
  }
  const layout = Object.keys(CLASSES).find((name) => value instanceof CLASSES[name])
  if (layout) return { [layout]: value.args.map(real) }
  return { dictionary: Object.entries(value).map((entry) => entry.map(show)) }
}

// JSON has no names for these, and would make -0 a 0.
function real (number) {
  if (Number.isNaN(number)) return 'nan'
  if (Object.is(number, -0)) return '-0'
  return Number.isFinite(number) ? number : number > 0 ? 'inf' : '-inf'
}

function build (json) {
  const [[layout, body]] = Object.entries(json)
  if (layout in CLASSES) return CLASSES[layout].from(body.map(unreal))
  if (layout === 'node_path') return new misc.NodePath(spelled(body))
  if (layout === 'array') return body.map(build)
  // A property name is a text, whatever the key was.
  if (layout === 'dictionary') return Object.fromEntries(body.map(([key, value]) => [String(build(key)), build(value)]))
  if (layout === 'string') return text(body)
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

function text (body) {
  return typeof body === 'string' ? body : Buffer.from(body.utf8, 'hex').toString()
}

// The constructor takes a text, where some names cannot be told apart.
function spelled ({ absolute = false, names = [], subnames = [] }) {
  const parts = [names, subnames].map((list) => list.map(text))
  if (parts.flat().some((name) => name === '' || /[/:]/.test(name))) throw new Error('no text spells this path')
  return (absolute ? '/' : '') + parts[0].join('/') + parts[1].map((name) => ':' + name).join('')
}

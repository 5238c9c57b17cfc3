#!/usr/bin/env node
// What Kaitai Struct generated from `conform document --format kaitai`, behind the protocol: its objects are translated, and nothing more.
'use strict'

const fs = require('fs')
const path = require('path')
const KaitaiStream = require('kaitai-struct/KaitaiStream')

const GENERATED = path.join(__dirname, 'generated')
const DIALECTS = Object.fromEntries(fs.readdirSync(GENERATED).filter((file) => file.endsWith('.js')).map((file) =>
  [path.basename(file, '.js'), Object.values(require(path.join(GENERATED, file)))[0]]))

const HELLO = {
  protocol: 1,
  name: 'kaitai-javascript',
  version: require('kaitai-struct-compiler/package.json').version,
  language: 'javascript',
  dialects: Object.keys(DIALECTS),
  ops: ['decode'],
  lossy: ['nan-payload'],
  options: ['objects'],
  framing: ['u32le']
}

// The names that the compiler gives to the numbers of a value, in the order of meaning.
const AXES = 'xX xY xZ yX yY yZ zX zY zZ'
const FIELDS = {
  vector2: 'x y',
  vector2i: 'x y',
  rect2: 'positionX positionY sizeX sizeY',
  rect2i: 'positionX positionY sizeX sizeY',
  vector3: 'x y z',
  vector3i: 'x y z',
  vector4: 'x y z w',
  vector4i: 'x y z w',
  plane: 'normalX normalY normalZ d',
  quaternion: 'x y z w',
  aabb: 'positionX positionY positionZ sizeX sizeY sizeZ',
  color: 'r g b a',
  transform2d: 'xX xY yX yY originX originY',
  basis: AXES,
  transform: AXES + ' originX originY originZ',
  projection: 'xX xY xZ xW yX yY yZ yW zX zY zZ zW wX wY wZ wW'
}
const ELEMENTS = Object.fromEntries(['vector2', 'vector2i', 'vector3', 'vector3i', 'vector4', 'vector4i', 'color']
  .map((layout) => [layout + '_array', FIELDS[layout]]))

require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const request = parsed(line)
  if (request === null || typeof request !== 'object') return
  const reply = request.op === 'hello' ? HELLO : { seq: request.seq, ...answer(request) }
  process.stdout.write(JSON.stringify(reply) + '\n')
})

function parsed (line) {
  try {
    return JSON.parse(line)
  } catch {
    return null // noise
  }
}

function answer ({ op, dialect, bytes, options }) {
  const Definition = DIALECTS[dialect]
  if (op !== 'decode' || Definition === undefined || typeof bytes !== 'string') return { unsupported: 'not supported' }
  const stream = new KaitaiStream(Uint8Array.from(Buffer.from(bytes, 'hex')).buffer)
  let value
  try {
    value = options?.framing ? new Definition.Frame(stream).packet : new Definition(stream).value
  } catch (error) {
    if (/call stack/.test(error.message)) return { unsupported: error.message } // no word of the definition
    return { refused: error.message }
  }
  try {
    return { value: new Shown(Definition.TypeId).value(value), used: stream.pos }
  } catch (error) {
    return { unsupported: String(error) } // nothing that the generated code said
  }
}

// ---- what the generated code gave ----

class Shown {
  constructor (names) {
    this.names = names
  }

  layout (id) {
    return this.names[id].toLowerCase()
  }

  value ({ type, body, flag1 }) {
    const layout = this.layout(type)
    return { [layout]: body === undefined ? null : this.body(layout, body, flag1) }
  }

  body (layout, body, flag1) {
    if (layout in FIELDS) return numbers(body, FIELDS[layout])
    if (layout in ELEMENTS) return body.items.map((item) => numbers(item, ELEMENTS[layout]))
    switch (layout) {
      case 'bool': return body.value
      case 'int': return integer(flag1 ? body.value64 : body.value32)
      case 'float': return number(body.value)
      case 'string':
      case 'string_name': return text(body.value)
      case 'byte_array': return hex(body.data)
      case 'string_array': return body.items.map(text)
      case 'array': return this.items(body)
      case 'dictionary': return this.pairs(body)
      case 'node_path': return nodePath(body)
      case 'rid': return integer(body.id)
      case 'signal': return { name: text(body.name), object: integer(body.object) }
      case 'object': return this.object(body, flag1)
      case 'typed_array':
      case 'packed_typed_array': return this.typed(body)
      case 'image': return image(body)
      case 'input_event': return inputEvent(body)
      case 'int64_array': return body.items.map(integer)
      default: return body.items.map(number)
    }
  }

  items (body) {
    return withAttributes('items', body.items.map((item) => this.value(item)), { of: this.elementType(body.elementType), shared: body.isShared })
  }

  pairs (body) {
    const pairs = body.pairs.map(({ key, value }) => [this.value(key), this.value(value)])
    const types = { key: this.elementType(body.keyType), value: this.elementType(body.valueType) }
    return withAttributes('entries', pairs, { ...types, shared: body.isShared })
  }

  elementType (given) {
    if (given === undefined) return undefined
    if (given.className) return text(given.className) === '' ? 'object' : { class: text(given.className) } // any class
    if (given.script) return { script: text(given.script) }
    return given.type === 0 ? undefined : this.layout(given.type) // null is no type
  }

  object ({ form }, byId) {
    if (byId) return form.id === 0 ? null : { id: integer(form.id) }
    const name = text(form.class)
    if (name === '') return null
    return { class: name, properties: form.whole.properties.map(({ name, value }) => [text(name), this.value(value)]) }
  }

  typed (body) {
    const { ofClass, ofId } = body
    const of = ofClass ? { class: text(ofClass.body.value) } : this.names[ofId] ? this.layout(ofId) : ofId
    return { of, items: body.items.map((item) => this.value(item)) }
  }
}

// With `attributes`, as far as there are any, a container is written as an object.
function withAttributes (name, elements, attributes) {
  const there = Object.entries(attributes).filter(([, given]) => given)
  return there.length === 0 ? elements : { [name]: elements, ...Object.fromEntries(there) }
}

function numbers (body, fields) {
  return fields.split(' ').map((field) => number(body[field]))
}

// JSON has no names for some numbers, would make -0 a 0, and needs a text beyond 2^53.
function number (given) {
  if (Number.isNaN(given)) return 'nan'
  if (Object.is(given, -0)) return '-0'
  return Number.isFinite(given) ? given : given > 0 ? 'inf' : '-inf'
}

function integer (given) {
  return String(BigInt(given))
}

function text (given) {
  return given.content.text
}

function hex (bytes) {
  return Buffer.from(bytes).toString('hex')
}

function nodePath (body) {
  if (!body.isNew) return { names: [body.oldForm.text] } // the generated code gives it as one text
  const path = { absolute: body.isAbsolute, names: body.names.map(text), subnames: body.subnames.map(text) }
  return body.property ? { ...path, property: text(body.property) } : path
}

function image ({ format, mipmaps, width, height, data }) {
  return { format, mipmaps, width, height, data: hex(data) }
}

function inputEvent ({ type, device, event }) {
  const fields = Object.entries(event ?? {}).filter(([name]) => !name.startsWith('_'))
  return { type, device, ...Object.fromEntries(fields.map(([name, given]) => [snake(name), number(given)])) }
}

function snake (name) {
  return name.replace(/[A-Z]/g, (letter) => '_' + letter.toLowerCase())
}

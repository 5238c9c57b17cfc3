// node kaitai.js FILE.ksy PACKET...: offset and length of every field of each packet, as JSON, by the code that Kaitai's compiler makes.
'use strict'

const fs = require('fs')
const Module = require('module')
const path = require('path')

const home = path.join(__dirname, '../../../../adapters/kaitai-javascript/adapter.js')
const of = Module.createRequire(home)
const KaitaiStream = of('kaitai-struct/KaitaiStream')

const [file, ...packets] = process.argv.slice(2)
main().catch((error) => {
  console.error(error)
  process.exit(1)
})

async function main () {
  const definition = of('yaml').parse(fs.readFileSync(file, 'utf8'))
  const [code] = Object.values(await of('kaitai-struct-compiler').compile('javascript', definition, null, true))
  const generated = new Module(home)
  generated.paths = Module._nodeModulePaths(path.dirname(home))
  generated._compile(code, home)
  const Definition = Object.values(generated.exports)[0]
  console.log(JSON.stringify(packets.map((packet) => {
    const value = new Definition(new KaitaiStream(Uint8Array.from(Buffer.from(packet, 'hex')).buffer))
    value._read()
    return places(value)
  })))
}

// A text is shown as a field of its own, and not by what its parts are.
function places (object) {
  return Object.entries(object._debug).flatMap(([name, debug]) => {
    if (name === 'content' || !object[name]?._debug && !debug.arr) return place(debug)
    return debug.arr ? object[name].flatMap((item, index) => item._debug ? places(item) : place(debug.arr[index])) : places(object[name])
  })
}

function place ({ start, end }) {
  return end > start ? [[start, end - start]] : []
}

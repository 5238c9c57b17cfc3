#!/usr/bin/env node
// node compile.js LANGUAGE FOLDER: compiles each .ksy in a folder, beside it, as DIALECT.EXTENSION. A warning is an error.
'use strict'

const fs = require('fs')
const Module = require('module')
const path = require('path')
const YAML = require('yaml')

const [language, folder] = process.argv.slice(2)
main().catch((error) => {
  console.error(error.message || String(error))
  process.exit(1)
})

async function main () {
  const compiler = strictCompiler()
  for (const file of fs.readdirSync(folder).filter((name) => name.endsWith('.ksy'))) {
    const definition = YAML.parse(fs.readFileSync(path.join(folder, file), 'utf8'))
    const [[name, code]] = Object.entries(await compiler.compile(language, definition, null, false))
    fs.writeFileSync(path.join(folder, path.basename(file, '.ksy') + path.extname(name)), code)
  }
}

// The compiler that npm has keeps its warnings to itself: of all problems it reports the first that is no warning. Here it
// reports the first of any kind.
function strictCompiler () {
  const file = require.resolve('kaitai-struct-compiler')
  const code = fs.readFileSync(file, 'utf8')
  const strict = code.replace(/(Severity\$Warning\$\(\);[^}]*\}[^}]*\};\s*)return \(!\$\$x1\)/, '$1return true')
  if (strict === code) throw new Error('this is another compiler: compile.js does not know how it looks for problems')
  const compiler = new Module(file)
  compiler._compile(strict, file)
  return compiler.exports
}

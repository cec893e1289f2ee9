// written_table.mjs - the table of test/README.md: what an option makes, and who
// reads it.
//
//   node written_table.mjs            prints it
//   node written_table.mjs --write    and puts it there
//
// What the three foreign readers of the tests do is taken from the rules of
// written_readers.mjs.  If a rule does not hold for every cell, the suite
// `written` fails.  What others do, and since when, is cited:
// written_cited.json has it, with its source.  A version is the first release
// that has the change named there.  A cell without either is "unknown".
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { readers, refusedBy, shownBy } from './written_readers.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const BEGIN = '<!-- made by test/interop/written_table.mjs -->'
const END = '<!-- as far as here -->'

// --- who ---------------------------------------------------------------------

const packages = JSON.parse(readFileSync(join(here, 'package.json'))).dependencies
const wasm = createRequire(import.meta.url).resolve('parquet-wasm')
const rust = /parquet-rs version ([\d.]+)/.exec(readFileSync(
  join(dirname(wasm), 'parquet_wasm_bg.wasm'), 'latin1'))?.[1]
const tested = {
  duckdb: `DuckDB ${packages['@duckdb/node-api'].replace(/-.*/, '')}`,
  hyparquet: `hyparquet ${packages.hyparquet}`,
  wasm: `arrow-rs ${rust}`
}
const { sources, cited, since } =
  JSON.parse(readFileSync(join(here, 'written_cited.json')))

// --- what --------------------------------------------------------------------
// cells: those that stand for the option; says: of a reader that shows them as
// something else without the tests' knowing.

const cell = more => ({ type: 'INTEGER', encoding: 'PLAIN', codec: 'zstd',
  version: 1, shape: 'flat', nulls: 'optional', ...more })
const of = (encoding, ...types) => types.map(type => cell({ encoding, type }))
const codec = name => ({ option: `compression: ${name}`,
  cells: [cell({ codec: name })] })

const options = [
  codec('uncompressed'), codec('snappy'),
  codec('gzip'), codec('zstd'), codec('brotli'),
  codec('lz4_raw'),
  { option: 'page_version: 2', cells: [cell({ version: 2 })] },
  { option: 'encoding: PLAIN, RLE_DICTIONARY',
    cells: [...of('PLAIN', 'TEXT'), ...of('RLE_DICTIONARY', 'INTEGER')] },
  { option: 'RLE', cells: of('RLE', 'BOOLEAN') },
  { option: 'DELTA_BINARY_PACKED',
    cells: of('DELTA_BINARY_PACKED', 'INTEGER', 'BIGINT') },
  { option: 'DELTA_LENGTH_BYTE_ARRAY',
    cells: of('DELTA_LENGTH_BYTE_ARRAY', 'TEXT') },
  { option: 'DELTA_BYTE_ARRAY',
    cells: of('DELTA_BYTE_ARRAY', 'TEXT', 'BLOB(5)') },
  { option: 'BYTE_STREAM_SPLIT of FLOAT, DOUBLE',
    cells: of('BYTE_STREAM_SPLIT', 'FLOAT', 'DOUBLE') },
  { option: 'BYTE_STREAM_SPLIT of other types',
    cells: of('BYTE_STREAM_SPLIT', 'INTEGER', 'BIGINT', 'BLOB(5)', 'DECIMAL(38,10)') },
  { option: 'ALP', cells: of('ALP', 'FLOAT', 'DOUBLE') },
  { option: 'float_order: ieee754', cells: of('PLAIN', 'DOUBLE') },
  { option: 'types: integers, FLOAT, DOUBLE, DATE, TEXT, BLOB',
    cells: of('PLAIN', 'TINYINT', 'U64', 'FLOAT', 'DOUBLE', 'DATE', 'TEXT', 'BLOB') },
  { option: 'LIST, MAP, STRUCT',
    cells: ['list of lists', 'map of lists of structs'].map(shape => cell({ shape })) },
  { option: 'DECIMAL, 38 digits and fewer',
    cells: of('PLAIN', 'DECIMAL(9,2)', 'DECIMAL(18,6)', 'DECIMAL(38,10)') },
  { option: 'DECIMAL, 39 digits and more',
    cells: of('PLAIN', 'DECIMAL(50,7)', 'DECIMAL(76,20)') },
  { option: 'FLOAT16',
    cells: of('PLAIN', 'FLOAT16') },
  { option: 'TIME, TIMESTAMP',
    cells: of('PLAIN', 'TIME_MS', 'TIMETZ', 'TIMESTAMP_MS', 'TIMESTAMPTZ', 'TIME_NS',
      'TIMESTAMP_NS') },
  { option: 'TIMETZ_NS, TIMESTAMPTZ_NS', cells: of('PLAIN', 'TIMETZ_NS',
    'TIMESTAMPTZ_NS') },
  { option: 'INT96', cells: of('PLAIN', 'TIMESTAMP_96') },
  { option: 'INTERVAL', cells: of('PLAIN', 'INTERVAL') },
  { option: 'ENUM', cells: of('PLAIN', 'ENUM') },
  { option: 'JSON', cells: of('PLAIN', 'JSON') },
  { option: 'UUID', cells: of('PLAIN', 'UUID') },
  { option: 'BSON', cells: of('PLAIN', 'BSON'), says: { hyparquet: 'as bytes' } },
  { option: 'GEOMETRY, GEOGRAPHY', cells: of('PLAIN', 'GEOMETRY', 'GEOGRAPHY') },
  { option: 'UNKNOWN', cells: of('PLAIN', 'UNKNOWN') }
]

// --- the table ---------------------------------------------------------------

const unique = list => [...new Set(list)]

const linked = ([words, source]) => {
  if (!sources[source]) throw new Error(`no source ${source}`)
  return `[${words}][${source}]`
}

function proven(reader, { option, cells, says }) {
  const said = says?.[reader] ? [says[reader]] : unique(cells.map(c => {
    const rule = refusedBy(reader, c)
    if (rule) return 'no'
    const view = shownBy(reader, c.type)
    return view ? `as ${view.as}`.replace(/^as (without)/, '$1') : 'yes'
  }))
  const from = since[reader][option]
  return `tested: ${said.join(', ')}` +
    (from ? `, ${linked([`since ${from[0]}`, from[1]])}` : '')
}

function citation(reader, { option }) {
  const said = cited[reader].cells[option]
  return said ? linked(said) : 'unknown'
}

// Every line of the file is about an existing option, and is used.
function check() {
  const known = options.map(o => o.option)
  const named = [...Object.values(cited).map(r => r.cells), ...Object.values(since)]
  const strange = named.flatMap(Object.keys).filter(o => !known.includes(o))
  const used = named.flatMap(c => Object.values(c).map(v => v[1]))
  const idle = Object.keys(sources).filter(k => !used.includes(k))
  if (strange.length || idle.length) {
    throw new Error(`written_cited.json: ${[...strange, ...idle].join(', ')}`)
  }
}

export function table() {
  const line = cells => `| ${cells.join(' | ')} |`.replace(/ +\|/g, ' |')
  const others = Object.keys(cited)
  check()
  return [
    line(['', ...readers.map(r => tested[r]), ...others.map(r => cited[r].title)]),
    line(Array(1 + readers.length + others.length).fill('---')),
    ...options.map(o => line([o.option, ...readers.map(r => proven(r, o)),
      ...others.map(r => citation(r, o))])),
    '', ...Object.entries(sources).map(([key, url]) => `[${key}]: ${url}`)
  ].join('\n')
}

const between = text => {
  const from = text.indexOf(BEGIN), to = text.indexOf(END)
  return from < 0 || to < 0 ? undefined : [from + BEGIN.length, to]
}

// For written.mjs: [is it?, what to do].
export function tableIsCurrent(readme) {
  const text = readFileSync(readme, 'utf8'), place = between(text)
  return [place && text.slice(...place).trim() === table(),
    'the table of test/README.md is old: node test/interop/written_table.mjs --write']
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(table())
  if (process.argv[2] === '--write') {
    const readme = join(here, '../README.md')
    const text = readFileSync(readme, 'utf8'), [from, to] = between(text)
    writeFileSync(readme, `${text.slice(0, from)}\n${table()}\n${text.slice(to)}`)
  }
}

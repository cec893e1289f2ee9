// written_table.mjs - the table of the README: what an option makes, and who
// reads it.
//
//   node written_table.mjs            prints it
//   node written_table.mjs --write    and puts it into the README
//
// What the three foreign readers of the tests do is taken from the rules of
// written_readers.mjs, which hold for every cell or fail the suite `written`.
// What others do is cited: the data behind Apache's page on implementations,
// parquet.apache.org/docs/file-format/implementationstatus, as of January 2026;
// and for float_order pola-rs/polars#27893.
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
const cited = { arrow: 'Arrow C++, pyarrow', java: 'parquet-java', polars: 'Polars' }

// --- what --------------------------------------------------------------------
// cells: those that stand for the option; since: [reader, version] of the cited
// page, for the tested ones too; cited: 'yes' where it names no version.

const cell = more => ({ type: 'INTEGER', encoding: 'PLAIN', codec: 'zstd',
  version: 1, shape: 'flat', nulls: 'optional', ...more })
const of = (encoding, ...types) => types.map(type => cell({ encoding, type }))
const codec = (name, more) => ({ option: `compression: ${name}`,
  cells: [cell({ codec: name })], ...more })
const everybody = { arrow: 'yes', java: 'yes', polars: 'yes' }

const options = [
  codec('uncompressed', everybody), codec('snappy', everybody),
  codec('gzip', everybody), codec('zstd', everybody), codec('brotli', everybody),
  codec('lz4_raw', everybody),
  { option: 'page_version: 2', cells: [cell({ version: 2 })], ...everybody },
  { option: 'encoding: PLAIN, RLE_DICTIONARY', ...everybody,
    cells: [...of('PLAIN', 'TEXT'), ...of('RLE_DICTIONARY', 'INTEGER')] },
  { option: 'RLE', cells: of('RLE', 'BOOLEAN'), ...everybody },
  { option: 'DELTA_BINARY_PACKED', since: { duckdb: '1.2.0' }, ...everybody,
    cells: of('DELTA_BINARY_PACKED', 'INTEGER', 'BIGINT') },
  { option: 'DELTA_LENGTH_BYTE_ARRAY', ...everybody,
    cells: of('DELTA_LENGTH_BYTE_ARRAY', 'TEXT') },
  { option: 'DELTA_BYTE_ARRAY', ...everybody,
    cells: of('DELTA_BYTE_ARRAY', 'TEXT', 'BLOB(5)') },
  { option: 'BYTE_STREAM_SPLIT of FLOAT, DOUBLE', since: { wasm: '52.2.0' },
    cells: of('BYTE_STREAM_SPLIT', 'FLOAT', 'DOUBLE'),
    arrow: '16.0.0', java: 'yes', polars: 'yes' },
  { option: 'BYTE_STREAM_SPLIT of other types', since: { wasm: '53.0.0' },
    cells: of('BYTE_STREAM_SPLIT', 'INTEGER', 'BIGINT', 'BLOB(5)', 'DECIMAL(38,10)'),
    arrow: '16.0.0', java: 'yes', polars: 'no' },
  { option: 'ALP', cells: of('ALP', 'FLOAT', 'DOUBLE'), java: 'no', polars: 'no' },
  { option: 'float_order: ieee754', cells: of('PLAIN', 'DOUBLE'),
    polars: 'not 1.41.2' },
  { option: 'types: integers, FLOAT, DOUBLE, DATE, TEXT, BLOB', ...everybody,
    cells: of('PLAIN', 'TINYINT', 'U64', 'FLOAT', 'DOUBLE', 'DATE', 'TEXT', 'BLOB') },
  { option: 'LIST, MAP, STRUCT', ...everybody,
    cells: ['list of lists', 'map of lists of structs'].map(shape => cell({ shape })) },
  { option: 'DECIMAL, 38 digits and fewer', ...everybody,
    cells: of('PLAIN', 'DECIMAL(9,2)', 'DECIMAL(18,6)', 'DECIMAL(38,10)') },
  { option: 'DECIMAL, 39 digits and more', cells: of('PLAIN', 'DECIMAL(76,20)') },
  { option: 'FLOAT16', since: { duckdb: '1.3.0', wasm: '49.0.0' },
    cells: of('PLAIN', 'FLOAT16'), arrow: '15.0.0', java: 'as bytes', polars: 'yes' },
  { option: 'TIME, TIMESTAMP', ...everybody,
    cells: of('PLAIN', 'TIME_MS', 'TIMETZ', 'TIMESTAMP_MS', 'TIMESTAMPTZ', 'TIME_NS',
      'TIMESTAMP_NS') },
  { option: 'TIMETZ_NS, TIMESTAMPTZ_NS', cells: of('PLAIN', 'TIMETZ_NS',
    'TIMESTAMPTZ_NS'), ...everybody },
  { option: 'INT96', cells: of('PLAIN', 'TIMESTAMP_96'), ...everybody },
  { option: 'INTERVAL', cells: of('PLAIN', 'INTERVAL'), arrow: 'yes',
    java: 'as bytes', polars: 'yes' },
  { option: 'ENUM', cells: of('PLAIN', 'ENUM'), arrow: 'no', java: 'yes',
    polars: 'yes' },
  { option: 'JSON', cells: of('PLAIN', 'JSON'), arrow: '18.0.0', java: 'as bytes',
    polars: 'no' },
  { option: 'UUID', cells: of('PLAIN', 'UUID'), arrow: 'no', java: 'yes',
    polars: 'yes' },
  { option: 'BSON', cells: of('PLAIN', 'BSON'), says: { hyparquet: 'as bytes' },
    arrow: 'no', java: 'as bytes', polars: 'no' },
  { option: 'GEOMETRY, GEOGRAPHY', since: { duckdb: '1.4.0', hyparquet: '1.19.0',
    wasm: '57.0.0' }, cells: of('PLAIN', 'GEOMETRY', 'GEOGRAPHY'), arrow: '21.0.0',
  java: '1.16.0', polars: 'yes' },
  { option: 'UNKNOWN', cells: of('PLAIN', 'UNKNOWN'), ...everybody }
]

// --- the table ---------------------------------------------------------------

const unique = list => [...new Set(list)]

function word(reader, { cells, since, says }) {
  if (says?.[reader]) return says[reader]
  const said = unique(cells.map(c => {
    const rule = refusedBy(reader, c)
    if (rule) return rule.wrong ? rule.as : 'no'
    const view = shownBy(reader, c.type)
    return view ? `as ${view.as}`.replace(/^as (without)/, '$1') : 'yes'
  }))
  return said.join(', ') + (since?.[reader] ? `, since ${since[reader]}*` : '')
}

const citation = v => v === undefined ? '' : /^\d/.test(v) ? `since ${v}*` : `${v}*`

export function table() {
  const line = cells => `| ${cells.join(' | ')} |`.replace(/ +\|/g, ' |')
  return [
    line(['', ...readers.map(r => tested[r]), ...Object.values(cited)]),
    line(Array(1 + readers.length + Object.keys(cited).length).fill('---')),
    ...options.map(o => line([o.option, ...readers.map(r => word(r, o)),
      ...Object.keys(cited).map(r => citation(o[r]))]))
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
    'the table of the README is old: node test/interop/written_table.mjs --write']
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(table())
  if (process.argv[2] === '--write') {
    const readme = join(here, '../../README.md')
    const text = readFileSync(readme, 'utf8'), [from, to] = between(text)
    writeFileSync(readme, `${text.slice(0, from)}\n${table()}\n${text.slice(to)}`)
  }
}

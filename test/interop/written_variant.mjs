// written_variant.mjs - VARIANTs of parquet_copy_to in the hands of others,
// shredded in any way: JSON becomes a VARIANT, and a VARIANT of DuckDB, with
// types that JSON does not have, is copied.
//
// Documents differ from row to row as real ones do: most have the same fields,
// some lack one or have another type there.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { read as hyparquet } from './hyparquet_reader.mjs'
import { variant } from './random_variant.mjs'
import { Source } from './random_source.mjs'
import { read as wasm } from './wasm_reader.mjs'

const ROWS = 600, SEEDS = 12, COPIES = 25

// --- documents -----------------------------------------------------------------

const NAMES = ['a', 'b', 'id', 'value', 'typed_value', 'c d', 'ü', 'x.y', 'tags']

const scalars = {
  BIGINT: s => s.pick([s.below(100), -s.below(70000), s.below(2 ** 52)]),
  DOUBLE: s => s.pick(['1.5e10', '-2e-3', '7e0']),
  'DECIMAL(18,2)': s => (s.between(-1e7, 1e7) / 100).toFixed(2),
  TEXT: s => JSON.stringify(s.pick(['', 'x', 'naïve "q"', '日本', 'y'.repeat(90),
    '2024-01-01', 'w' + s.below(50)])),
  BOOLEAN: s => s.chance(0.5)
}

// A kind has a type for `shred` and makes the text of a value.
function kind(s, depth) {
  if (depth > 0 && s.chance(0.5)) return object(s, depth)
  if (depth > 0 && s.chance(0.3)) return array(s, depth)
  const type = s.pick(Object.keys(scalars))
  return { type, of: r => scalars[type](r) }
}

function object(s, depth) {
  const fields = NAMES.filter(() => s.chance(0.45)).map(name => ({ name,
    kind: kind(s, depth - 1), share: s.pick([1, 1, 0.9, 0.4, 0.03]) }))
  const typed = fields.filter(() => s.chance(0.7))
  return {
    type: typed.length ? `STRUCT<${typed.map(f =>
      `"${f.name}" ${s.chance(0.1) ? 'VARIANT' : f.kind.type}`)}>` : 'VARIANT',
    of: r => `{${fields.filter(f => r.chance(f.share)).map(f =>
      `${JSON.stringify(f.name)}:${value(r, f.kind)}`)}}`
  }
}

function array(s, depth) {
  const element = kind(s, depth - 1)
  return { type: `LIST<${element.type}>`, of: r =>
    `[${Array.from({ length: r.below(4) }, () => value(r, element))}]` }
}

const odd = ['null', '{}', '[]', '"odd"', '17', '[null,{"a":1}]', '{"b":{"a":[0.5]}}']
const value = (r, k) => r.chance(0.05) ? r.pick(odd) : k.of(r)

// --- what readers make of them ---------------------------------------------------

// DuckDB and hyparquet do not tell NULL from a Variant that is null.  hyparquet
// 1.31.5 leaves out fields that are null in what is not shredded, computes
// decimals as doubles, and takes fields called value for its own.
function withoutNulls(v) {
  if (Array.isArray(v)) return v.map(withoutNulls)
  if (typeof v === 'number' && !Number.isInteger(v)) return Number(v.toPrecision(12))
  if (v === null || typeof v !== 'object') return v
  if ('$int' in v) return Number(v.$int)
  return Object.fromEntries(Object.entries(v).filter(([, x]) => x !== null)
    .sort(([a], [b]) => a < b ? -1 : 1).map(([k, x]) => [k, withoutNulls(x)]))
}
// DuckDB 1.5.6 writes the decimal 0.5 as .5 there.
const withZeros = text => text.replace(/([[:,]-?|^-?)\.(?=\d)/g, '$10.')
const sorted = v => Array.isArray(v) ? v.map(sorted)
  : v === null || typeof v !== 'object' ? v
    : Object.fromEntries(Object.entries(v).sort(([a], [b]) => a < b ? -1 : 1)
      .map(([k, x]) => [k, sorted(x)]))

function firstDifference(got, wanted) {
  const i = wanted.findIndex((w, i) => JSON.stringify(w) !== JSON.stringify(got[i]))
  return got.length !== wanted.length ? `${got.length} rows`
    : i < 0 ? undefined
      : `row ${i}: ${JSON.stringify(got[i])}, not ${JSON.stringify(wanted[i])}`
}

async function checkDocuments(seed, { writer, folder, test, ask }) {
  const s = new Source(seed), k = kind(s, 3)
  const docs = Array.from({ length: ROWS }, () =>
    s.chance(0.05) ? null : value(s, k))
  const path = join(folder, `documents_${seed}.parquet`)
  writer.db.exec('DROP TABLE IF EXISTS source; CREATE TABLE source(v)')
  const insert = writer.db.prepare('INSERT INTO source VALUES(?)')
  writer.db.transaction(() => docs.forEach(d =>
    insert.run(d === null ? null : String(d))))()
  const wanted = docs.map(d => d === null ? null : JSON.parse(d))
  for (const shred of ['none', 'auto', k.type]) {
    const what = `documents ${seed}, shredded as ${shred}`
    const options = { variant: 'v', row_group_rows: s.pick([100, 250, 1000]),
      page_rows: s.pick([7, 100]), page_version: s.pick([1, 2]) }
    try {
      writer.copy('SELECT * FROM source', path, { ...options, shred: { v: shred } })
    } catch (e) {                    // by chance, no value has a type that is named
      test(/: (\d+) of \1 values are no /.test(e.message), what, e.message)
      continue
    }
    const findings = writer.findings(path)
    test(!findings.length, what, 'parquet_verify', JSON.stringify(findings[0]))
    try {
      const json = (await ask(`SELECT v::JSON FROM read_parquet('${path}')`))
        .map(([t]) => t === null ? null : sorted(JSON.parse(withZeros(t))))
      test(!firstDifference(json, wanted.map(sorted)), what, 'DuckDB',
        firstDifference(json, wanted.map(sorted)))
      if (!docs.some(d => /"(typed_)?value":/.test(d))) {
        const js = (await hyparquet(path)).rows.map(([v]) =>
          v === null || v[0] === 'nothing' ? null : withoutNulls(v[1]))
        const most = wanted.map(withoutNulls)
        test(!firstDifference(js, most), what, 'hyparquet', firstDifference(js, most))
      }
      const arrow = wasm(path).rows
      test(arrow.length === ROWS && arrow.every(([v], i) =>
        (v === null) === (docs[i] === null)), what, 'arrow-rs')
    } catch (e) {
      test(false, what, e.message)
    }
    rmSync(path)
  }
}

// --- copies of DuckDB's ------------------------------------------------------------

// 7 and 7.00 are one value to the specification, of one class.
const short = text => text.replace(/(\.\d*[1-9])0+(?!\d)|\.0+(?!\d)/g, '$1')
  .replace(/^DECIMAL$/, 'INT')

// The widths and scales of integers and decimals may change.
async function checkCopy(seed, { writer, folder, test, ask }) {
  const s = new Source(1000 + seed), v = variant(s)
  const theirs = join(folder, 'theirs.parquet'), ours = join(folder, 'ours.parquet')
  const shredding = v.shredding ? `, SHREDDING {v: '${v.shredding.replaceAll("'", "''")}'}` : ''
  try {
    await ask(`COPY (SELECT i, ${v.of(`hash(i, ${seed})`)} AS v FROM
      range(${ROWS}) r(i)) TO '${theirs}' (FORMAT parquet${shredding})`)
  } catch (e) {
    return                             // not a schema that DuckDB writes
  }
  writer.db.exec(`DROP TABLE IF EXISTS temp.theirs;
    CREATE VIRTUAL TABLE temp.theirs USING parquet('${theirs}')`)
  const shown = async file => (await ask(`SELECT i, v::JSON::TEXT,
      regexp_replace(variant_typeof(v), '^(INT|DECIMAL)[0-9(].*', '\\1')
    FROM read_parquet('${file}') ORDER BY i`))
    .map(row => row.map(x => x && short(withZeros(x))))
  for (const shred of ['none', 'auto']) {
    const what = `copy ${seed} of ${v.shredding}, ${shred}`
    writer.copy('SELECT i, v FROM theirs', ours, { shred, row_group_rows: 250 })
    const findings = writer.findings(ours)
    test(!findings.length, what, 'parquet_verify', JSON.stringify(findings[0]))
    try {
      const [was, is] = await Promise.all([theirs, ours].map(shown))
      test(!firstDifference(is, was), what, firstDifference(is, was))
    } catch (e) {
      test(false, what, e.message)
    }
    rmSync(ours)
  }
  rmSync(theirs)
}

export async function variantFiles(given) {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const db = await instance.connect()
  await db.run("SET TimeZone = 'UTC'")
  const ask = async sql => (await db.runAndReadAll(sql)).getRowsJson()
  for (let seed = 1; seed <= SEEDS; seed++) await checkDocuments(seed, { ...given, ask })
  for (let seed = 1; seed <= COPIES; seed++) await checkCopy(seed, { ...given, ask })
}

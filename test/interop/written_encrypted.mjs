// written_encrypted.mjs - encrypted files of DuckDB in our hands, ours in
// DuckDB's, and columns in the clear in those of readers without keys.
//
// DuckDB writes files with one key only, and of ours it reads those that are
// like that.  Files that it cannot read it has to refuse; one that it reads after
// all fails the test, so that test/README.md is right.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { read as hyparquet } from './hyparquet_reader.mjs'
import { tagged } from './sqlite_reader.mjs'
import { read as wasm } from './wasm_reader.mjs'

const BITS = [128, 192, 256]
const CODECS = ['uncompressed', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4_raw']

// Text, because DuckDB takes one of 16, 24 or 32 characters as the key itself.
// The base64 of a key of 128 bits has 24 characters, and is not decoded there.
const keyOf = (bits, first = 0) => Buffer.from(
  'the quick brown fox jumps over a lazy dog'.slice(first, first + bits / 8))
// Each file has a name of its own: DuckDB keeps parts of files by name and time.
let files = 0
const pathIn = folder => join(folder, `encrypted_${files++}.parquet`)

const text = rows => JSON.stringify(rows, (_, v) =>
  typeof v === 'bigint' ? String(v) : v)

// The row that differs first.
function difference(got, wanted) {
  if (got.length !== wanted.length) {
    return `${got.length} rows, not ${wanted.length}`
  }
  const i = wanted.findIndex((w, i) => text(w) !== text(got[i]))
  return i < 0 ? undefined
    : `row ${i}: ${text(got[i])}, not ${text(wanted[i])}`.slice(0, 400)
}

// A DuckDB of its own, with its keys.
async function open() {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const duck = await instance.connect()
  const ask = async sql => (await duck.runAndReadAll(sql)).getRowsJson()
  await ask("SET force_mbedtls_unsafe = 'true'")     // or it writes nothing
  for (const bits of BITS) {
    await ask(`PRAGMA add_parquet_key('k${bits}', '${keyOf(bits)}')`)
  }
  return ask
}

async function failure(work) {
  try {
    await work()
  } catch (e) {
    return String(e?.message ?? e)
  }
}

const giveKey = (db, name, key) =>
  db.prepare('SELECT parquet_key(?, ?)').pluck().get(name, key)

function oursOf(db, path, options = '') {
  db.exec(`DROP TABLE IF EXISTS temp.enc;
    CREATE VIRTUAL TABLE temp.enc USING parquet('${path}'${options})`)
  return db.prepare('SELECT * FROM temp.enc').safeIntegers().raw().all()
    .map(row => row.map(tagged))
}

// --- files of DuckDB ---------------------------------------------------------

const rowsOfDuckDB = n => `SELECT i, i % 3 = 0 AS flag, (i * 7919 % 100)::SMALLINT
  AS small, i / 7.0 AS real, (i / 7.0)::FLOAT AS float,
  CASE WHEN i % 5 <> 3 THEN 'name ' || i % 37 END AS name,
  (i * 1.25)::DECIMAL(9,2) AS price, DATE '2024-01-01' + i::INTEGER AS day,
  TIMESTAMP '2024-01-01' + to_seconds(i * 61) AS at,
  ('00112233-4455-6677-8899-' || lpad(to_hex(i), 12, '0'))::UUID AS uuid,
  from_hex(lpad(to_hex(i), 8, '0')) AS blob,
  CASE WHEN i % 4 THEN {'a': i, 'b': [i, NULL]} END AS struct,
  CASE WHEN i % 3 THEN ['x' || i, NULL] ELSE [] END AS list,
  MAP {'k' || i: i} AS map
  FROM range(${n}) r(i)`

async function checkTheirs(n, bits, options, { db, folder, test, ask }) {
  const path = pathIn(folder), clear = pathIn(folder)
  const what = `DuckDB's ${n} rows, ${bits} bits, ${options}`
  await ask(`COPY (${rowsOfDuckDB(n)}) TO '${clear}' (FORMAT parquet, ${options})`)
  await ask(`COPY (${rowsOfDuckDB(n)}) TO '${path}' (FORMAT parquet, ${options},
    ENCRYPTION_CONFIG {footer_key: 'k${bits}'})`)
  const wanted = oursOf(db, clear)
  giveKey(db, 'theirs', keyOf(bits))
  for (const named of ['', ', footer_key=theirs']) {
    const d = difference(oursOf(db, path, named), wanted)
    test(!d, what, named, d)
  }
  for (const where of ['i = 2100', "name = 'name 7'", "day > '2024-02-20'"]) {
    const ask = from => db.prepare(`SELECT * FROM ${from} WHERE ${where}`)
      .safeIntegers().raw().all().map(row => row.map(tagged))
    db.exec(`DROP TABLE IF EXISTS temp.clear;
      CREATE VIRTUAL TABLE temp.clear USING parquet('${clear}')`)
    const d = difference(ask('temp.enc'), ask('temp.clear'))
    test(!d, what, where, d)
  }
  const findings = db.prepare('SELECT * FROM parquet_verify(?)').all(path)
  test(!findings.length, what, 'parquet_verify', text(findings[0]))
  giveKey(db, 'theirs', keyOf(bits, 1))
  const said = await failure(() => oursOf(db, path, ', footer_key=theirs'))
  test(/does not authenticate with key theirs/.test(said), what,
    'with another key', said)
  giveKey(db, 'theirs', null)
  test(/parquet_key/.test(await failure(() => oursOf(db, path))), what,
    'without a key')
  rmSync(path)
  rmSync(clear)
}

// --- our files ---------------------------------------------------------------

const SOURCE = `WITH RECURSIVE r(i) AS
  (SELECT 0 UNION ALL SELECT i + 1 FROM r WHERE i < 599)
  SELECT i, i % 3 = 0 AS flag, i / 7.0 AS "real",
    iif(i % 5 <> 3, 'name ' || (i % 37), NULL) AS name,
    CAST(printf('%08d', i) AS BLOB) AS hash, date('2024-01-01', i || ' days') AS day
  FROM r`
const TYPES = { flag: 'boolean', real: 'double', day: 'date' }
const NESTED = SOURCE.replace('day\n', `day,
    json_object('a', i, 'b', iif(i % 2, 'x' || i, NULL)) AS struct,
    json_array(i, NULL, -i) AS list, -i AS last\n`)
const NESTED_TYPES = { ...TYPES, struct: 'struct(a integer, b text)',
  list: 'list(integer)' }
const ONE_PAGE = { row_group_rows: 200, page_rows: 200, page_bytes: '1MB',
  page_version: 1, bloom: false }

const inDuckDB = (ask, path, bits, columns = '*') =>
  ask(`SELECT ${columns} FROM read_parquet('${path}'
  ${bits ? `, encryption_config = {footer_key: 'k${bits}'}` : ''})`)

async function checkOurs(options, bits, { writer, folder, test, ask }) {
  const path = pathIn(folder), clear = pathIn(folder)
  const what = `ours, ${bits} bits, ${JSON.stringify(options)}`
  giveKey(writer.db, 'kf', keyOf(bits))
  writer.copy(SOURCE, clear, { ...ONE_PAGE, types: TYPES, ...options })
  writer.copy(SOURCE, path, { ...ONE_PAGE, types: TYPES, ...options,
    encryption: { footer_key: 'kf' } })
  const d = difference(await inDuckDB(ask, path, bits), await inDuckDB(ask, clear))
  test(!d, what, 'DuckDB', d)
  rmSync(path)
  rmSync(clear)
}

// Why DuckDB cannot read a file of ours.
const refusals = [
  ['pages of version 2', { page_version: 2 }],
  ['two pages in a chunk', { page_rows: 150 }],
  ['an AAD prefix', {}, { aad_prefix: 'trips' }],
  ['AES_GCM_CTR_V1', {}, { algorithm: 'AES_GCM_CTR_V1' }],
  ['a key of a column', {}, { column_keys: { name: 'k1' } }],
  ['a signed footer', {}, { plaintext_footer: true }],
  ['a column in the clear', {}, { clear_columns: ['i'] }],
  ['a Bloom filter, and no dictionary', { bloom: true }]
]

// Some are fatal to DuckDB, so each gets another one.
async function checkRefusals({ writer, folder, test }) {
  giveKey(writer.db, 'kf', keyOf(128))
  giveKey(writer.db, 'k1', keyOf(128, 5))
  for (const [why, options, encryption] of refusals) {
    const path = pathIn(folder)
    writer.copy(SOURCE, path, { ...ONE_PAGE, types: TYPES, ...options,
      encryption: { footer_key: 'kf', ...encryption } })
    const ask = await open()
    test(await failure(() => inDuckDB(ask, path, 128)), 'DuckDB reads a file of ours with', why)
    rmSync(path)
  }
  const path = pathIn(folder)
  writer.copy(NESTED, path, { ...ONE_PAGE, types: NESTED_TYPES,
    encryption: { footer_key: 'kf' } })
  for (const column of ['struct', 'struct.a', 'list']) {
    const ask = await open()
    test(await failure(() => inDuckDB(ask, path, 128, column)),
      'DuckDB reads an encrypted', column)
  }
  const beside = await inDuckDB(await open(), path, 128, 'i + last')
  test(beside.length === 600 && beside.every(([v]) => v === '0'),
    'columns beside encrypted nested ones')
  rmSync(path)
}

// --- readers without keys ----------------------------------------------------

const legacy = { DuckDB: (path, columns, ask) =>
  ask(`SELECT ${columns.map(c => `"${c}"`)} FROM read_parquet('${path}')`),
hyparquet: async (path, columns) => (await hyparquet(path, { columns })).rows }

async function checkLegacy(options, { writer, folder, test, ask }) {
  const path = pathIn(folder), clear = pathIn(folder)
  const columns = ['i', 'real', 'name', 'list']
  const what = `a signed footer, ${JSON.stringify(options)}`
  writer.copy(NESTED, clear, { types: NESTED_TYPES, ...options })
  writer.copy(NESTED, path, { types: NESTED_TYPES, ...options, encryption: {
    footer_key: 'kf', plaintext_footer: true, clear_columns: columns } })
  for (const [name, read] of Object.entries(legacy)) {
    const d = difference(await read(path, columns, ask),
      await read(clear, columns, ask))
    test(!d, what, name, d)
    for (const column of ['hash', 'struct']) {
      test(await failure(() => read(path, [column], ask)), what, name,
        'reads a column without its key', column)
    }
  }
  // It reads every column, whatever is asked for.
  test(await failure(() => wasm(path)), what, 'parquet-wasm reads it')
  rmSync(path)
  rmSync(clear)
}

// --- all of it ---------------------------------------------------------------

export async function encryptedFiles(given) {
  const all = { ...given, db: given.writer.db, ask: await open() }
  for (const [k, codec] of CODECS.entries()) {
    for (const version of ['V1', 'V2']) {
      await checkTheirs(3000, BITS[k % 3],
        `COMPRESSION ${codec}, PARQUET_VERSION ${version}, ROW_GROUP_SIZE 2048`, all)
    }
  }
  for (const n of [0, 1, 2049]) {
    for (const bits of BITS) {
      await checkTheirs(n, bits, 'ROW_GROUP_SIZE 2048, DICTIONARY_SIZE_LIMIT 1', all)
    }
  }
  for (const compression of CODECS) {
    for (const bits of BITS) await checkOurs({ compression }, bits, all)
  }
  for (const encoding of ['PLAIN', 'RLE_DICTIONARY']) {
    await checkOurs({ columns: { i: { encoding }, name: { encoding } } }, 128, all)
  }
  await checkRefusals(all)
  for (const page_version of [1, 2]) {
    for (const compression of CODECS) {
      await checkLegacy({ page_version, compression, page_rows: 50 }, all)
    }
  }
}

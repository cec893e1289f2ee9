// make.mjs - the sample files beside this script, written by other people's
// software from data made here.  Run it only to change them; the files are
// part of the tree and every run writes the same bytes, but for nonces in
// encrypted/.
//
//   bash test/setup.sh build test && node test/samples/make.mjs
//
// duckdb_* come from DuckDB, hyparquet_* from hyparquet-writer; trips.parquet
// and weather/ are what the demo and the tour of the README show.  Together
// they hold what the two writers can do: every type, codec, encoding and kind
// of page, nulls and nesting, indexes and Bloom filters.
import { createRequire } from 'node:module'
import { mkdirSync, rmSync, statSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import zlib from 'node:zlib'

const here = dirname(fileURLToPath(import.meta.url))
const packages = createRequire(join(here, '../interop/package.json'))
const load = name => import(pathToFileURL(packages.resolve(name)).href)
const { DuckDBInstance } = (await load('@duckdb/node-api')).default
const { parquetWriteFile } = await load('hyparquet-writer')

// --- data ------------------------------------------------------------------

function randomFrom(seed) {                 // the same numbers in every run
  let a = seed
  return () => {
    a = a + 0x6d2b79f5 | 0
    let t = Math.imul(a ^ a >>> 15, 1 | a)
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t
    return ((t ^ t >>> 14) >>> 0) / 4294967296
  }
}

const range = (n, f) => Array.from({ length: n }, (_, i) => f(i))
const everyNull = (n, f) => (i => i % n === n - 1 ? null : f(i))
const bytes = (...b) => Uint8Array.from(b)
const words = 'amber birch cedar delta ember fjord grove heath inlet'.split(' ')

// --- DuckDB ------------------------------------------------------------------

const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
const duck = await instance.connect()
await duck.run('SET preserve_insertion_order = true')
await duck.run("SET TimeZone = 'UTC'")

async function copy(name, query, options = '') {
  const path = join(here, name)
  rmSync(path, { recursive: true, force: true })
  await duck.run(`COPY (${query}) TO '${path}'
                  (FORMAT parquet${options && ', ' + options})`)
}

// One expression per type over a row number i; a fifth of the rows is null.
const scalars = {
  boolean: 'i % 3 = 0',
  tinyint: '(i * 17 % 256 - 128)::TINYINT',
  smallint: '(i * 4241 % 65536 - 32768)::SMALLINT',
  integer: '(i * 104729 - 2147483648)::INTEGER',
  bigint: '(i * 1000003 - 9223372036854775807)::BIGINT',
  utinyint: '(i * 5 % 256)::UTINYINT',
  usmallint: '(65535 - i)::USMALLINT',
  uinteger: '(4294967295 - i)::UINTEGER',
  ubigint: '(18446744073709551615 - i::HUGEINT * 300000000000000000)::UBIGINT',
  hugeint: '(i * 1000)::HUGEINT',
  float: "CASE i % 7 WHEN 0 THEN 'nan' WHEN 1 THEN 'inf' WHEN 2 THEN '-0.0' " +
         "ELSE i / 7.0 END::FLOAT",
  double: "CASE i % 9 WHEN 0 THEN 'nan' WHEN 1 THEN '-inf' " +
          "WHEN 2 THEN '-0.0' ELSE i / 7.0 * 1e200 END::DOUBLE",
  decimal_4_1: '(i - 20.5)::DECIMAL(4,1)',
  decimal_9_4: '(i * 1234.5678)::DECIMAL(9,4)',
  decimal_18_0: '(i * 12345678901234)::DECIMAL(18,0)',
  decimal_18_6: '(i * -123456.789012)::DECIMAL(18,6)',
  decimal_38_10: "('1234567890123456789012345678.0123456789'::DECIMAL(38,10)" +
                 ' - i)',
  varchar: "'row ' || i || ' grüße ' || chr(128512)",
  empty_or_long: "repeat('abc', i * i % 50)",
  blob: "from_hex(lpad(to_hex(i * 65537), 8, '0'))",
  enum: "(['red', 'green', 'blue'])[i % 3 + 1]::" +
        "ENUM('red', 'green', 'blue')",
  uuid: "('00112233-4455-6677-8899-' || lpad(to_hex(i), 12, '0'))::UUID",
  date: "DATE '1969-12-15' + i::INTEGER * 400",
  time: "TIME '00:00:00' + to_microseconds(i * 1234567890)",
  timetz: "(TIME '00:00:00' + to_microseconds(i * 1000000007))::TIMETZ",
  timestamp_s: "(TIMESTAMP '1965-01-01' + to_seconds(i * 86399))" +
               '::TIMESTAMP_S',
  timestamp_ms: "(TIMESTAMP '1965-01-01' + to_milliseconds(i * 86399001))" +
                '::TIMESTAMP_MS',
  timestamp: "TIMESTAMP '1965-01-01' + to_microseconds(i * 86399001001)",
  timestamp_ns: "make_timestamp_ns(i * 86399001001007 - 1000000000000)",
  timestamptz: "(TIMESTAMP '2001-02-03' + to_microseconds(i * 123456789))" +
               "::TIMESTAMPTZ",
  interval: "to_months((i % 5)::INTEGER) + to_days((i % 4)::INTEGER) + " +
            "to_milliseconds(i * 100001)",
  bit: "(i * 3)::INTEGER::BIT",
  json: `('{"i":' || i || ',"list":[1,null,"x"]}')::JSON`
}
const scalarColumns = Object.entries(scalars).map(([name, sql]) =>
  `CASE WHEN i % 5 = 4 THEN NULL ELSE ${sql} END AS "${name}"`).join(', ')
const allTypes = n => `SELECT i, ${scalarColumns} FROM range(${n}) r(i)`

await copy('duckdb_types.parquet', allTypes(40), 'COMPRESSION snappy')
await copy('duckdb_types_v2.parquet', allTypes(40),
  'COMPRESSION zstd, PARQUET_VERSION V2')
await copy('duckdb_empty.parquet', allTypes(0))

// Long enough for DuckDB to choose DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_
// ARRAY, BYTE_STREAM_SPLIT and RLE booleans by itself.
await copy('duckdb_encodings_v2.parquet',
  `SELECT i, i * i AS square, (i * 7919 % 100003)::INTEGER AS scattered,
          sin(i) AS double, cos(i)::FLOAT AS float, i % 11 < 5 AS boolean,
          'key-' || lpad((i * 7919 % 100003)::VARCHAR, 6, '0') AS text
   FROM range(500) r(i)`,
  'COMPRESSION uncompressed, PARQUET_VERSION V2, DICTIONARY_SIZE_LIMIT 1')

for (const codec of
  ['uncompressed', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4_raw']) {
  await copy(`duckdb_codec_${codec}.parquet`,
    `SELECT i, (['${words.join("', '")}'])[i % 9 + 1] || i // 50 AS word,
            i * 0.25 AS real
     FROM range(300) r(i)`, `COMPRESSION ${codec}`)
}

// One page of 300 KB, from which a query may want one row.  It compresses to
// few bytes, so that each of them can be changed (test/hostile).
for (const codec of ['snappy', 'gzip', 'zstd', 'brotli', 'lz4_raw']) {
  await copy(`duckdb_large_${codec}.parquet`,
    `SELECT i AS id,
            CASE WHEN i % 50 < 48 THEN repeat('text ', 90) || i // 5 END AS text
     FROM range(700) r(i)`,
    `COMPRESSION ${codec}, DICTIONARY_SIZE_LIMIT 1`)
}

await copy('duckdb_nested.parquet', `
  SELECT i,
    CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN [] WHEN 2 THEN [i, NULL, -i]
               ELSE [i] END AS list,
    CASE i % 5 WHEN 0 THEN NULL ELSE
      {'a': i, 'b': CASE i % 3 WHEN 0 THEN NULL ELSE 'text ' || i END,
       'c': {'x': i / 8.0, 'y': [i % 2 = 0, NULL]}} END AS struct,
    CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN MAP {} ELSE
      MAP {'k' || i: i * 1.5, 'other': NULL} END AS map,
    CASE i % 3 WHEN 0 THEN [[1, i], NULL, []] WHEN 1 THEN [[NULL]]
               ELSE NULL END AS lists,
    CASE i % 3 WHEN 0 THEN NULL ELSE
      [{'when': DATE '2024-01-01' + i::INTEGER, 'what': 'blob ' || i,
        'price': (i * 1.25)::DECIMAL(9,2), 'raw': 'x'::BLOB}, NULL] END
      AS structs,
    MAP {i::INTEGER: [{'p': i, 'q': MAP {'deep': [i]}}]} AS maps,
    [(i * 0.1)::DOUBLE, 'nan', 'inf', '-inf', '-0.0']::DOUBLE[] AS doubles,
    [i * 0.1]::FLOAT[] AS floats,
    [i, i + 1, i + 2]::INTEGER[3] AS "array",
    {'u': [18446744073709551615::UBIGINT], 't': TIME '01:02:03.5',
     'ts': TIMESTAMP '2024-02-29 12:00:00.000001',
     'id': '00112233-4455-6677-8899-aabbccddeeff'::UUID} AS kinds
  FROM range(24) r(i)`, 'COMPRESSION zstd')

// Ten row groups, sorted by id, each word in one or two of them only.
await copy('duckdb_groups.parquet', `
  SELECT i AS id, (['${words.join("', '")}'])[i // 2400 + 1] AS word,
         i % 100 AS bucket
  FROM range(20000) r(i)`, 'COMPRESSION zstd, ROW_GROUP_SIZE 2048')

// Scattered keys: only the Bloom filters tell the row groups apart.
await copy('duckdb_bloom.parquet', `
  SELECT 'user-' || (i % 700 * 7919 % 10007 + i // 2048 * 20000) AS user,
         (i % 500 * 104729 % 1000003 * 3 + i // 2048)::BIGINT AS key,
         ((i % 300) * 0.5 + i // 2048 * 1000)::DOUBLE AS real
  FROM range(6144) r(i)`,
  'COMPRESSION zstd, ROW_GROUP_SIZE 2048, DICTIONARY_SIZE_LIMIT 1000')

// The same for values that have more than one form in SQL: texts that look like
// numbers, decimals, integers beyond 63 bits, dates, zeros of both signs, NaN.
await copy('duckdb_bloom_kinds.parquet', `
  SELECT printf('%05d', n) AS zip, (n * 0.1)::DECIMAL(9,2) AS amount,
         CASE WHEN i % 2 = 0 THEN n::UBIGINT
              ELSE 18446744073709551000 + n::UBIGINT END AS big,
         DATE '2020-01-01' + n::INTEGER AS day,
         TIMESTAMP '2020-01-01 12:00:00' + n * INTERVAL 1 MINUTE AS "at",
         CASE n WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN '-0.0'::DOUBLE
                WHEN 2 THEN 0 ELSE n * 0.5 END AS real
  FROM (SELECT i, i % 256 * 2 + i // 2048 AS n FROM range(4096) r(i))`,
  'COMPRESSION zstd, ROW_GROUP_SIZE 2048, DICTIONARY_SIZE_LIMIT 1000')

// Wider than the 63 bits of colUsed.
await copy('duckdb_wide.parquet',
  `SELECT ${range(100, c => `i * ${c + 1} AS c${c}`).join(', ')}
   FROM range(4) r(i)`, 'COMPRESSION zstd')

await copy('duckdb_names.parquet', `
  SELECT i AS "with space", i + 1 AS "with.dot", i + 2 AS "with""quote",
         i + 3 AS "select", i + 4 AS "ÜMLAUT", i + 5 AS "rowid",
         {'a.b': i, 'c': {'D': i + 6}} AS "s"
  FROM range(3) r(i)`, "COMPRESSION zstd, KV_METADATA {'made_by': 'make.mjs'}")

await copy('duckdb_geometry.parquet', `
  SELECT i, CASE WHEN i % 6 = 5 THEN NULL ELSE ([
      'POINT (' || i || ' ' || (10 - i) || ')',
      'LINESTRING (0 0, ' || i || ' 1, 2 2)',
      'POLYGON ((0 0, ' || i || ' 0, ' || i || ' 4, 0 0))',
      'MULTIPOINT (1 1, ' || i || ' 2)',
      'GEOMETRYCOLLECTION (POINT (1 2), LINESTRING (1 1, 3 3))'
    ])[i % 6 + 1]::GEOMETRY END AS shape
  FROM range(12) r(i)`, "COMPRESSION zstd, GEOPARQUET_VERSION 'V2'")

await copy('duckdb_variant.parquet', `
  SELECT i, CASE i % 6
      WHEN 0 THEN NULL WHEN 1 THEN i::VARIANT WHEN 2 THEN 'text'::VARIANT
      WHEN 3 THEN {'kind': 'click', 'x': i, 'tags': ['a', 'b']}::VARIANT
      WHEN 4 THEN [1, 2, i]::VARIANT
      ELSE {'kind': 'key', 'at': DATE '2024-05-06'}::VARIANT END AS event
  FROM range(12) r(i)`, 'COMPRESSION zstd')

// Encrypted with one key, which is all that DuckDB can.  How a row follows from
// its number is the same in all files there (encrypted/README.md), and
// tcl/encryption_samples.test knows it.  DuckDB as npm has it makes weak nonces,
// and writes only if told that this is meant.
const encrypted = n => `SELECT i * 3 AS id,
  CASE WHEN i % 5 <> 3 THEN 'name ' || i % 37 END AS name,
  CASE WHEN i % 7 <> 1 THEN i * 1.25::DOUBLE - 100 END AS price,
  i % 3 = 0 AS flag,
  CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN {'amount': NULL::INTEGER}
             ELSE {'amount': (i * 10)::INTEGER} END AS pay,
  CASE i % 6 WHEN 0 THEN NULL ELSE [CASE WHEN (i + j) % 11 <> 0
    THEN 't' || (i + j) % 13 END FOR j IN range(i % 6 - 1)] END AS tags,
  CASE WHEN i % 60 < 30 THEN (i * 0.5)::FLOAT END AS score,
  lpad((i * 7919 % 100000)::VARCHAR, 8, '0')::BLOB AS hash
FROM range(${n}) r(i)`
await duck.run("SET force_mbedtls_unsafe = 'true'")
for (const [name, bytes, rows, options] of [
  ['duckdb_128', 16, 120, 'COMPRESSION snappy'],
  ['duckdb_192_plain', 24, 120,
    'COMPRESSION uncompressed, DICTIONARY_SIZE_LIMIT 1'],
  ['duckdb_256_v2', 32, 2400,
    'COMPRESSION zstd, PARQUET_VERSION V2, ROW_GROUP_SIZE 2048']]) {
  const key = '0123456789'.repeat(4).slice(0, bytes)
  await duck.run(`PRAGMA add_parquet_key('kf', '${key}')`)
  await copy(`encrypted/${name}.parquet.encrypted`, encrypted(rows),
    `${options}, ENCRYPTION_CONFIG {footer_key: 'kf'}`)
}

await copy('weather', `
  SELECT 2023 + i // 8 AS year, (['Bergen', 'Oslo'])[i // 4 % 2 + 1] AS city,
         (DATE '2023-01-01' + (i // 8 * 365 + i % 4 * 90)::INTEGER) AS day,
         round(sin(i) * 20, 1) AS celsius, i % 3 = 0 AS rain
  FROM range(16) r(i)`, 'COMPRESSION zstd, PARTITION_BY (year, city)')

const random = randomFrom(20240301)
await duck.run(`CREATE TABLE trips(
  id BIGINT, pickup TIMESTAMP, dropoff TIMESTAMP, passengers TINYINT,
  payment VARCHAR, distance DOUBLE, fare DECIMAL(8,2), tip DECIMAL(8,2),
  route STRUCT("from" VARCHAR, "to" VARCHAR), tags VARCHAR[])`)
const zones = ['Airport', 'Harbour', 'Market', 'Museum', 'Old Town', 'Park',
  'Station', 'University']
const pick = list => list[Math.floor(random() * list.length)]
let minute = 0
await duck.run('INSERT INTO trips VALUES ' + range(4096, i => {
  minute += Math.floor(random() * 22)
  const km = 1 + Math.floor(random() * 180) / 10
  const fare = (3.2 + km * 1.85).toFixed(2)
  const payment = pick(['card', 'card', 'card', 'cash', 'app'])
  const tip = payment === 'cash' ? 'NULL' : (random() * 5).toFixed(2)
  const at = `TIMESTAMP '2024-03-01' + to_minutes(${minute})`
  const tags = range(i % 3, () => `'${pick(['night', 'rain', 'group'])}'`)
  return `(${i + 1}, ${at}, ${at} + to_minutes(${4 + Math.floor(km * 2.4)}),
           ${1 + Math.floor(random() * 4)}, '${payment}', ${km}, ${fare},
           ${tip}, {'from': '${pick(zones)}', 'to': '${pick(zones)}'},
           [${tags}])`
}).join(', '))
await copy('trips.parquet', 'SELECT * FROM trips ORDER BY id',
  'COMPRESSION zstd, ROW_GROUP_SIZE 2048')

// --- hyparquet-writer -------------------------------------------------------

const level = zlib.constants.BROTLI_PARAM_QUALITY
const compressors = {
  GZIP: input => zlib.gzipSync(input),
  BROTLI: input => zlib.brotliCompressSync(input, { params: { [level]: 6 } })
}

// columns: [schema element(s), data, what else the writer takes]
function write(name, columns, options = {}) {
  const parts = columns.map(([element, data, more]) =>
    ({ elements: [element].flat(), data, more }))
  parquetWriteFile({
    filename: join(here, name),
    codec: 'SNAPPY',
    compressors,
    createdBy: 'hyparquet-writer 0.17.0',
    schema: [{ name: 'root', num_children: parts.length },
      ...parts.flatMap(p => p.elements)],
    columnData: parts.map(p =>
      ({ name: p.elements[0].name, data: p.data, ...p.more })),
    ...options
  })
}

const optional = 'OPTIONAL', required = 'REQUIRED', repeated = 'REPEATED'
const leaf = (name, type, more) =>
  ({ name, type, repetition_type: optional, ...more })
const group = (name, num_children, more) =>
  ({ name, num_children, repetition_type: optional, ...more })
const fixed = type_length => ({ type_length })

function bigEndian(value, size) {
  return Uint8Array.from(range(size, i =>
    Number(value >> BigInt(8 * (size - 1 - i)) & 255n)))
}

const decimal = (precision, scale) =>
  ({ converted_type: 'DECIMAL', precision, scale })
const integer = (bitWidth, isSigned) =>
  ({ logical_type: { type: 'INTEGER', bitWidth, isSigned } })
const moment = (type, unit, isAdjustedToUTC) =>
  ({ logical_type: { type, unit, isAdjustedToUTC } })
const some = (n, f) => range(n, everyNull(5, f))
const B = BigInt

write('hyparquet_types.parquet', [
  [leaf('boolean', 'BOOLEAN'), some(40, i => i % 3 === 0)],
  [leaf('int32', 'INT32'), some(40, i => i * 107374182 - 2147483648)],
  [leaf('int64', 'INT64'), some(40, i => B(i) * 461168601842738790n - 2n ** 63n)],
  [leaf('float', 'FLOAT'), some(40, i => [NaN, -0, Infinity, i / 3][i % 4])],
  [leaf('double', 'DOUBLE'), some(40, i => [NaN, -0, -Infinity, i / 3][i % 4])],
  [leaf('bytes', 'BYTE_ARRAY'), some(40, i => bytes(i, 255, 0, i))],
  [leaf('fixed', 'FIXED_LEN_BYTE_ARRAY', fixed(3)),
    some(40, i => bytes(i, 0, 200))],
  [leaf('string', 'BYTE_ARRAY', { converted_type: 'UTF8' }),
    some(40, i => words[i % 9] + ' ÅÄÖ')],
  [leaf('enum', 'BYTE_ARRAY', { converted_type: 'ENUM' }),
    some(40, i => new TextEncoder().encode(words[i % 3]))],
  [leaf('json', 'BYTE_ARRAY', { converted_type: 'JSON' }),
    some(40, i => ({ i, nested: [null, { a: 'b' }] }))],
  [leaf('uint32', 'INT32', { converted_type: 'UINT_32' }),
    some(40, i => 4294967295 - i)],
  [leaf('uint64', 'INT64', { converted_type: 'UINT_64' }),
    some(40, i => i % 2 ? 2n ** 64n - 1n - B(i) : B(i))],
  [leaf('decimal_int32', 'INT32', decimal(9, 3)), some(40, i => B(i) * -12345n)],
  [leaf('decimal_int64', 'INT64', decimal(18, 0)),
    some(40, i => B(i) * 12345678901234567n)],
  [leaf('decimal_fixed', 'FIXED_LEN_BYTE_ARRAY',
    { ...decimal(20, 5), ...fixed(9) }),
  some(40, i => B(i - 20) * 987654321987654321n)],
  [leaf('float16', 'FIXED_LEN_BYTE_ARRAY',
    { ...fixed(2), logical_type: { type: 'FLOAT16' } }),
  some(40, i => [NaN, -0, Infinity, 65504, 6e-8, i / 4][i % 6])],
  [leaf('uuid', 'FIXED_LEN_BYTE_ARRAY',
    { ...fixed(16), logical_type: { type: 'UUID' } }),
  some(40, i => '01234567-89ab-cdef-0123-4567' +
    String(10000000 + i))],
  [leaf('date', 'INT32', { converted_type: 'DATE' }),
    some(40, i => (i - 20) * 5000)],
  [leaf('time_millis', 'INT32', { converted_type: 'TIME_MILLIS' }),
    some(40, i => i * 2160001)],
  [leaf('time_micros', 'INT64', moment('TIME', 'MICROS', false)),
    some(40, i => B(i) * 2160000001n)],
  [leaf('time_nanos', 'INT64', moment('TIME', 'NANOS', true)),
    some(40, i => B(i) * 2160000000001n)],
  [leaf('timestamp_millis', 'INT64', moment('TIMESTAMP', 'MILLIS', true)),
    some(40, i => B(i - 20) * 86399999999n)],
  [leaf('timestamp_micros', 'INT64', moment('TIMESTAMP', 'MICROS', false)),
    some(40, i => B(i - 20) * 86399999999999n)],
  [leaf('timestamp_nanos', 'INT64', moment('TIMESTAMP', 'NANOS', true)),
    some(40, i => B(i - 20) * 86399999999999999n)],
  [leaf('timestamp_old', 'INT64', { converted_type: 'TIMESTAMP_MICROS' }),
    some(40, i => B(i) * 1000001n)],
  [leaf('interval', 'FIXED_LEN_BYTE_ARRAY',
    { ...fixed(12), converted_type: 'INTERVAL' }),
  some(40, i => bytes(i, 0, 0, 0, i % 31, 0, 0, 0, 16, i, 0, 0))],
  [leaf('all_null', 'INT32'), range(40, () => null)],
  [leaf('required', 'INT32', { repetition_type: required }), range(40, i => i)]
], { rowGroupSize: [25, 15] })

// BSON, and INTEGER with its bitWidth as an i32 where the format has an i8:
// DuckDB refuses both.
write('hyparquet_odd.parquet', [
  [leaf('bson', 'BYTE_ARRAY', { converted_type: 'BSON' }),
    some(40, () => bytes(5, 0, 0, 0, 0))],
  [leaf('int8', 'INT32', integer(8, true)), some(40, i => i - 20)],
  [leaf('int16', 'INT32', integer(16, true)), some(40, i => 1000 * (i - 20))],
  [leaf('uint8', 'INT32', integer(8, false)), some(40, i => 255 - i)],
  [leaf('uint16', 'INT32', integer(16, false)), some(40, i => 65535 - i)]
])

// Every encoding the writer has, on every type it takes, v2 pages of about
// 256 bytes, with and without nulls.
{
  const of = {
    INT32: i => i * 7919 % 1000 - 500,
    INT64: i => B(i) * B(i) * 1000000007n,
    FLOAT: i => Math.fround(Math.sin(i)),
    DOUBLE: i => Math.cos(i),
    BYTE_ARRAY: i => new TextEncoder().encode(
      `prefix/${words[i % 9].slice(0, i % 5)}/${i}`),
    FIXED_LEN_BYTE_ARRAY: i => bytes(i, i >> 3, 7, i * 13),
    BOOLEAN: i => i % 7 < 3
  }
  const encodings = {
    PLAIN: Object.keys(of),
    RLE_DICTIONARY: ['INT32', 'INT64', 'FLOAT', 'DOUBLE', 'BYTE_ARRAY',
      'FIXED_LEN_BYTE_ARRAY'],
    RLE: ['BOOLEAN'],
    DELTA_BINARY_PACKED: ['INT32', 'INT64'],
    DELTA_LENGTH_BYTE_ARRAY: ['BYTE_ARRAY'],
    DELTA_BYTE_ARRAY: ['BYTE_ARRAY'],
    BYTE_STREAM_SPLIT: ['INT32', 'INT64', 'FLOAT', 'DOUBLE',
      'FIXED_LEN_BYTE_ARRAY']
  }
  const columns = Object.entries(encodings).flatMap(([encoding, types]) =>
    types.map((type, k) => [
      leaf(`${encoding}_${type}`, type, {
        ...type.startsWith('FIXED') && fixed(4),
        repetition_type: k % 2 ? required : optional
      }),
      range(150, (k % 2 ? f => f : f => everyNull(7, f))(
        encoding === 'RLE_DICTIONARY' ? i => of[type](i % 12) : of[type])),
      { encoding }]))
  // BYTE_STREAM_SPLIT of integers came later than that of floating point
  // numbers, and not every reader knows it.
  const young = c => /BYTE_STREAM_SPLIT_[IF][NI]/.test(c[0].name)
  write('hyparquet_encodings.parquet', columns.filter(c => !young(c)),
    { pageSize: 256, codec: 'UNCOMPRESSED' })
  write('hyparquet_encodings_young.parquet', columns.filter(young),
    { pageSize: 256, codec: 'UNCOMPRESSED' })
}

for (const codec of ['GZIP', 'BROTLI']) {
  write(`hyparquet_codec_${codec.toLowerCase()}.parquet`, [
    [leaf('n', 'INT32'), some(200, i => i)],
    [leaf('word', 'BYTE_ARRAY', { converted_type: 'UTF8' }),
      some(200, i => words[i % 9])]
  ], { codec })
}

// Sorted, many small pages, column and offset indexes, Bloom filters.
write('hyparquet_pages.parquet', [
  [leaf('sorted', 'INT32'), range(2000, i => i * 2), { columnIndex: true }],
  [leaf('falling', 'DOUBLE'), range(2000, i => 1000 - i / 2),
    { columnIndex: true }],
  [leaf('scattered', 'INT64'), some(2000, i => B(i * 7919 % 10007)),
    { columnIndex: true, bloomFilter: true, encoding: 'PLAIN' }],
  [leaf('word', 'BYTE_ARRAY', { converted_type: 'UTF8' }),
    range(2000, i => `${words[Math.floor(i / 250)]}-a-rather-long-tail-${i}`),
    { columnIndex: true, bloomFilter: true, encoding: 'DELTA_BYTE_ARRAY' }],
  [leaf('mostly_null', 'INT32'), range(2000, i => i % 400 ? null : i),
    { columnIndex: true }]
], { pageSize: 1024, rowGroupSize: 1000 })

const listOf = (name, element, more) => [
  group(name, 1, { converted_type: 'LIST', ...more }),
  { name: 'list', repetition_type: repeated, num_children: 1 }, ...element]
write('hyparquet_nested.parquet', [
  [listOf('list', [leaf('element', 'INT32')]),
    range(30, i => [null, [], [null], [i], [i, null, i + 1]][i % 5])],
  [listOf('lists', listOf('element', [leaf('element', 'BYTE_ARRAY',
    { converted_type: 'UTF8' })])),
  range(30, i => [null, [], [[]], [null, ['a']], [['b', null], [], ['c']]][i % 5])],
  [[group('map', 1, { converted_type: 'MAP' }),
    { name: 'key_value', repetition_type: repeated, num_children: 2 },
    leaf('key', 'BYTE_ARRAY', { converted_type: 'UTF8', repetition_type: required }),
    leaf('value', 'DOUBLE')],
  range(30, i => [null, {}, { a: i }, { b: null, c: i / 2 }][i % 4])],
  [[group('struct', 3), leaf('x', 'INT32'), group('y', 1),
    leaf('z', 'BOOLEAN'), leaf('w', 'INT64', { repetition_type: required })],
  range(30, i => i % 4 === 3 ? null : {
    x: i % 3 ? i : null, y: i % 2 ? { z: i % 5 ? true : null } : null, w: B(i)
  })]
], { rowGroupSize: 12 })

const things = range(24, i => [
  null, i, `text ${i}`, [1, 'two', null, i], i % 2 === 0, i / 3,
  { type: 'click', x: i, tags: ['a'] }, { type: 'key', deep: { er: [i] } }
][i % 8])
parquetWriteFile({
  filename: join(here, 'hyparquet_variant.parquet'),
  createdBy: 'hyparquet-writer 0.17.0',
  columnData: [
    { name: 'plain', data: things, type: 'VARIANT' },
    { name: 'shredded', data: things, type: 'VARIANT',
      shredding: { type: 'STRING', x: 'INT32' } }]
})

const point = i => ({ type: 'Point', coordinates: [i * 10 - 60, i - 5] })
parquetWriteFile({
  filename: join(here, 'hyparquet_geometry.parquet'),
  createdBy: 'hyparquet-writer 0.17.0',
  columnData: [
    { name: 'geometry', data: some(12, point), type: 'GEOMETRY' },
    { name: 'geography', data: some(12, i => i % 2 ? point(i) : {
      type: 'Polygon',
      coordinates: [[[0, 0], [i, 0], [i, i], [0, 0]]] }), type: 'GEOGRAPHY' }]
})

// --- how much that is -------------------------------------------------------

let total = 0
for (const entry of readdirSync(here, { recursive: true })) {
  const path = join(here, entry)
  if (!statSync(path).isFile() || !/parquet(.encrypted)?$/.test(entry)) continue
  total += statSync(path).size
  console.log(String(statSync(path).size).padStart(8), entry)
}
console.log(String(total).padStart(8), 'bytes in all')
process.exit(0)

// random_duckdb.mjs - a random table made by DuckDB, what DuckDB says is in it,
// and the file that DuckDB writes of it.
//
// A column is an SQL expression over the row number i.  First a key is made:
// constant, ascending, in runs, one of few, or always different.  A hash of the
// key gives the value.  The same key gives the same value, so the shape of the
// keys becomes the shape of the column, and the writer takes dictionaries, runs
// or neither.  A kind is { type, of(h), shown }: its name in SQL, the value of
// a hash as SQL, and the type to read it as if Parquet has another.  All pools
// are lists of texts.
import { DuckDBInstance } from '@duckdb/node-api'
import { convert } from './duckdb_reader.mjs'
import { variant } from './random_variant.mjs'

let duck

async function run(sql) {
  if (!duck) {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    duck = await instance.connect()
    await duck.run("SET TimeZone = 'UTC'")
  }
  return duck.runAndReadAll(sql)
}

const text = s => `'${s.replaceAll("'", "''")}'`
const name = s => `"${s.replaceAll('"', '""')}"`

// --- scalars -----------------------------------------------------------------

// A hash becomes one of `pool` in so many of a hundred cases, else any(h).
function scalar(r, type, pool, any, more) {
  const share = r.pick([0, 5, 30, 100])
  const list = `[${pool.join(', ')}]::${type}[]`
  return {
    type,
    of: h => !share || !pool.length ? `(${any(h)})::${type}`
      : `(CASE WHEN hash(${h}, 1) % 100 < ${share}
          THEN (${list})[(hash(${h}, 2) % ${pool.length})::BIGINT + 1]
          ELSE (${any(h)})::${type} END)`,
    ...more
  }
}

function integer(r, bits, signed) {
  const type = (signed ? '' : 'U') + { 8: 'TINYINT', 16: 'SMALLINT',
    32: 'INTEGER', 64: 'BIGINT' }[bits]
  const width = r.pick([1, 3, 7, bits - 1, bits])
  const low = signed ? -(1n << BigInt(bits - 1)) : 0n
  const high = low + (1n << BigInt(bits)) - 1n
  const from = r.pick([0n, low, high - (1n << BigInt(width)) + 1n,
    signed && width < bits ? -(1n << BigInt(width - 1)) : 0n])
  const start = from + (1n << BigInt(width)) - 1n > high ? low : from
  return scalar(r, type, [low, high, 0n, 1n, signed ? -1n : 2n].map(v => `'${v}'`),
    h => `${h} % ${1n << BigInt(width)}::HUGEINT + (${start})::HUGEINT`)
}

function decimal(r) {
  const p = r.pick([1, 2, 4, 5, 9, 10, 15, 18, 19, 20, 30, 37, 38])
  const s = r.pick([0, 0, 1, p - 1, p, r.between(0, p)].filter(x => x <= p))
  const digits = r.pick([1, Math.min(p, 3), p])
  const nines = '9'.repeat(p)
  const dotted = d => s ? `${d.slice(0, p - s)}.${d.slice(p - s)}` : d
  const edge = dotted(nines).replace(/^\./, '0.')
  const d = h => `lpad(right(lpad(${h}::VARCHAR, 20, '0') ||
    lpad(hash(${h}, 9)::VARCHAR, 20, '0'), ${digits}), ${p}, '0')`
  const cut = h => s === 0 ? d(h)
    : `'0' || left(${d(h)}, ${p - s}) || '.' || right(${d(h)}, ${s})`
  return scalar(r, `DECIMAL(${p},${s})`, ["'0'", `'${edge}'`, `'-${edge}'`],
    h => `CASE WHEN hash(${h}, 3) % 2 = 0 THEN '-' ELSE '' END || ${cut(h)}`)
}

function real(r, type) {
  const single = type === 'FLOAT'
  const any = r.pick(['bits', 'eighths', 'sevenths'])
  // Only one kind of zero is in a column: DuckDB's dictionaries do not tell
  // them apart.
  const zero = any === 'bits' ? r.pick(['0.0', '-0.0']) : '0.0'
  const pool = ['nan', 'inf', '-inf', zero, '0.1', '-1', '16777217',
    single ? '1e-45' : '5e-324', single ? '3.4028235e38'
      : '1.7976931348623157e308', single ? '1.17549435e-38'
      : '2.2250738585072014e-308', '9007199254740993', '1e22', '1e21', '1e-7']
  return scalar(r, type, pool.map(text), {
    bits: h => `(${h}${single ? ' % 4294967296' : ''})::${single ? 'UINTEGER'
      : 'UBIGINT'}::BIT::${type}`,
    eighths: h => `(${h} % 1000)::DOUBLE / 8`,
    sevenths: h => `(${h} % 100000)::DOUBLE / 7`
  }[any])
}

// Ticks of a timestamp around 1970, in some magnitude.
const ticks = (h, bits) => `((${h} % ${1n << BigInt(bits)}::HUGEINT)::BIGINT -
  ${1n << BigInt(bits - 1)})`

function timestamp(r, type) {
  const plain = ['1970-01-01', '1969-12-31 23:59:59', '2000-02-29 12:00:00',
    '2024-03-01 13:45:00.123']
  const fine = ['2024-03-01 13:45:00.123456', '1969-12-31 23:59:59.999999']
  const far = ['infinity', '-infinity', '0001-01-01', '9999-12-31 23:59:59',
    '10000-01-01', '0001-01-01 (BC)', '0044-03-15 (BC) 12:00:00']
  switch (type) {
    case 'TIMESTAMP': case 'TIMESTAMPTZ': {
      const bits = r.pick([20, 40, 52, 58, 62])
      return scalar(r, type, [...plain, ...fine, ...far, '294247-01-10 04:00:54',
        '290309-12-22 (BC)'].map(text), h => `make_timestamp(${ticks(h, bits)})`)
    }
    case 'TIMESTAMP_S':
      return scalar(r, type, [...plain.slice(0, 3), ...far.slice(2)].map(text),
        h => `make_timestamp(${ticks(h, 36)} * 1000000)`)
    case 'TIMESTAMP_MS':
      return scalar(r, type, [...plain, ...far.slice(2)].map(text),
        h => `make_timestamp_ms(${ticks(h, 42)})`)
    default: {
      const bits = r.pick([20, 40, 62, 63])
      return scalar(r, type, [...plain, ...fine, '2024-03-01 13:45:00.123456789',
        '2262-04-11 23:47:16.854775806', '1677-09-22'].map(text),
      h => `make_timestamp_ns(${ticks(h, bits)})`)
    }
  }
}

const shapes = ['POINT (1 2)', 'POINT EMPTY', 'LINESTRING (0 0, 1 1, 2 0)',
  'POINT Z (1 2 3)', 'POINT ZM (1 2 3 4)', 'POLYGON EMPTY',
  'POLYGON ((0 0, 4 0, 4 4, 0 0), (1 1, 2 1, 2 2, 1 1))',
  'MULTIPOINT ((1 2), (3 4))', 'MULTILINESTRING ((0 0, 1 1), (2 2, 3 3))',
  'GEOMETRYCOLLECTION (POINT (1 2), LINESTRING (1 1, 3 3))',
  'POINT M (1e300 -1e-300 0.1)', 'LINESTRING ZM (0 0 1 2, 179.5 -90 3 4)',
  'POLYGON Z ((0 0 1, 4 0 1, 4 4 1, 0 0 1))', 'LINESTRING M EMPTY',
  'MULTIPOLYGON (((0 0, 4 0, 4 4, 0 0)), ((5 5, 6 5, 6 6, 5 5)))',
  'MULTIPOINT Z (1 2 3, 4 5 6)', 'MULTIPOLYGON ZM EMPTY',
  'GEOMETRYCOLLECTION (GEOMETRYCOLLECTION (POINT (7 8)), POINT EMPTY)',
  'GEOMETRYCOLLECTION EMPTY']

const texts = {
  words: h => `'w' || ${h} % 1000`,
  unique: h => `md5(${h}::VARCHAR)`,
  prefixed: h => `'a/rather/long/prefix/' || ${h} % 100000`,
  lengths: h => `repeat(chr((65 + ${h} % 26)::INTEGER), (${h} % 40)::INTEGER)`,
  long: h => `repeat(md5(${h}::VARCHAR), (${h} % 100)::INTEGER)`
}

const scalars = {
  boolean: r => scalar(r, 'BOOLEAN', [], h => `${h} % 2 = 0`),
  int: r => integer(r, r.pick([8, 16, 32, 64]), true),
  uint: r => integer(r, r.pick([8, 16, 32, 64]), false),
  hugeint: r => scalar(r, 'HUGEINT', ["'0'", "'-1'",
    "'170141183460469231731687303715884105727'", "'-9223372036854775809'"],
  h => `${h}::HUGEINT * 1000 - 5`, { shown: 'DOUBLE' }),
  uhugeint: r => scalar(r, 'UHUGEINT', ["'0'",
    "'340282366920938463463374607431768211455'"],
  h => `${h}::UHUGEINT * 1000`, { shown: 'DOUBLE' }),
  decimal,
  float: r => real(r, 'FLOAT'),
  double: r => real(r, 'DOUBLE'),
  date: r => scalar(r, 'DATE', ['1970-01-01', '1969-12-31', '0001-01-01',
    '0000-01-01', '9999-12-31', '10000-01-01', '-0001-12-31', '5881580-07-10',
    '2024-02-29', 'infinity', '-infinity'].map(text),
  h => `DATE '1970-01-01' + ((${h} % 80000)::INTEGER - 40000)`),
  time: r => scalar(r, 'TIME', ['00:00:00', '23:59:59.999999', '12:00:00.5']
    .map(text), h => `make_timestamp((${h} % 86400000000)::BIGINT)::TIME`),
  time_ns: r => scalar(r, 'TIME_NS', ['00:00:00', '23:59:59.999999999',
    '12:00:00.000000001'].map(text),
  h => `make_timestamp((${h} % 86400000000)::BIGINT)::TIME`),
  time_tz: r => scalar(r, 'TIMETZ', ['00:00:00+00', '23:59:59.999999+05',
    '01:00:00+15:59', '12:00:00-15:59'].map(text),
  h => `make_timestamp((${h} % 86400000000)::BIGINT)::TIME`),
  timestamp: r => timestamp(r, r.pick(['TIMESTAMP', 'TIMESTAMPTZ',
    'TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP_NS'])),
  interval: r => scalar(r, 'INTERVAL', ['0 days', '1 month', '3 days',
    '5 months 7 days 3.125 seconds', '1000 hours'].map(text),
  h => `to_months((${h} % 100)::INTEGER) + to_days((${h} % 31)::INTEGER) +
        to_milliseconds(${h} % 100000)`),
  uuid: r => scalar(r, 'UUID', [text('00000000-0000-0000-0000-000000000000'),
    text('ffffffff-ffff-ffff-ffff-ffffffffffff')],
  h => `md5(${h}::VARCHAR)::UUID`),
  blob: r => scalar(r, 'BLOB', ["''", "'\\x00'", "'\\x00\\xFF\\x00'", "'abc'"],
    h => `unhex(left(md5(${h}::VARCHAR), 2 * (${h} % 17)::INTEGER))`),
  varchar: r => scalar(r, 'VARCHAR', ["''", "'it''s'", "'grüße'", "'日本語'",
    'chr(128512)', "'a' || chr(0) || 'b'", 'chr(0)', "'\"\\'",
    "chr(10) || chr(9) || chr(31) || chr(127)", "repeat('x', 5000)", "'null'",
    "'12'", "' '", 'chr(8232)'],
  r.pick(Object.values(texts))),
  enum: r => {
    const n = r.pick([1, 2, 3, 16, 17, 255, 300])
    const list = Array.from({ length: n }, (_, i) => text(`e${i}ß`))
    return scalar(r, `ENUM(${list})`, [],
      h => `([${list}])[(${h} % ${n})::BIGINT + 1]`)
  },
  json: r => scalar(r, 'JSON', ['null', '{}', '[]', '"x"', '1.50', 'true',
    '{"a": [1, {"b": null}]}', '"\\u0000 \\ud83d\\ude00"'].map(text),
  h => `'{"n":' || ${h} || ',"s":"' || md5(${h}::VARCHAR) || '"}'`),
  bit: r => scalar(r, 'BIT', ["'0'", "'1'", "'10110'"], h => `${h}::BIT`),
  geometry: r => scalar(r, 'GEOMETRY', shapes.map(text),
    h => `'POINT (' || ${h} % 360 || ' -' || ${h} % 90 || ')'`)
}

const onlyTop = new Set(['geometry'])

// --- nested --------------------------------------------------------------------

const nullable = (r, kind) => {
  const percent = r.pick([0, 0, 10, 50, 100])
  return h => percent ? `(CASE WHEN hash(${h}, 4) % 100 < ${percent} THEN NULL
    ELSE ${kind.of(h)} END)` : kind.of(h)
}

let variables = 0

function list(r, depth, top) {
  const element = kind(r, depth - 1), value = nullable(r, element)
  const size = r.pick(['% 3', '% 6', '% 2', `% ${depth > 1 ? 8 : 40}`])
  const long = r.chance(0.1) && depth === 1 ? 3000 : 0
  const fixed = top && r.chance(0.2) ? r.between(1, 4) : 0
  const count = h => fixed ? fixed : long
    ? `(CASE WHEN ${h} % 1000 = 1 THEN ${long} ELSE ${h} ${size} END)::BIGINT`
    : `(${h} ${size})::BIGINT`
  return {
    repeated: true,
    type: `${element.type}[]`,
    shown: element.shown && `${element.shown}[]`,
    stored: fixed && `${element.type}[${fixed}]`,
    of: h => {
      const j = `j${variables++}`
      return `(list_transform(range(${count(h)}), lambda ${j}:
        ${value(`hash(${h}, ${j})`)}))::${element.type}[]`
    }
  }
}

function struct(r, depth) {
  const fields = Array.from({ length: r.between(1, 3) }, (_, i) => {
    const k = kind(r, depth - 1)
    return { name: 'fgh'[i] + (r.chance(0.1) ? ' "x' : ''), kind: k,
      value: nullable(r, k) }
  })
  const shape = of => `STRUCT(${fields.map(f => `${name(f.name)} ${of(f.kind)}`)})`
  return {
    type: shape(k => k.type),
    shown: fields.some(f => f.kind.shown) ? shape(k => k.shown ?? k.type)
      : undefined,
    fields,
    of: h => `struct_pack(${fields.map((f, i) =>
      `${name(f.name)} := ${f.value(`hash(${h}, ${i + 20})`)}`)})`
  }
}

function map(r, depth) {
  const key = scalars[r.pick(['varchar', 'int', 'uint', 'date', 'uuid',
    'boolean', 'timestamp', 'decimal', 'enum', 'blob', 'time'])](r)
  const value = kind(r, depth - 1), put = nullable(r, value)
  const size = r.pick([2, 4, 30])
  return {
    repeated: true,
    type: `MAP(${key.type}, ${value.type})`,
    shown: value.shown && `MAP(${key.type}, ${value.shown})`,
    of: h => {
      const j = `j${variables++}`, k = `j${variables++}`, x = `j${variables++}`
      const keys = `list_distinct(list_transform(range((${h} % ${size})::BIGINT),
        lambda ${j}: ${key.of(`hash(${h}, ${j})`)}))`
      return `map(${keys}, list_transform(${keys}, lambda ${x}, ${k}:
        ${put(`hash(${h}, ${k}, 5)`)}))::MAP(${key.type}, ${value.type})`
    }
  }
}

function kind(r, depth) {
  if (depth > 0 && r.chance(0.6)) return r.pick([list, struct, map])(r, depth)
  const names = Object.keys(scalars).filter(x => !onlyTop.has(x))
  return scalars[r.pick(names)](r)
}

// --- columns and files ---------------------------------------------------------

function key(r) {
  return r.pick([
    () => '0', () => 'i', () => `i // ${r.pick([3, 64, 1000])}`,
    () => `hash(i) % ${r.pick([2, 3, 17, 256, 1500])}`, () => 'hash(i)',
    () => `CASE WHEN i % 3000 < 1700 THEN 0 ELSE i END`
  ])()
}

function nulls(r) {
  return r.pick(['false', 'false', 'i % 7 = 3', 'i % 50 <> 1', 'true',
    'i % 3000 < 1300', 'hash(i, 77) % 10 = 0', 'hash(i, 77) % 2 = 0', 'i > 5'])
}

function column(r, n, index) {
  const top = r.chance(0.35) && n <= 5000 ? kindOfColumn(r)
    : scalars[r.pick(Object.keys(scalars))](r)
  const of = key(r), ascending = r.chance(0.15)
  const h = ascending ? `(i * ${r.pick([1, 3, 1000])})::UBIGINT`
    : `hash(${of}, ${r.below(1000)})`
  return {
    ...top,
    name: r.chance(0.9) ? `c${index}`
      : r.pick(['a b', 'q"t', "it's", 'd.t', 'ünï', '[x]', 'select']) + index,
    sql: `CAST(CASE WHEN ${nulls(r)} THEN NULL ELSE ${top.of(h)} END
      AS ${top.stored || top.type})`
  }
}

function kindOfColumn(r) {
  if (r.chance(0.15)) return variant(r)
  return r.pick([list, struct, struct, map])(r, r.between(1, 3), true)
}

function options(r, columns) {
  const some = [`COMPRESSION ${r.pick(['uncompressed', 'snappy', 'gzip', 'zstd',
    'brotli', 'lz4_raw'])}`, `PARQUET_VERSION ${r.pick(['V1', 'V2'])}`]
  const maybe = (p, s) => r.chance(p) && some.push(s)
  maybe(0.5, `ROW_GROUP_SIZE ${r.pick([2048, 4096, 20000])}`)
  maybe(0.5, `DICTIONARY_SIZE_LIMIT ${r.pick([1, 10, 1000])}`)
  maybe(0.2, `STRING_DICTIONARY_PAGE_SIZE_LIMIT ${r.pick([10, 1000, 100000])}`)
  maybe(0.2, `DICTIONARY_COMPRESSION_RATIO_THRESHOLD ${r.pick([0.5, 2])}`)
  maybe(0.2, 'WRITE_BLOOM_FILTER false')
  maybe(0.2, 'BLOOM_FILTER_FALSE_POSITIVE_RATIO 0.2')
  if (columns.some(c => c.type === 'GEOMETRY')) {
    some.push(`GEOPARQUET_VERSION '${r.pick(['V1', 'V2', 'BOTH',
      'NONE'])}'`)
  }
  const shredding = columns.filter(c => c.shredding)
    .map(c => `${text(c.name)}: ${text(c.shredding)}`)
  if (shredding.length) some.push(`SHREDDING {${shredding.join(', ')}}`)
  return some.join(', ')
}

// Writes a file and returns what is in it: { columns: [{ name, values, fields
// }], made }.
export async function write(r, path) {
  const n = r.rows()
  const columns = Array.from({ length: n > 5000 ? 3 : r.between(1, 8) },
    (_, i) => column(r, n, i))
  const how = options(r, columns)
  const made = `CREATE OR REPLACE TABLE t AS SELECT ${columns.map(c =>
    `${c.sql} AS ${name(c.name)}`).join(',\n  ')}\nFROM range(${n}) r(i);\n` +
    `COPY t TO ${text(path)} (FORMAT parquet, ${how})`
  try {
    const [create, copy] = made.split(';\nCOPY')
    await run(create)
    const result = await run(`SELECT ${columns.map(c => c.shown
      ? `CAST(${name(c.name)} AS ${c.shown}) AS ${name(c.name)}` : name(c.name))}
      FROM t`)
    await run('COPY' + copy)
    const types = result.columnTypes()
    const values = result.getColumns()
    return {
      made, writer: `DuckDB, ${n} rows, ${how}`, rows: n,
      columns: columns.map((c, i) => ({
        name: c.name,
        values: values[i]?.map(v => c.variant
          ? v === null ? null : ['variant', JSON.parse(v)]
          : convert(v, types[i])) ?? [],
        fields: c.fields
      }))
    }
  } catch (e) {
    e.made = made
    throw e
  }
}

// written_more.mjs - files that are not a cell: what the levels of
// compatibility choose, no rows, a dictionary that is given up, many row
// groups, small pages, metadata of the user, partitions.  Every foreign reader
// reads each.
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { parquetMetadata } from 'hyparquet'
import { Source } from './random_source.mjs'
import { Process } from './written_process.mjs'
import { readers, shownBy, titles } from './written_readers.mjs'
import { rowsOf } from './written_shapes.mjs'
import { plain } from './written_plain.mjs'
import { decimal, types } from './written_types.mjs'

const MANY = 30000

const int = i => ['int', String(i)]
const text = s => ['text', s]
const rows = (n, f) => Array.from({ length: n }, (_, i) => f(i))

// All types in one file, except BSON, which two readers do not know.
const all = types.filter(t => t.special && !t.far && t.key !== 'BSON')

const numbers = n => 'WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 ' +
  `FROM s WHERE i + 1 < ${n})`
const series = numbers(MANY)

// Few different values, for so long that a dictionary is chosen.  Then all
// values are new.
const FEW = 140000, NEW = 40000
const outgrown = i => i < FEW ? `few ${i % 10}`
  : `${String(i).padStart(40, 'many new ')}`

const files = [
  {
    name: 'no rows', query: "SELECT 1 AS a, 'x' AS b WHERE 0",
    options: { types: { a: 'INTEGER', b: 'LIST<TEXT>' } }, rows: []
  },
  {
    name: 'a dictionary that is given up',
    query: `${numbers(FEW + NEW)} SELECT CASE WHEN i < ${FEW} THEN 'few ' || (i % 10)
      ELSE substr('${'many new '.repeat(5)}', 1, 34) || i END AS a FROM s`,
    options: {}, rows: rows(FEW + NEW, i => [text(outgrown(i))]),
    check: metadata => {
      const e = metadata.row_groups[0].columns[0].meta_data.encoding_stats
        .filter(s => s.page_type.startsWith('DATA')).map(s => s.encoding)
      return e.includes('RLE_DICTIONARY') && e.length > 1 || `encodings ${e}`
    }
  },
  {
    name: 'many row groups and small pages',
    query: `${series} SELECT i AS a, '[' || i || ',null]' AS b FROM s`,
    options: { row_group_rows: 1000, page_bytes: 300, threads: 2,
      types: { b: 'LIST<BIGINT>' } },
    rows: rows(MANY, i => [int(i), ['list', [int(i), null]]]),
    check: metadata => metadata.row_groups.length === MANY / 1000 ||
      `${metadata.row_groups.length} row groups`
  },
  {
    name: 'metadata of one\'s own', query: 'SELECT 1 AS a, \'[2]\' AS b',
    options: { kv_metadata: { key: 'a text', ключ: 'значение' },
      created_by: 'nobody version 1.2.3', types: { b: 'LIST<INT>' },
      field_ids: { a: 7, b: 8, 'b.element': 9 } },
    rows: [[int(1), ['list', [int(2)]]]],
    check: m => JSON.stringify([m.created_by, m.schema.slice(1).map(e => e.field_id),
      m.key_value_metadata]) === JSON.stringify(['nobody version 1.2.3',
      [7, 8, null, 9], [{ key: 'key', value: 'a text' },
        { key: 'ключ', value: 'значение' }]]) || 'metadata'
  },
  {
    name: 'sorting columns that do not hold',
    query: 'SELECT column1 AS a FROM (VALUES (1), (3), (2))',
    options: { sorting_columns: ['a'] }, refused: /row 3 is not in the order/
  },
  {
    name: 'sorting columns that hold', query: 'SELECT column1 AS a, column2 AS b ' +
      "FROM (VALUES ('x', 2), ('b', 2), (NULL, 2), ('c', 1), ('b', 0))",
    options: { sorting_columns: ['b desc', 'a desc nulls last'] },
    rows: [['x', 2], ['b', 2], [null, 2], ['c', 1], ['b', 0]]
      .map(([a, b]) => [a && text(a), int(b)]),
    check: m => JSON.stringify(m.row_groups[0].sorting_columns) === JSON.stringify(
      [{ column_idx: 1, descending: true, nulls_first: false },
        { column_idx: 0, descending: true, nulls_first: false }]) ||
      JSON.stringify(m.row_groups[0].sorting_columns)
  },
  {
    name: 'no statistics', query: 'SELECT 5 AS a',
    options: { statistics: false }, rows: [[int(5)]],
    check: ({ row_groups: [{ columns: [c] }] }) =>
      c.meta_data.statistics?.min_value === undefined &&
      c.column_index_offset === undefined || 'bounds'
  },
  {
    name: 'bounds in the order of IEEE 754',
    query: "SELECT column1 AS a FROM (VALUES (1.5), ('NaN'), (-0.0))",
    options: { float_order: 'ieee754', types: { a: 'DOUBLE' } },
    rows: [[['real', '1.5']], [['real', 'NaN']], [['real', '-0']]],
    refusedBy: { duckdb: null, hyparquet: null, wasm: null }
  },
  geoparquet('1.1', 'float'),
  geoparquet('2.0', 'double'),
  everyDecimal(),
  ...['standard', 'modern', 'legacy'].flatMap(compatibility => allTypes(compatibility))
]

// Geometries with a description and a covering.  WKT goes in, WKB comes out.
function geoparquet(version, covering) {
  const native = version === '2.0'
  const real = (kind, v) => [kind, String(v)]
  const row = (wkb, ...box) => [['blob', wkb], ['struct', box.map((v, i) =>
    [['xmin', 'ymin', 'xmax', 'ymax'][i], real(native ? 'real' : 'float', v)])]]
  return {
    name: `GeoParquet ${version}`,
    query: "SELECT column1 AS g FROM (VALUES ('POINT(3 4)'), (NULL), " +
      "('LINESTRING(0 5,2 -1.5)'))",
    options: { types: { g: 'geometry' }, geoparquet: version, covering },
    rows: [
      row('010100000000000000000008400000000000001040', 3, 4, 3, 4),
      [null, null],
      row('010200000002000000' + '0000000000000000' + '0000000000001440' +
        '0000000000000040' + '000000000000f8bf', 0, -1.5, 2, 5)],
    check: m => {
      const { columns: { g } } = JSON.parse(m.key_value_metadata[0].value)
      const said = m.row_groups[0].columns[0].meta_data.geospatial_statistics
      const type = m.schema[1].logical_type?.type
      return JSON.stringify(g.bbox) === '[0,-1.5,3,5]' &&
        `${g.geometry_types}` === 'Point,LineString' &&
        `${g.covering.bbox.xmax}` === 'bbox,xmax' &&
        (native ? type === 'GEOMETRY' && said.bbox.ymin === -1.5 &&
            `${said.geospatial_types}` === '1,2'
          : type === undefined && said === undefined) ||
        JSON.stringify([g, said, type], (_, v) =>
          typeof v === 'bigint' ? String(v) : v)
    }
  }
}

// The length of a DECIMAL depends on its precision, and how it is read depends
// on its length.
function everyDecimal() {
  const source = new Source(76)
  const list = rows(76, i => decimal(i + 1, source.below(i + 2)))
    .map(t => ({ ...t, key: t.name }))
  const values = list.map(t =>
    [...t.special, null, ...rows(20, () => t.random(source))].slice(0, 20))
  return {
    name: 'every precision of DECIMAL', list, values, options: {},
    rows: values[0].map((_, r) => list.map((t, c) => {
      const v = values[c][r]
      return v && { of: v, type: t }
    })),
    check: m => JSON.stringify(m.schema.slice(1).map(e => e.type_length ?? 0)) ===
      JSON.stringify(list.map(t => t.length ?? 0)) || 'lengths'
  }
}

// A copy of a Parquet table keeps its types, as far as the level allows.
function allTypes(compatibility) {
  const legacy = compatibility === 'legacy'
  const list = all.filter(t => !legacy || !/^(GEO|.*_NS$)/.test(t.key))
  const values = list.map(t =>
    rowsOf({ type: t.key, nulls: 'optional', shape: 'flat' }))
  return [{
    name: `every type, ${compatibility}`, list, values, options: { compatibility },
    rows: values[0].map((_, r) => list.map((t, c) => {
      const v = values[c][r]
      return v && (legacy ? inLegacy(t, v) : { of: v, type: t })
    }))
  }]
}

// UINT64 becomes DECIMAL(20,0), UUID text, FLOAT16 FLOAT; wider integers show as
// before.
function inLegacy(t, v) {
  return t.key === 'U64' ? ['dec', v.want[1], 0] : t.key === 'UUID' ? v.want
    : { of: v, type: t }
}

// The source of such a file is a Parquet file that was written by name.
function source(writer, folder, { list, values }) {
  const names = list.map((_, i) => `c${i}`)
  writer.db.exec(`DROP TABLE IF EXISTS source; CREATE TABLE source(${names})`)
  const insert = writer.db.prepare(
    `INSERT INTO source VALUES(${names.map(() => '?')})`)
  writer.db.transaction(() => values[0].forEach((_, r) =>
    insert.run(values.map(v => v[r]?.sql ?? null))))()
  const path = join(folder, 'source.parquet')
  writer.copy('SELECT * FROM source', path, {
    types: Object.fromEntries(names.map((n, i) => [n, list[i].name])) })
  writer.db.exec(`DROP TABLE IF EXISTS temp.made; CREATE VIRTUAL TABLE temp.made
    USING parquet('${path}', decimal=text, nan=text)`)
  return 'SELECT * FROM temp.made'
}

const said = (reader, v) => plain(v === null ? null
  : v.of ? (shownBy(reader, v.type.key)?.say ?? (x => x.want))(v.of) : v, false)

async function checkOne(file, { writer, folder, test, processes }) {
  const path = join(folder, file.name.replace(/\W+/g, '_') + '.parquet')
  const query = file.list ? source(writer, folder, file) : file.query
  try {
    writer.copy(query, path, file.options)
  } catch (e) {
    test(file.refused?.test(e.message), file.name, e.message)
    return
  }
  test(!file.refused, file.name, 'was written')
  const findings = writer.findings(path)
  test(!findings.length, 'parquet_verify', file.name, JSON.stringify(findings[0]))
  if (file.check) {
    const right = file.check(parquetMetadata(readFileSync(path), { geoparquet: false }))
    test(right === true, file.name, right)
  }
  for (const reader of readers) {
    const answer = await processes[reader].ask({ file: path })
    const refusal = file.refusedBy?.[reader]
    if (refusal) {
      test(refusal.test(answer.error), titles[reader], file.name,
        `not as expected: ${answer.error}`)
      continue
    }
    const wrong = answer.error ?? answer.died ?? difference(file, reader, answer.rows)
    test(!wrong, titles[reader], file.name, wrong)
  }
  rmSync(path)
}

function difference(file, reader, found) {
  if (found.length !== file.rows.length) {
    return `${found.length} rows, not ${file.rows.length}`
  }
  for (const [r, row] of file.rows.entries()) {
    for (const [c, v] of row.entries()) {
      const want = JSON.stringify(said(reader, v))
      const got = JSON.stringify(plain(found[r][c], false))
      if (want !== got) return `row ${r}, column ${c}: ${got}, not ${want}`
    }
  }
  return undefined
}

// Partitioned folders, and one that rolled over, in DuckDB.
async function checkFolders({ writer, folder, test }) {
  const instance = await DuckDBInstance.create(':memory:')
  const db = await instance.connect()
  const ask = async sql => JSON.stringify((await db.runAndReadAll(sql)).getRowsJson())
  const parts = join(folder, 'parts'), rolled = join(folder, 'rolled')
  writer.copy(`${series} SELECT i, i % 7 AS a, CASE i % 3 WHEN 0 THEN 'x/ä=1' WHEN 1
    THEN NULL ELSE 'y' END AS b FROM s`, parts, { partition_by: ['a', 'b'] })
  const found = await ask(`SELECT count(*), sum(i), count(DISTINCT a), count(b),
      count(*) FILTER (a = i % 7),
      count(*) FILTER (b IS NOT DISTINCT FROM
        CASE i % 3 WHEN 0 THEN 'x/ä=1' WHEN 2 THEN 'y' END)
    FROM read_parquet('${parts}/*/*/*.parquet', hive_partitioning = true)`)
  test(found === JSON.stringify([MANY, MANY * (MANY - 1) / 2, 7, MANY * 2 / 3, MANY,
    MANY].map(String)).replace(/^/, '[') + ']', 'partitions in DuckDB', found)
  writer.copy(`${series} SELECT i FROM s`, rolled, { file_rows: MANY / 5 })
  const several = await ask(`SELECT count(*), sum(i), count(DISTINCT filename)
    FROM read_parquet('${rolled}/*.parquet', filename = true)`)
  test(several === JSON.stringify([[MANY, MANY * (MANY - 1) / 2, 5].map(String)]),
    'several files in DuckDB', several)
  execFileSync('rm', ['-r', parts, rolled])
}

export async function moreFiles(given) {
  const processes = Object.fromEntries(readers.map(r =>
    [r, new Process('readers.mjs', r)]))
  for (const file of files) await checkOne(file, { ...given, processes })
  for (const p of Object.values(processes)) p.stop()
  await checkFolders(given)
}

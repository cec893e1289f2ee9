// written_geo.mjs - geometries of parquet_copy_to in the hands of others, and
// geometries of DuckDB in ours.
//
// Random texts become geometries in DuckDB, whose WKB is what everybody has to
// read.  Each file is asked for boxes too, by DuckDB's && and by our predicate:
// boxes that are wrong lose rows in one of them.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { read as hyparquet } from './hyparquet_reader.mjs'
import { Source } from './random_source.mjs'
import { read as wasm } from './wasm_reader.mjs'

const SEEDS = 10, BOXES = 12

// --- texts ---------------------------------------------------------------------

const list = (s, most, of) =>
  Array.from({ length: s.between(1, most) }, of).join(', ')

// Around x, y; with 2, 3 or 4 numbers.
function geometry(s, axes, depth = 0) {
  const n = { '': 2, Z: 3, M: 3, ZM: 4 }[axes]
  const at = [s.between(-170, 170), s.between(-80, 80)]
  const point = () => [...at.map(v => v + s.below(80) / 8),
    s.below(100), -s.below(9) / 3].slice(0, n).join(' ')
  const ring = () => {
    const first = point()
    return `(${first}, ${list(s, 4, point)}, ${point()}, ${first})`
  }
  // A hole lies within the outer ring.  Of others DuckDB's box would know, and
  // ours, which is that of the outer ring, would not.
  const polygon = () => {
    const outer = ring()
    return `(${outer}${s.chance(0.5) ? `, ${outer}` : ''})`
  }
  const kinds = {
    POINT: () => `(${point()})`,
    LINESTRING: () => `(${point()}, ${list(s, 4, point)})`,
    POLYGON: polygon,
    MULTIPOINT: () => `(${list(s, 3, () => `(${point()})`)})`,
    MULTILINESTRING: () =>
      `(${list(s, 3, () => `(${point()}, ${list(s, 3, point)})`)})`,
    MULTIPOLYGON: () => `(${list(s, 3, polygon)})`,
    GEOMETRYCOLLECTION: () =>
      `(${list(s, 3, () => geometry(s, axes, depth + 1))})`
  }
  const names = Object.keys(kinds).slice(0, depth > 1 ? 6 : 7)
  const kind = s.pick(names), head = axes ? `${kind} ${axes}` : kind
  return s.chance(0.06) ? `${head} EMPTY` : `${head} ${kinds[kind]()}`
}

const shapes = s => {
  const axes = s.pick([[''], ['', 'Z', 'M', 'ZM']]), onlyPoints = s.chance(0.3)
  return () => s.chance(0.05) ? null : onlyPoints
    ? `POINT (${s.between(-1800, 1800) / 10} ${s.between(-900, 900) / 10})`
    : geometry(s, s.pick(axes))
}

const box = s => {
  const x = s.between(-180, 170), y = s.between(-90, 80)
  const w = s.pick([0, 5, 20, 200]), h = s.pick([0, 5, 20, 200])
  return [x, y, x + w, y + h]
}
const ring = ([a, b, c, d]) =>
  `POLYGON((${a} ${b}, ${a} ${d}, ${c} ${d}, ${c} ${b}, ${a} ${b}))`

// --- what readers make of them ---------------------------------------------------

const hex = v => v === null ? null : Buffer.from(v.bytes ?? v).toString('hex')
const blobOf = v => v === null ? null : v[0] === 'blob' ? v[1].toLowerCase() : v

function difference(got, wanted) {
  if (got.length !== wanted.length) return `${got.length} rows`
  const i = wanted.findIndex((w, i) => w !== got[i])
  return i < 0 ? undefined : `row ${i}: ${got[i]}, not ${wanted[i]}`
}

const written = s => {
  const type = s.pick(['geometry', 'geometry', 'geography', undefined])
  const geoparquet = type ? s.pick(['none', '1.1', '2.0']) : 'none'
  const options = { geoparquet, row_group_rows: s.pick([50, 200, 1000]),
    page_rows: s.pick([7, 100]), page_version: s.pick([1, 2]) }
  if (type) options.types = { geom: type }
  if (type && s.chance(0.5)) options.hilbert = 'geom'
  if (geoparquet !== 'none') options.covering = s.chance(0.6)
  return options
}

async function checkWritten(seed, { writer, folder, test, ask }) {
  const s = new Source(seed), one = shapes(s)
  const texts = Array.from({ length: s.pick([1, 30, 600]) }, one)
  await ask('CREATE OR REPLACE TABLE texts(i INTEGER, t VARCHAR)')
  await ask(`INSERT INTO texts VALUES ${texts.map((t, i) =>
    `(${i}, ${t === null ? 'NULL' : `'${t}'`})`)}`)
  const wkb = (await ask(`SELECT hex(st_aswkb(t::GEOMETRY)) FROM texts
    ORDER BY i`)).map(([h]) => h && h.toLowerCase())
  const { db } = writer
  db.exec('DROP TABLE IF EXISTS source; CREATE TABLE source(i, geom)')
  const insert = db.prepare('INSERT INTO source VALUES(?, ST_GeomFromText(?))')
  db.transaction(() => texts.forEach((t, i) => insert.run(i, t)))()
  const ours = db.prepare('SELECT lower(hex(geom)) FROM source').pluck().all()
    .map((h, i) => texts[i] === null ? null : h)
  test(!difference(ours, wkb), `geometries ${seed}`, 'texts are other WKB',
    difference(ours, wkb))
  for (let k = 0; k < 4; k++) {
    const options = written(s), path = join(folder, `geo_${seed}_${k}.parquet`)
    const what = `geometries ${seed}, ${JSON.stringify(options)}`
    try {
      writer.copy('SELECT * FROM source', path, options)
      const findings = writer.findings(path)
      test(!findings.length, what, 'parquet_verify', JSON.stringify(findings[0]))
      await checkReaders(path, options, wkb, what, { test, ask })
      await checkBoxes(s, path, what, options.types !== undefined,
                       { db, test, ask })
    } catch (e) {
      test(false, what, e.message)
    }
    rmSync(path, { force: true })
  }
}

// Sorted by i, as a copy along a curve has another order.
async function checkReaders(path, options, wkb, what, { test, ask }) {
  const isDuck = options.types?.geom === 'geometry' ||
    options.geoparquet !== 'none' && options.types
  const [[type] = ['GEOMETRY']] = await ask(
    `SELECT typeof(geom) FROM '${path}' LIMIT 1`)
  const geometryHere = type.startsWith('GEOMETRY')
  test(geometryHere || !isDuck || options.types.geom === 'geography', what,
    `DuckDB's type is ${type}`)
  const duck = (await ask(`SELECT hex(${geometryHere ? 'st_aswkb(geom)' : 'geom'})
    FROM '${path}' ORDER BY i`)).map(([h]) => h && h.toLowerCase())
  test(!difference(duck, wkb), what, 'DuckDB', difference(duck, wkb))
  const arrow = wasm(path)
  const at = arrow.names.indexOf('geom'), key = arrow.names.indexOf('i')
  const sorted = arrow.rows.map(r => [Number(r[key][1]), blobOf(r[at])])
    .sort(([a], [b]) => a - b).map(([, v]) => v)
  test(!difference(sorted, wkb), what, 'arrow-rs', difference(sorted, wkb))
  const js = await hyparquet(path)
  const jsAt = js.names.indexOf('geom'), jsKey = js.names.indexOf('i')
  const read = js.rows.map(r => [Number(r[jsKey][1]), blobOf(r[jsAt])])
    .sort(([a], [b]) => a - b).map(([, v]) => v)
  test(!difference(read, wkb), what, 'hyparquet', difference(read, wkb))
}

async function checkBoxes(s, path, what, isGeometry, { db, test, ask }) {
  db.exec(`DROP TABLE IF EXISTS temp.boxes;
    CREATE VIRTUAL TABLE temp.boxes USING parquet('${path}')`)
  const wkb = (await ask(`SELECT typeof(geom) FROM '${path}' LIMIT 1`))
  const term = wkb[0]?.[0].startsWith('GEOMETRY') ? 'geom'
    : 'st_geomfromwkb(geom)'
  for (let k = 0; k < BOXES; k++) {
    const b = box(s)
    const ours = db.prepare(`SELECT i FROM boxes WHERE
      ST_Intersects_Extent(geom, ST_MakeEnvelope(?, ?, ?, ?)) ORDER BY i`)
      .pluck().all(...b)
    const theirs = (await ask(`SELECT i FROM '${path}' WHERE ${term} &&
      '${ring(b)}'::GEOMETRY ORDER BY i`)).map(([i]) => Number(i))
    test(String(ours) === String(theirs), what, `box ${b}`,
      `${ours.length} rows, DuckDB ${theirs.length}`)
  }
}

// --- files of DuckDB -------------------------------------------------------------

async function checkTheirs(seed, { writer, folder, test, ask }) {
  const s = new Source(1000 + seed), one = shapes(s)
  const texts = Array.from({ length: s.pick([5, 6000]) }, one)
  const path = join(folder, `theirs_${seed}.parquet`)
  const version = s.pick(['V1', 'V2', 'BOTH', 'NONE'])
  const what = `DuckDB's geometries ${seed}, ${version}`
  await ask('CREATE OR REPLACE TABLE texts(i INTEGER, t VARCHAR)')
  for (let at = 0; at < texts.length; at += 1000) {
    await ask(`INSERT INTO texts VALUES ${texts.slice(at, at + 1000).map((t, i) =>
      `(${at + i}, ${t === null ? 'NULL' : `'${t}'`})`)}`)
  }
  const order = s.pick(['i', 't', 'length(t)'])
  await ask(`COPY (SELECT i, t::GEOMETRY AS geom FROM texts ORDER BY ${order}, i)
    TO '${path}' (FORMAT parquet, GEOPARQUET_VERSION '${version}',
    ROW_GROUP_SIZE 2048)`)
  const { db } = writer
  db.exec(`DROP TABLE IF EXISTS temp.theirs;
    CREATE VIRTUAL TABLE temp.theirs USING parquet('${path}')`)
  const declared = db.prepare("SELECT type FROM pragma_table_xinfo('theirs') " +
    "WHERE name = 'geom'").pluck().get()
  // Of GeoParquet 1 DuckDB describes no geometries with M.
  const bare = version === 'V1' && texts.some(t => /^\w+ Z?M /.test(t))
  test(declared === 'BLOB' ? bare : /^GEOMETRY/.test(declared) && !bare, what,
    `declared ${declared}`)
  const wanted = (await ask(`SELECT hex(st_aswkb(t::GEOMETRY)) FROM texts
    ORDER BY i`)).map(([h]) => h && h.toLowerCase())
  const got = db.prepare(`SELECT iif(geom IS NULL, NULL, lower(hex(geom)))
    FROM theirs ORDER BY i`).pluck().all()
  test(!difference(got, wanted), what, difference(got, wanted))
  await checkBoxes(s, path, what, true, { db, test, ask })
  rmSync(path)
}

export async function geoFiles(given) {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const db = await instance.connect()
  const ask = async sql => (await db.runAndReadAll(sql)).getRowsJson()
  for (let seed = 1; seed <= SEEDS; seed++) {
    await checkWritten(seed, { ...given, ask })
  }
  for (let seed = 1; seed <= SEEDS; seed++) {
    await checkTheirs(seed, { ...given, ask })
  }
}

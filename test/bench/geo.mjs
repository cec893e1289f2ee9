// geo.mjs - boxes of geometries, against DuckDB on the same files.
//
// 10 million points, all over the globe: written by DuckDB in random order and
// cell by cell, with the boxes that Parquet's statistics have, and by us along
// a Hilbert curve, with those and a covering.  DuckDB without its extension
// knows one predicate of boxes, &&.
//
// SQLite joins by asking for one box after the other, DuckDB by comparing all
// points with all boxes.
//
// The targets: a box with a ten-thousandth of the points takes 0.02 of DuckDB's
// time on our file and half of it on DuckDB's; ST_XMin of all takes 1.5 times
// as long as the column alone.
import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { SQLite, DuckDB } from './peers.mjs'
import { digits, milliseconds, line, title, pair, limit }
  from './measure.mjs'
import { formPair } from './forms.mjs'

const rows = Number(process.env.POINTS ?? 10000000)
const MB = 1024 * 1024

// Of a row, numbers that look random; of 1.8 by 3.6 degrees.
const lon = `(hash(i) % 3600000)::DOUBLE / 10000 - 180`
const lat = `(hash(i + 77777777) % 1800000)::DOUBLE / 10000 - 90`
const points = `SELECT i AS id, 'name ' || i % 1000 AS name,
  ('POINT(' || ${lon} || ' ' || ${lat} || ')')::GEOMETRY AS geom
  FROM range(${rows}) r(i)`
const cells = `${points} ORDER BY floor((${lon}) / 10), floor((${lat}) / 10)`
const box = [12.3, 45.6, 15.9, 47.4]
const ring = ([x0, y0, x1, y1]) =>
  `POLYGON((${x0} ${y0},${x0} ${y1},${x1} ${y1},${x1} ${y0},${x0} ${y0}))`
const small = [12.3, 45.6, 12.33, 45.62]
const text = b => `'${ring(b)}'::GEOMETRY`
const inBox = (table, b) => `SELECT count(*), max(id) FROM ${table}
  WHERE ST_Intersects_Extent(geom, ST_MakeEnvelope(${b.join(', ')}))`
const inDuckBox = (table, b) => `SELECT count(*), max(id) FROM ${table}
  WHERE geom && ${text(b)}`

const ways = {
  'a plain BLOB': {},
  'geometry': { types: { geom: 'geometry' } },
  'geometry, hilbert': { types: { geom: 'geometry' }, hilbert: 'geom' },
  'geometry, hilbert, GeoParquet 1.1':
    { types: { geom: 'geometry' }, hilbert: 'geom', geoparquet: '1.1' }
}

export function geoParts({ build, extension, folder }) {
  const path = name => join(folder, `points_${name}.parquet`)

  async function duckFile(name, query) {
    if (existsSync(path(name))) return
    console.error(`making ${path(name)}`)
    const duck = await DuckDB.open(2)
    await duck.run(`COPY (${query}) TO '${path(name)}.unfinished'
      (FORMAT parquet, COMPRESSION zstd, GEOPARQUET_VERSION 'V2')`)
    duck.close()
    renameSync(`${path(name)}.unfinished`, path(name))
  }

  // Also measured: what writing costs.
  async function writeOurs(name) {
    title(`${name}: writing`, ['processor', 'of BLOB', 'wall', 'MB'])
    const sqlite = new SQLite(build, extension)
    await sqlite.open()
    await sqlite.run(`CREATE VIRTUAL TABLE temp.t
                      USING parquet('${path('random')}')`)
    let plain
    for (const [way, options] of Object.entries(ways)) {
      const query = way === 'a plain BLOB'
        ? 'SELECT id, name, CAST(geom AS BLOB) AS geom FROM t'
        : 'SELECT id, name, geom FROM t'
      const time = await sqlite.run(`SELECT parquet_copy_to('${query}',
        '${path('ours')}', '${JSON.stringify(options)}')`)
      plain ??= time.cpu
      line(way, [milliseconds(time.cpu), digits(time.cpu / plain),
        milliseconds(time.wall), digits(statSync(path('ours')).size / MB)])
    }
    await sqlite.close()
  }

  const files = { ours: 0.02, cells: 0.5, random: 0.5 }

  async function boxes(name, sqlite, duck) {
    title(`${name}: a box with 0.01 % of the points`,
          ['ours', 'DuckDB 1T', 'ratio', 'target', 'met'])
    for (const [file, target] of Object.entries(files)) {
      const { value } = await sqlite.run(inBox(file, box))
      const n = Number(await duck.value(inDuckBox(`'${path(file)}'`, box)))
      if (Number(value) !== n) console.log(`${file}: WRONG, ${value}, not ${n}`)
      await pair(`file: ${file}`, () => sqlite.run(inBox(file, box)),
        () => duck.run(inDuckBox(`'${path(file)}'`, box)), target)
    }
    for (const file of Object.keys(files)) {
      await pair(`a smaller box, file: ${file}`,
        () => sqlite.run(inBox(file, small)),
        () => duck.run(inDuckBox(`'${path(file)}'`, small)))
    }
  }

  async function functions(name, sqlite) {
    title(`${name}: functions over all`,
          ['function', 'column', 'ratio', 'target', 'met'])
    for (const file of ['random', 'ours']) {
      for (const [what, target] of [['ST_XMin(geom)', 1.5], ['ST_X(geom)'],
        ['ST_NPoints(geom)'], ['ST_Intersects_Extent(+geom, geom)'],
        ['length(ST_AsText(geom))']]) {
        await pair(`sum(${what}), ${file}`,
          () => sqlite.run(`SELECT sum(${what}) FROM ${file}`),
          () => sqlite.run(`SELECT sum(length(geom)) FROM ${file}`), target)
      }
      await pair(`sum(ST_XMin(geom)) against count, ${file}`,
        () => sqlite.run(`SELECT sum(ST_XMin(geom)) FROM ${file}`),
        () => sqlite.run(`SELECT count(geom) FROM ${file}`))
    }
  }

  // 1,000 boxes of an R*Tree, each with some points.
  async function join_(name, sqlite, duck) {
    title(`${name}: joined with 1,000 boxes`,
          ['ours', 'DuckDB 1T', 'ratio', 'rows'])
    await sqlite.run(`CREATE VIRTUAL TABLE temp.r USING rtree(id, x0, x1, y0, y1);
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n
      WHERE i < 999) INSERT INTO r SELECT i, (i * 7919 % 3590) / 10.0 - 180,
      (i * 7919 % 3590) / 10.0 - 179.9, (i * 104729 % 1790) / 10.0 - 90,
      (i * 104729 % 1790) / 10.0 - 89.9 FROM n`)
    await sqlite.limit(limit)
    const ours = file => `SELECT count(*) FROM r JOIN ${file} AS t
      ON ST_Intersects_Extent(t.geom, ST_MakeEnvelope(r.x0, r.y0, r.x1, r.y1))`
    await duck.run(`CREATE TEMP TABLE r AS SELECT i AS id, ('POLYGON((' ||
      x0 || ' ' || y0 || ',' || x0 || ' ' || y1 || ',' || x1 || ' ' || y1 ||
      ',' || x1 || ' ' || y0 || ',' || x0 || ' ' || y0 || '))')::GEOMETRY AS box
      FROM (SELECT i, (i * 7919 % 3590) / 10 - 180 AS x0,
        (i * 7919 % 3590) / 10 - 179.9 AS x1,
        (i * 104729 % 1790) / 10 - 90 AS y0,
        (i * 104729 % 1790) / 10 - 89.9 AS y1 FROM range(1000) n(i))`)
    const theirs = file => `SELECT count(*) FROM r JOIN '${path(file)}' AS t
      ON t.geom && r.box`
    const a = await sqlite.run(ours('ours'))
    const b = await duck.within(limit, theirs('ours'))
    line('file: ours', [milliseconds(a.stopped ? NaN : a.cpu),
      milliseconds(b.cpu), digits(a.cpu / b.cpu), a.value ?? ''])
  }

  // The manual's recipe with JOIN, where the order is SQLite's choice.
  async function recipe(name, sqlite) {
    title(`${name}: the manual's join with 3 boxes`,
          ['JOIN', 'CROSS JOIN', 'ratio', 'target', 'met'])
    await sqlite.run(`CREATE VIRTUAL TABLE temp.areas USING rtree(id, x0, x1, y0, y1);
      INSERT INTO areas VALUES (1, 10.7, 10.8, 59.9, 60), (2, 11, 12, 60, 61),
        (3, 0, 1, 0, 1)`)
    const ask = (join, file) => `SELECT areas.id, count(*)
      FROM areas ${join} ${file} ON ST_Intersects_Extent(${file}.geom,
        ST_MakeEnvelope(areas.x0, areas.y0, areas.x1, areas.y1)) GROUP BY areas.id`
    for (const file of Object.keys(files)) {
      await formPair(`file: ${file}`, sqlite, ask('JOIN', file),
                     ask('CROSS JOIN', file), 1.1)
    }
  }

  return {
    geo: async name => {
      mkdirSync(folder, { recursive: true })
      await duckFile('random', points)
      await duckFile('cells', cells)
      await writeOurs(name)
      const sqlite = new SQLite(build, extension), duck = await DuckDB.open(1)
      await sqlite.open()
      for (const file of Object.keys(files)) {
        await sqlite.run(`CREATE VIRTUAL TABLE temp.${file}
                          USING parquet('${path(file)}', threads=0)`)
      }
      await boxes(name, sqlite, duck)
      await functions(name, sqlite)
      await join_(name, sqlite, duck)
      await recipe(name, sqlite)
      await sqlite.close()
      duck.close()
    }
  }
}

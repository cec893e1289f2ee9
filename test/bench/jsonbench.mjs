// jsonbench.mjs - JSONBench's five queries over documents of its shape
// (bluesky.mjs): ours over path columns of a VARIANT, SQLite's over JSON text,
// and DuckDB's over its VARIANT.
//
// The targets: half the time of SQLite's JSON text without an index.  Of a
// filtered query, half the time of DuckDB on the same shredded file.  Of a path
// in a file that is not shredded, the time of DuckDB on the same file.  To
// parse and to print, twice the time of SQLite's own functions on the same
// text.
//
// What is compared is compared: ours and SQLite's answers are held against each
// other before they are timed.
import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { paths, questions } from './bluesky.mjs'
import { SQLite, DuckDB } from './peers.mjs'
import { medians, digits, milliseconds, line, title, verdict, limit }
  from './measure.mjs'

const MB = 1024 * 1024
const inText = name => `(data ->> '${paths[name][0]}')`
const inColumns = name => name
const duckTypes = { string: 'VARCHAR', bigint: 'BIGINT' }
const inVariant = name =>
  `data${paths[name][0].slice(1)}::${duckTypes[paths[name][1]]}`
const hourHere = us => `strftime('%H', ${us} / 1000000, 'unixepoch')`
const hourThere = us => `extract(hour FROM make_timestamp(${us}))`

const ofText = questions('bluesky', inText, hourHere)
const indexes = `CREATE INDEX by_collection ON bluesky(${inText('collection')});
  CREATE INDEX by_kind ON bluesky(${['kind', 'operation', 'collection', 'did',
    'time_us'].map(inText).join(', ')})`

// Of one row in 360: some minutes, and one kind of event.
const filtered = (table, of) => `SELECT count(*), max(${of('did')}) FROM ${table}
  WHERE ${of('time_us')} BETWEEN 1732242349000000 AND 1732242589000000
  AND ${of('collection')} = 'app.bsky.feed.post'`
const rare = (table, of) => `SELECT count(*), min(${of('time_us')}) FROM ${table}
  WHERE ${of('collection')} = 'app.bsky.feed.postgate'`
const aPath = (table, of) => `SELECT sum(${of('time_us')} % 1000)
  FROM ${table}`
const aText = (table, of) => `SELECT max(${of('did')}) FROM ${table}`

export function jsonParts({ build, extension, folder, file }) {
  const parts = {}
  const made = name => join(folder, `bluesky_${name}.parquet`)
  const size = path => digits(statSync(path).size / MB)
  const copies = { shredded: { variant: ['data'], shred: { data: 'auto' } },
                   whole: { variant: ['data'] } }

  // SQLite's JSON text, in a database of its own, with indexes or without.
  async function makeText(name, more) {
    const path = join(folder, `bluesky_${name}.db`)
    rmSync(path, { force: true })
    const sqlite = new SQLite(build, extension)
    await sqlite.open(path)
    await sqlite.run('PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF')
    await sqlite.run(`CREATE VIRTUAL TABLE temp.source
                      USING parquet('${file('bluesky')}')`)
    const time = await sqlite.run(`CREATE TABLE main.bluesky AS
      SELECT data FROM source; ${more}`)
    await sqlite.close()
    line(`load: SQLite, JSON text, ${name}`, [milliseconds(time.cpu),
      milliseconds(time.wall), size(path)])
  }

  async function makeOurs(name, options) {
    const sqlite = await openText('plain')
    const time = await sqlite.run(`SELECT parquet_copy_to(
      'SELECT data FROM bluesky', '${made(name)}', '${JSON.stringify(options)}')`)
    await sqlite.close()
    line(`load: ours, ${name}`, [milliseconds(time.cpu),
      milliseconds(time.wall), size(made(name))])
  }

  const newest = { storage_compatibility_version: 'latest' }
  const duckPath = join(folder, 'bluesky_duck.db')
  async function makeDuck() {
    rmSync(duckPath, { force: true })
    let duck = await DuckDB.open(1, duckPath, newest)
    const from = `SELECT data::JSON::VARIANT AS data FROM '${file('bluesky')}'`
    const table = await duck.run(`CREATE TABLE bluesky AS ${from}`)
    const checkpoint = await duck.run('CHECKPOINT')
    duck.close()
    line('load: DuckDB 1T, a table of VARIANT', [
      milliseconds(table.cpu + checkpoint.cpu),
      milliseconds(table.wall + checkpoint.wall), size(duckPath)])
    duck = await DuckDB.open(1)
    const copy = await duck.run(`COPY (${from}) TO '${made('duck')}'
                                 (FORMAT parquet, COMPRESSION zstd)`)
    duck.close()
    line('load: DuckDB 1T, Parquet', [milliseconds(copy.cpu),
      milliseconds(copy.wall), size(made('duck'))])
  }

  async function openText(name) {
    const sqlite = new SQLite(build, extension)
    await sqlite.open(join(folder, `bluesky_${name}.db`))
    await sqlite.run('PRAGMA mmap_size=2147418112')
    return sqlite
  }

  // Path columns of a file of VARIANTs.
  const declare = (sqlite, table, name) => sqlite.run(`CREATE VIRTUAL TABLE
    temp.${table} USING parquet('${made(name)}', threads=0, ${
    Object.entries(paths).map(([column, [path, type]]) =>
      `${column} = variant_get(data, '${path}', '${type}')`).join(', ')})`)

  async function differ(sqlite, a, b) {
    const { value } = await sqlite.run(`SELECT count(*) FROM (
      SELECT * FROM (SELECT * FROM (${a}) EXCEPT SELECT * FROM (${b}))
      UNION ALL
      SELECT * FROM (SELECT * FROM (${b}) EXCEPT SELECT * FROM (${a})))`)
    return Number(value) > 0
  }

  async function openDuck() {
    const duck = await DuckDB.open(1, duckPath, newest)
    for (const name of ['shredded', 'whole', 'duck']) {
      await duck.run(`CREATE OR REPLACE TEMP VIEW ${name}
                      AS FROM '${made(name)}'`)
    }
    return duck
  }

  parts['JSONBench'] = async name => {
    title(`${name}: load`, ['processor', 'wall', 'MB'])
    await makeText('plain', '')
    await makeText('indexed', indexes)
    for (const each of Object.entries(copies)) await makeOurs(...each)
    await makeDuck()
    const plain = await openText('plain'), indexed = await openText('indexed')
    const duck = await openDuck()
    await declare(plain, 'shredded', 'shredded')
    await declare(plain, 'whole', 'whole')
    await declare(plain, 'duck', 'duck')
    await queries(name, plain, indexed, duck)
    await singlePaths(name, plain, duck)
    await functions(name, plain)
    await plain.close()
    await indexed.close()
    duck.close()
  }

  // DuckDB takes some ten seconds for each: it is asked once.
  const once = (duck, sql) => duck.within(limit, sql)

  async function queries(name, plain, indexed, duck) {
    title(`${name}: queries`, ['ours', 'SQLite', 'ratio', 'target', 'met',
      'indexed', 'of DuckDB\'s', 'DuckDB 1T', 'our file'])
    const here = table => questions(table, inColumns, hourHere)
    const there = table => questions(table, inVariant, hourThere)
    for (const [what, text] of Object.entries(ofText)) {
      const ours = here('shredded')[what]
      if (await differ(plain, ours, text)) console.log(`${what}: WRONG`)
      const [a, b, c, d] = await medians('cpu', [
        () => plain.take(ours), () => plain.take(text),
        () => indexed.take(text), () => plain.take(here('duck')[what])])
      const e = await once(duck, there('bluesky')[what])
      const f = await once(duck, there('shredded')[what])
      line(what, [milliseconds(a), milliseconds(b), digits(a / b), 0.5,
        verdict(a / b, 0.5), milliseconds(c), milliseconds(d),
        milliseconds(e.cpu), milliseconds(f.cpu)])
    }
  }

  async function singlePaths(name, plain, duck) {
    title(`${name}: the same file in DuckDB 1T`,
          ['ours', 'DuckDB 1T', 'ratio', 'target', 'met'])
    for (const [what, table, ask, target] of [
      ['filtered by time and kind, shredded', 'shredded', filtered, 0.5],
      ['filtered by a rare kind, shredded', 'shredded', rare, 0.5],
      ['filtered by time and kind, DuckDB\'s file', 'duck', filtered, 0.5],
      ['a number, not shredded', 'whole', aPath, 1],
      ['a text, not shredded', 'whole', aText, 1],
      ['filtered by time and kind, not shredded', 'whole', filtered, 1]]) {
      const ours = ask(table, inColumns)
      if (await differ(plain, ours, ask('bluesky', inText))) {
        console.log(`${what}: WRONG`)
      }
      const [a] = await medians('cpu', [() => plain.take(ours)])
      const { cpu: b } = await once(duck, ask(table, inVariant))
      const ratio = a / (Number.isNaN(b) ? limit * 1e6 : b)   // at most
      line(what, [milliseconds(a), milliseconds(b), digits(ratio), target,
        verdict(ratio, target)])
    }
  }

  // On the same text, or on Variants of it.
  async function functions(name, plain) {
    title(`${name}: functions`, ['ours', 'SQLite', 'ratio', 'target', 'met'])
    await plain.run(`CREATE TEMP TABLE variants AS
                     SELECT parse_json(data) AS data FROM bluesky`)
    const json = () => plain.take('SELECT sum(length(json(data))) FROM bluesky')
    for (const [what, sql] of [
      ['parse_json against json()',
       'SELECT sum(length(parse_json(data))) FROM bluesky'],
      ['variant_to_json against json()',
       'SELECT sum(length(variant_to_json(data))) FROM variants'],
      ['a shredded column as JSON against json()',
       'SELECT sum(length(data)) FROM shredded'],
      ['a column that is not shredded, likewise',
       'SELECT sum(length(data)) FROM whole']]) {
      const [a, b] = await medians('cpu', [() => plain.take(sql), json])
      line(what, [milliseconds(a), milliseconds(b), digits(a / b), 2,
                  verdict(a / b, 2)])
    }
  }
  return parts
}

// bench.mjs - what the extension costs, as ratios within one run: smaller is
// faster.  Each pair is measured alternately, once to warm up and then REPEAT
// times; the ratio is of the medians.
//
//   BENCH=pattern   only the parts whose name matches
//   REPEAT=n        5
//   LIMIT=seconds   60, after which a query of ours is stopped
//   SQLITE=folder   of the libsqlite3.so.0 to measure with (bench.sh)
//   AGAINST=file    an earlier library, which is the only peer (measure.mjs)
//
// Where both sides use one thread, processor time is compared, so that other
// work on the machine disturbs little; against DuckDB's two threads it is the
// time on the wall.  A ratio of 1 against a native table may be out of reach:
// what is called trivial is SQLite's own cost.  Nothing here fails: figures are
// to be read.
import { join } from 'node:path'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { makeData } from './data.mjs'
import { copyParts } from './copies.mjs'
import { jsonParts } from './jsonbench.mjs'
import { geoParts } from './geo.mjs'
import { rollupParts } from './rollup.mjs'
import { encryptionParts } from './encryption.mjs'
import { formParts } from './forms.mjs'
import { moveParts } from './move.mjs'
import { remoteParts } from './remote.mjs'
import { workloadParts } from './workloads/workloads.mjs'
import { measure, medians, digits, milliseconds, line, title, verdict, pair,
         limit, against, conclusion } from './measure.mjs'
import { ofDuckDB } from './same_rows.mjs'
import { SQLite, DuckDB, coldSQLite, coldDuckDB } from './peers.mjs'
import { queries, unpacked, ownQueries, makeProbes, someUrls, makeUrls,
         lineitemColumns, trivialColumns, touchAll, countAll, takeAll }
  from './queries.mjs'
import { unpacking } from './unpacking.mjs'

const build = process.env.BUILD ?? 'build'
const extension = './' + (process.env.SO ?? 'parquet.so')
const only = new RegExp(process.env.BENCH ?? '')
const folder = join(build, 'bench')
const file = name => join(folder, `${name}.parquet`)

// --- the tables -------------------------------------------------------------

const threaded = name => `${name}_threads`

// Tables over all files, each also with the threads it has by default.
async function declare(sqlite, names) {
  await sqlite.open()
  for (const name of names) {
    await sqlite.run(`CREATE VIRTUAL TABLE temp.${name}
      USING parquet('${file(name)}', threads=0)`)
    await sqlite.run(`CREATE VIRTUAL TABLE temp.${threaded(name)}
      USING parquet('${file(name)}')`)
  }
}

async function duckWithViews(threads, names) {
  const duck = await DuckDB.open(threads)
  for (const name of names) {
    await duck.run(`CREATE VIEW ${name} AS FROM '${file(name)}'`)
  }
  return duck
}

// Tables of keys, for all sides.
const keysOf = async duck => `${makeProbes}; ${
  makeUrls(await ofDuckDB(duck)(someUrls('events')))}`

// The same rows in SQLite's own format, read through the extension.
async function makeNative(names) {
  const path = join(folder, 'native.db')
  if (existsSync(path)) return path
  console.error(`making ${path}`)
  const sqlite = new SQLite(build, extension)
  rmSync(`${path}.unfinished`, { force: true })
  await sqlite.open(`${path}.unfinished`)
  await sqlite.run('PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF')
  for (const name of names) {
    await sqlite.run(`CREATE VIRTUAL TABLE temp.source
      USING parquet('${file(name)}');
      CREATE TABLE main.${name} AS SELECT * FROM source;
      DROP TABLE source`)
  }
  await sqlite.close()
  renameSync(`${path}.unfinished`, path)
  return path
}

async function openNative() {
  const native = new SQLite(build, extension)
  await native.open(await makeNative(['lineitem', 'events']))
  await native.run('PRAGMA mmap_size=2147418112')      // its fastest way
  return native
}

// --- the parts --------------------------------------------------------------

const parts = {}

parts['one column against a trivial virtual table'] = async name => {
  title(name, ['ours', 'trivial', 'ratio', 'target', 'met'])
  const sqlite = new SQLite(build, extension)
  const files = { numbers_required: 1.3, numbers: 1.3, numbers_nulls: undefined,
                  numbers_dictionary: undefined, numbers_snappy: undefined }
  await declare(sqlite, Object.keys(files))
  for (const [column, type] of [['i', 'int64'], ['d', 'double']]) {
    await sqlite.run(`CREATE VIRTUAL TABLE temp.trivial_${type}
                      USING trivial(${type}, 6000000)`)
    for (const [table, target] of Object.entries(files)) {
      await pair(`sum(${type}), ${table}`,
        () => sqlite.run(`SELECT sum(${column}) FROM ${table}`),
        () => sqlite.run(`SELECT sum(c0) FROM trivial_${type}`), target)
    }
  }
  await pair('count(*)', () => sqlite.run('SELECT count(*) FROM numbers'),
             () => sqlite.run('SELECT count(*) FROM trivial_int64'))
  await sqlite.close()
}

// The same rows from arrays in memory, which need no decoding.
parts['columns to a client against arrays'] = async name => {
  title(name, ['ours', 'arrays', 'ratio', 'target', 'met'])
  const sqlite = new SQLite(build, extension)
  const most = lineitemColumns.slice(3, 15)
  await declare(sqlite, ['lineitem', 'lineitem_own'])
  await sqlite.run(`CREATE VIRTUAL TABLE temp.held
                    USING arrays('SELECT ${most} FROM lineitem')`)
  for (const columns of [['l_linenumber', 'l_extendedprice', 'l_shipmode'], most]) {
    for (const table of ['lineitem', 'lineitem_own']) {
      const ask = t => () => sqlite.take(`SELECT ${columns} FROM ${t}`)
      await pair(`${columns.length} columns, ${table}`, ask(table), ask('held'), 1.15)
    }
  }
  await sqlite.close()
}

// As ratios to the native table: processor time of the thread that steps, that
// of all threads, and time on the wall, with threads=0 and with the default.
parts['16 columns against a native table'] = async name => {
  title(name, ['native', 'threads=0', 'wall', 'default', 'all', 'wall',
               'trivial'])
  const sqlite = new SQLite(build, extension)
  const native = (await openNative()).asPeer()
  await declare(sqlite, ['lineitem', 'lineitem_plain'])
  await sqlite.run('CREATE VIRTUAL TABLE temp.t USING trivial(mixed, 6000000)')
  for (const [what, how, query] of [['sum/max', 'run', touchAll],
    ['count', 'run', countAll],
    ['SELECT *, each value taken', 'take', takeAll]]) {
    for (const table of ['lineitem', 'lineitem_plain']) {
      const ask = t => sqlite[how](query(t, lineitemColumns))
      const [a, b, c, d] = await measure([
        () => native[how](query('lineitem', lineitemColumns)),
        () => ask(table), () => ask(threaded(table)),
        () => sqlite[how](query('t', trivialColumns))])
      line(`${what}, ${table}`, [milliseconds(a.main), digits(b.main / a.main),
        digits(b.wall / a.wall), digits(c.main / a.main),
        digits(c.cpu / a.cpu), digits(c.wall / a.wall),
        digits(d.main / a.main)])
    }
  }
  await sqlite.close()
  await native.close()
}

parts['bytes read'] = async name => {
  title(name, ['our count', 'system', 'difference', 'of chunks'])
  const sqlite = new SQLite(build, extension)
  await declare(sqlite, ['lineitem', 'events', 'wide'])
  const queries = [
    ['lineitem', ['l_partkey']],
    ['lineitem', ['l_quantity', 'l_shipdate', 'l_comment']],
    ['lineitem', lineitemColumns],
    ['events', ['duration']],
    ['events', ['id', 'ts', 'country']],
    ['wide', ['c50']]
  ]
  for (const [table, columns] of queries) {
    const counts = columns.map(c => `count(${c})`).join(', ')
    const { rchar } = await sqlite.run(`SELECT ${counts} FROM ${table}`)
    const own = Number((await sqlite.run(
      'SELECT bytes_read FROM parquet_scan_stats() LIMIT 1')).value)
    const chunks = Number((await sqlite.run(`SELECT sum(total_compressed_size)
      FROM parquet_metadata('${file(table)}') WHERE path_in_schema IN
      (${columns.map(c => `'${c}'`).join(', ')})`)).value)
    line(`${columns.length} of ${table}`,
         [own, rchar, own - rchar, digits(own / chunks)])
  }
  await sqlite.close()
}

parts['opening 2,000 row groups x 20 columns'] = async name => {
  title(name, ['ours', 'DuckDB 1T', 'ratio', 'target', 'met'])
  const sqlite = new SQLite(build, extension)
  const create = `CREATE VIRTUAL TABLE temp.t
                  USING parquet('${file('groups')}')`
  const count = 'SELECT count(*) FROM t'
  const ours = async more => {
    await sqlite.open()
    const { cpu } = await sqlite.run(create)
    return { cpu: cpu + (more ? (await sqlite.run(more)).cpu : 0) }
  }
  const theirs = async sql => {
    const duck = await DuckDB.open(1)
    const time = await duck.run(sql)
    duck.close()
    return time
  }
  await pair('open', () => ours(),
             () => theirs(`SELECT * FROM '${file('groups')}' LIMIT 0`), 0.2)
  await pair('open and count(*)', () => ours(count),
             () => theirs(`SELECT count(*) FROM '${file('groups')}'`), 0.35)
  await sqlite.close()
}

// What one statement takes at most, in MB, in a process of its own, above what
// that had before it knew of the file; with the default options.
async function peakOf(table, sql, how, before) {
  if (against) return NaN
  const sqlite = new SQLite(build, extension)
  await sqlite.open()
  if (before) await sqlite.run(before)
  await sqlite.must('peak')
  const { now } = await sqlite.must('memory')
  await sqlite.run(`CREATE VIRTUAL TABLE temp.${table}
                    USING parquet('${file(table)}')`)
  await sqlite.limit(limit)
  await sqlite[how](sql)
  const { peak } = await sqlite.must('memory')
  await sqlite.close()
  return (peak - now) / 1024
}

parts['peak memory above the baseline'] = async name => {
  title(name, ['MB', 'target', 'met', 'max page'])
  for (const [table, target] of [['lineitem_pages', 40], ['events_pages', 40],
    ['numbers', 40], ['numbers_required', 40], ['groups', 40],
    ['nested', 40], ['wide'], ['lineitem'], ['events']]) {
    const mb = await peakOf(table, `SELECT * FROM ${table}`, 'take')
    const sqlite = new SQLite(build, extension)
    await sqlite.open()
    const page = (await sqlite.run(`SELECT max(uncompressed_size)
      FROM parquet_pages('${file(table)}')`)).value
    line(`all columns of ${table}`,
         [digits(mb), target ?? '', verdict(mb, target), page])
    await sqlite.close()
  }
  const duck = await duckWithViews(1, ['events'])
  const keys = await keysOf(duck)
  duck.close()
  for (const [what, , query] of queries.filter(([what]) =>
    /^GROUP BY|by text|of 20k texts/.test(what))) {
    for (const table of ['events', 'events_own']) {
      const mb = await peakOf(table, query(table), 'run', keys)
      line(`${what}, ${table}`, [digits(mb), 40, verdict(mb, 40)])
    }
  }
}

parts['values that are too large'] = async name => {
  title(name)
  const sqlite = new SQLite(build, extension)
  await sqlite.open()
  for (const [path, option] of [[file('large_value'), ''],
    [file('large_value'), ", memory='4GB'"], ...largeStrings()]) {
    await sqlite.tell('run', 'DROP TABLE IF EXISTS temp.large')
    await sqlite.run(`CREATE VIRTUAL TABLE temp.large
                      USING parquet('${path}'${option})`)
    const answer = await sqlite.tell('take', 'SELECT * FROM large')
    console.log(`${path.split('/').pop()}${option}: ` +
      (answer.error ?? `${answer.rows} row of ${answer.taken} bytes`))
  }
  await sqlite.close()
}

function largeStrings() {
  const samples = process.env.PARQUET_TESTING ?? '../shared/parquet-testing'
  const path = join(samples, 'data/large_string_map.brotli.parquet')
  return existsSync(path) ? [[path, ''], [path, ", memory='4GB'"]] : []
}

parts['queries against DuckDB and a native table'] = async name => {
  title(name, ['ours', 'DuckDB 1T', 'unpacking', 'target', '2T, wall', 'native',
               'target', 'peak MB'])
  const tables = ['events', 'lineitem', 'wide']
  const sqlite = new SQLite(build, extension)
  const native = (await openNative()).asPeer()
  await declare(sqlite, tables)
  const one = await duckWithViews(1, tables)
  const two = await duckWithViews(2, tables)
  const keys = await keysOf(one)
  for (const each of [sqlite, native, one, two]) await each.run(keys)
  for (const each of [sqlite, native]) await each.limit(limit)
  for (const [what, table, query, target, nativeTarget, how] of queries) {
    if (!new RegExp(process.env.LINES ?? '').test(what)) continue
    const ask = t => sqlite[how ?? 'run'](query(t))
    const sides = [() => ask(table), () => one.run(query(table))]
    if (table !== 'wide') sides.push(() => native[how ?? 'run'](query(table)))
    sides.push(...await unpacking(sqlite, file(table), unpacked[what]))
    const [a, b, c, least] = await medians('cpu', sides)
    const [d, e] = await medians('wall', [() => ask(threaded(table)),
                                          () => two.run(query(table))])
    line(what, [milliseconds(a), digits(a / b), least ? digits(least / b) : '',
                target ?? '', digits(d / e), c ? digits(a / c) : '', nativeTarget ?? '',
                digits(await peakOf(table, query(table), how ?? 'run', keys))])
    if (Number.isNaN(a)) console.log(`  stopped after ${limit} s`)
  }
  const query = `SELECT url FROM 'x' WHERE id = 7654321`
  const [a, b] = await medians('wall', [
    () => coldSQLite(build, extension,
      [`CREATE VIRTUAL TABLE temp.x USING parquet('${file('events')}')`,
       query]),
    () => coldDuckDB(query.replace('x', file('events')))])
  line('cold process, point by sorted id', [milliseconds(a), '', '', '',
    digits(a / b)])
  one.close()
  two.close()
  await sqlite.close()
  await native.close()
}

// Each side reads the rows as it writes them.
parts['our files in ours, DuckDB\'s files in DuckDB'] = async name => {
  title(name, ['ours', 'DuckDB 1T', 'ratio', 'target', 'met', '2T, wall',
               'peak MB'])
  const sqlite = new SQLite(build, extension)
  await declare(sqlite, ['events_own', 'lineitem_own'])
  const one = await duckWithViews(1, ['events', 'lineitem'])
  const two = await duckWithViews(2, ['events', 'lineitem'])
  const keys = await keysOf(one)
  for (const each of [sqlite, one, two]) await each.run(keys)
  await sqlite.limit(limit)
  const { value: url } = await sqlite.run(
    'SELECT url FROM events_own WHERE id = 7654321')
  for (const [what, table, query, target, how] of ownQueries(url)) {
    const own = `${table}_own`
    const ask = t => sqlite[how ?? 'run'](query(t))
    const [a, b] = await medians('cpu', [() => ask(own),
                                         () => one.run(query(table))])
    const [c, d] = await medians('wall', [() => ask(threaded(own)),
                                          () => two.run(query(table))])
    line(what, [milliseconds(a), milliseconds(b), digits(a / b), target,
      verdict(a / b, target), digits(c / d),
      digits(await peakOf(own, query(own), how ?? 'run', keys))])
  }
  one.close()
  two.close()
  await sqlite.close()
}

Object.assign(parts, copyParts({ build, extension, folder, file, openNative }),
              jsonParts({ build, extension, folder, file }),
              encryptionParts({ build, extension, folder, file }),
              formParts({ build, extension, file }))

// These make their own.
const ownData = { ...geoParts({ build, extension, folder }),
                  ...moveParts({ build, extension, folder }),
                  ...rollupParts({ build, extension, folder, file }),
                  ...workloadParts({ build, extension, folder }),
                  ...remoteParts({ build, extension, folder, file }) }
const asked = of => Object.entries(of).filter(([name]) => only.test(name))

if (asked(parts).length) await makeData(folder, build, extension)
for (const [name, part] of asked({ ...parts, ...ownData })) await part(name)
conclusion()

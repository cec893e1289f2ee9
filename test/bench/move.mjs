// move.mjs - what it costs to move data: files made of files, whole databases and
// cold rows, each against the same work done by hand.
//
// SIZE=1 is a thousand files of 1 MB, and a table of 10 million rows.  A fifth of
// that is measured unless it is given, which takes three minutes.  DuckDB copies
// the same files on two threads, so what is compared with it is time on the wall.
//
// The targets: chunks that are copied take an eighth of the time of a copy of their
// rows, row groups that are joined take as long as it, and neither needs more than
// 64 MB.
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { eventsOf, make } from './data.mjs'
import { SQLite, DuckDB } from './peers.mjs'
import { measure, digits, milliseconds, line, title, verdict, against, repeat }
  from './measure.mjs'

const size = Number(process.env.SIZE ?? 0.2)
const rounds = Math.min(repeat, 2)
const fileRows = 22000, files = Math.round(1000 * size)
const tableRows = Math.round(1e7 * size), cold = tableRows / 10 * 9
const create = `CREATE TABLE events(id INTEGER PRIMARY KEY, ts TEXT, user_id INTEGER,
  url TEXT, country TEXT, duration REAL, status INTEGER)`
const wait = 'PRAGMA busy_timeout = 600000'

export function moveParts({ build, extension, folder }) {
  const parts = {}, at = name => join(folder, 'move', name)
  const source = at('source.parquet'), small = at('small'), large = at('large.parquet')
  const database = at('events.db'), made = at('made.parquet')
  const copyTo = (query, to, options) =>
    `SELECT parquet_copy_to('${query}', '${to}', '${JSON.stringify(options)}')`
  const table = (name, path) =>
    `CREATE VIRTUAL TABLE temp.${name} USING parquet('${path}')`

  async function open(path, ...statements) {
    const sqlite = new SQLite(build, extension)
    await sqlite.open(path)
    for (const sql of statements) await sqlite.run(sql)
    return sqlite
  }

  // Both write Snappy, as if another program had written the files.
  async function makeFiles() {
    mkdirSync(at(''), { recursive: true })
    const once = (path, write) => make(path, `${size} ${fileRows} ${create}`, write)
    await once(source, async path => {
      const duck = await DuckDB.open(2)
      await duck.run(`COPY (${eventsOf(Math.max(files * fileRows, tableRows))})
        TO '${path}' (FORMAT parquet, COMPRESSION snappy)`)
      duck.close()
    })
    const sqlite = await open(':memory:', table('source', source))
    const compression = 'snappy', some = `SELECT * FROM source LIMIT ${tableRows}`
    await once(small, path => sqlite.run(copyTo('SELECT * FROM source', path,
      { compression, file_rows: fileRows })))
    await once(large, path => sqlite.run(copyTo(some, path, { compression })))
    await once(database, async path => {
      const native = await open(path, table('source', source),
        `${create}; INSERT INTO events ${some}`)
      await native.close()
    })
    await sqlite.close()
  }

  // Above what the process had before, in MB.
  async function peakOf(path, before, sql) {
    if (against) return NaN
    const sqlite = await open(path, ...before)
    await sqlite.must('peak')
    const { now } = await sqlite.must('memory')
    await sqlite.run(sql)
    const { peak } = await sqlite.must('memory')
    await sqlite.close()
    return (peak - now) / 1024
  }

  parts['move: files made of files'] = async name => {
    await makeFiles()
    title(name, ['ours', 'copy', 'cpu', 'target', 'met', 'wall', 'DuckDB', 'peak MB',
                 'target', 'met'])
    const before = [table('small', small), table('large', large)]
    const sqlite = await open(':memory:', ...before)
    const duck = await DuckDB.open(2)
    const ways = [
      [`${files} files of 1 MB, chunks copied`, 'small', 'snappy',
       {}, 0.125],
      ['their row groups joined', 'small', 'snappy',
       { min_row_group_rows: 50000 }, 1],
      [`${tableRows} rows, Snappy packed as Zstd`, 'large', 'zstd',
       { compression: 'zstd' }]
    ]
    for (const [what, from, compression, options, target] of ways) {
      const path = from === 'small' ? small : large
      const rewrite = `SELECT parquet_rewrite('${path}', '${made}',
        '${JSON.stringify(options)}')`
      const [a, b, c] = await measure([() => sqlite.run(rewrite),
        () => sqlite.run(copyTo(`SELECT * FROM ${from}`, made, { compression })),
        () => duck.run(`COPY (FROM '${path}${from === 'small' ? '/*.parquet' : ''}')
          TO '${made}' (FORMAT parquet, COMPRESSION ${compression})`)], rounds)
      const mb = await peakOf(':memory:', before, rewrite)
      line(what, [milliseconds(a.wall), milliseconds(b.wall), digits(a.cpu / b.cpu),
        target ?? '', verdict(a.cpu / b.cpu, target), digits(a.wall / b.wall),
        digits(a.wall / c.wall), digits(mb), 64, verdict(mb, 64)])
    }
    duck.close()
    await sqlite.close()
    rmSync(made, { force: true })
  }

  parts['move: a database'] = async name => {
    await makeFiles()
    title(name, ['ours', 'by hand', 'cpu', 'wall', 'peak MB', 'by hand'])
    const imported = at('imported.db'), out = at('exported')
    const exported = join(out, 'events.parquet')
    const ways = {
      'parquet_export, a copy': [database, [],
        `SELECT parquet_export('${out}', '{"overwrite": "replace"}')`,
        copyTo('SELECT * FROM events', made, {})],
      'parquet_import, INSERT SELECT': [':memory:', [table('exported', exported)],
        `SELECT parquet_import('${out}')`,
        `${create}; INSERT INTO events SELECT * FROM exported`]
    }
    for (const [what, [path, before, ours, byHand]] of Object.entries(ways)) {
      const sqlite = await open(path)
      const side = sql => async () => {
        await sqlite.open(path)
        for (const each of before) await sqlite.run(each)
        return sqlite.run(sql)
      }
      const [a, b] = await measure([side(ours), side(byHand)], rounds)
      const peak = async sql => {
        if (path === ':memory:') rmSync(imported, { force: true })
        return digits(await peakOf(path === ':memory:' ? imported : path, before, sql))
      }
      line(what, [milliseconds(a.wall), milliseconds(b.wall), digits(a.cpu / b.cpu),
        digits(a.wall / b.wall), await peak(ours), await peak(byHand)])
      await sqlite.close()
    }
    rmSync(imported, { force: true })
    rmSync(out, { recursive: true })
    rmSync(made, { force: true })
  }

  // Runs a statement on a database of its own, while another process asks for its
  // lock again and again: how long did it wait at most?
  async function whileAsked(path, before, sql) {
    copyFileSync(database, path)
    const sqlite = await open(path, wait, ...before), other = await open(path, wait)
    let done = false, waited = 0
    await sqlite.must('peak')
    const { now } = await sqlite.must('memory')
    const asking = (async () => {
      while (!done) {
        const { wall } = await other.run('BEGIN IMMEDIATE; COMMIT')
        waited = Math.max(waited, wall)
      }
    })()
    const { wall, cpu } = await sqlite.run(sql)
    const { peak } = await sqlite.must('memory')
    done = true
    await asking
    await other.close()
    await sqlite.close()
    return { wall, cpu, waited, mb: (peak - now) / 1024 }
  }

  parts['move: cold rows'] = async name => {
    if (against) return
    await makeFiles()
    title(name, ['ms', 'cpu', 'lock held', 'peak MB'])
    const path = at('hot.db'), away = at('cold.db'), there = at('cold')
    const archive = options => `SELECT parquet_archive('events', 'id < ${cold}',
      '${there}', '${JSON.stringify(options)}')`
    const ways = {
      'INSERT and DELETE by hand': [[`ATTACH '${away}' AS away`],
        `BEGIN IMMEDIATE; ${create.replace('events', 'away.events')};
         INSERT INTO away.events SELECT * FROM main.events WHERE id < ${cold};
         DELETE FROM main.events WHERE id < ${cold}; COMMIT`],
      'parquet_archive': [[], archive({})],
      'parquet_archive in ten batches': [[], archive({ batch: cold / 10 })]
    }
    for (const [what, [before, sql]] of Object.entries(ways)) {
      const { wall, cpu, waited, mb } = await whileAsked(path, before, sql)
      line(`${cold} rows, ${what}`, [milliseconds(wall), milliseconds(cpu),
        milliseconds(waited), digits(mb)])
      for (const each of [path, away]) rmSync(each, { force: true })
      rmSync(there, { recursive: true, force: true })
    }
  }
  return parts
}

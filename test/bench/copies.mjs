// copies.mjs - what parquet_copy_to costs, in time, memory and bytes.
//
// Its query is stepped, and every value taken, by anybody who wants the rows:
// that is 1.  Encoding and compression are to be done meanwhile, on the other
// processor.  DuckDB copies the same rows from a table of its own, with the same
// codec and level; SQLite's rows come from a B-tree row by row, DuckDB's from
// columns, so that ratio is printed and has no target.
import { join } from 'node:path'
import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { SQLite, DuckDB } from './peers.mjs'
import { measure, digits, milliseconds, line, title, verdict }
  from './measure.mjs'

const names = ['lineitem', 'events']
const zstd = 'COMPRESSION zstd, COMPRESSION_LEVEL 3'
const MB = 1024 * 1024

export function copyParts({ build, extension, folder, file, openNative }) {
  const parts = {}
  const made = join(folder, 'copy.parquet')
  const copyOf = (query, options = {}) => `SELECT parquet_copy_to('${query}',
    '${made}', '${JSON.stringify(options)}')`
  const all = name => `SELECT * FROM ${name}`
  const theirs = (name, options) =>
    `COPY ${name} TO '${made}' (FORMAT parquet, ${options})`

  async function openDuck(threads) {
    const path = join(folder, 'duck.db')
    if (!existsSync(path)) {
      console.error(`making ${path}`)
      rmSync(`${path}.unfinished`, { force: true })
      const duck = await DuckDB.open(2, `${path}.unfinished`)
      for (const name of names) {
        await duck.run(`CREATE TABLE ${name} AS FROM '${file(name)}'`)
      }
      await duck.run('CHECKPOINT')
      duck.close()
      renameSync(`${path}.unfinished`, path)
    }
    const duck = await DuckDB.open(threads, path)
    await duck.run('SET preserve_insertion_order = true')
    return duck
  }

  async function sizeOf(side, sql) {
    await side.run(sql)
    return statSync(made).size
  }

  // taken: the query stepped and its values taken, on the wall.  copy: on the
  // wall, with the ratio to that; of processor time, what the thread that steps
  // used and what all threads did, as ratios to the same.  against DuckDB: on
  // the wall, with one thread of its own and with two.
  parts['COPY from a native table'] = async name => {
    title(name, ['taken', 'copy', 'wall', 'target', 'met', 'main', 'all',
                 'DuckDB 1T', '2T'])
    const native = await openNative()
    const duck = await openDuck(2)
    const threads = n => duck.run(`SET threads = ${n}`)
    const copies = { defaults: [{}, `${zstd}, PARQUET_VERSION V1`],
      modern: [{ compatibility: 'modern' }, `${zstd}, PARQUET_VERSION V2`] }
    for (const table of names) {
      for (const [what, [ours, other]] of Object.entries(copies)) {
        const on = async n => {
          await threads(n)
          return duck.run(theirs(table, other))
        }
        const [a, b, one, two] = await measure([
          () => native.take(all(table)),
          () => native.run(copyOf(all(table), ours)), () => on(1), () => on(2)])
        const wall = b.wall / a.wall
        line(`${table}, ${what}`, [milliseconds(a.wall), milliseconds(b.wall),
          digits(wall), 1.3, verdict(wall, 1.3), digits(b.main / a.main),
          digits(b.cpu / a.cpu), digits(b.wall / one.wall),
          digits(b.wall / two.wall)])
      }
    }
    duck.close()
    await native.close()
    rmSync(made, { force: true })
  }

  // Above what the process had before, from a process that maps no file.
  parts['peak memory of a COPY'] = async name => {
    title(name, ['MB', 'memory', 'met'])
    const native = await openNative()
    await native.close()
    const tenMillion = `SELECT * FROM (SELECT * FROM lineitem UNION ALL
      SELECT * FROM lineitem) LIMIT 10000000`
    const queries = { lineitem: all('lineitem'), events: all('events'),
                      '10M rows of lineitem': tenMillion }
    for (const [what, query] of Object.entries(queries)) {
      for (const memory of [256, 64]) {
        const sqlite = new SQLite(build, extension)
        await sqlite.open(join(folder, 'native.db'))
        await sqlite.must('peak')
        const { now } = await sqlite.must('memory')
        await sqlite.run(copyOf(query, { memory: `${memory}MB` }))
        const { peak } = await sqlite.must('memory')
        const mb = (peak - now) / 1024
        line(what, [digits(mb), memory, verdict(mb, memory)])
        await sqlite.close()
      }
    }
    rmSync(made, { force: true })
  }

  // From DuckDB's own file, so that types are the same.
  parts['size of what COPY writes'] = async name => {
    title(name, ['standard', 'to V1', 'target', 'met', 'modern', 'to V1',
                 'target', 'met', 'to V2', 'target', 'met'])
    const sqlite = new SQLite(build, extension)
    await sqlite.open()
    const duck = await openDuck(2)
    for (const table of names) {
      await sqlite.run(`CREATE VIRTUAL TABLE temp.${table}
                        USING parquet('${file(table)}')`)
      for (const [compression, codec] of [['zstd', zstd],
                                          ['snappy', 'COMPRESSION snappy']]) {
        const ours = more => sizeOf(sqlite, copyOf(all(table),
                                                   { compression, ...more }))
        const other = version => sizeOf(duck,
          theirs(table, `${codec}, PARQUET_VERSION ${version}`))
        const standard = await ours({})
        const modern = await ours({ compatibility: 'modern' })
        const v1 = await other('V1'), v2 = await other('V2')
        const ratio = (size, to, target) =>
          [digits(size / to), target, verdict(size / to, target)]
        line(`${table}, ${compression}`, [
          `${digits(standard / MB)} MB`, ...ratio(standard, v1, 1),
          `${digits(modern / MB)} MB`, ...ratio(modern, v1, 0.9),
          ...ratio(modern, v2, 1)])
      }
    }
    duck.close()
    await sqlite.close()
    rmSync(made, { force: true })
  }
  return parts
}

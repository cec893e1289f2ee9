// encryption.mjs - what encryption costs: the same query on the same rows,
// encrypted and in the clear, in one run.
//
// Both are ours, so that they differ in nothing else.  The targets: a scan, and
// a copy, take 1.25 times the processor time at most, and no more memory.
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SQLite } from './peers.mjs'
import { lineitemColumns, ownQueries, makeProbes, touchAll, takeAll }
  from './queries.mjs'
import { measure, digits, milliseconds, line, title, verdict, limit }
  from './measure.mjs'

const target = 1.25
const keys = `SELECT parquet_key('footer', x'${'0f'.repeat(32)}'),
  parquet_key('column', x'${'c1'.repeat(16)}')`
const ways = {
  clear: undefined,
  gcm: { footer_key: 'footer' },
  ctr: { footer_key: 'footer', algorithm: 'AES_GCM_CTR_V1' }
}
const codecs = ['zstd', 'snappy', 'uncompressed']
const columns = { events: { url: { bloom: true } } }

export function encryptionParts({ build, extension, folder, file }) {
  const parts = {}
  const path = (table, codec, way) =>
    join(folder, `${table}_${codec}_${way}.parquet`)
  const copyTo = (table, to, codec, way) => `SELECT parquet_copy_to(
    'SELECT * FROM ${table}', '${to}', '${JSON.stringify(
      { compression: codec, columns: columns[table],
        encryption: ways[way] })}')`

  async function open() {
    const sqlite = new SQLite(build, extension)
    await sqlite.open()
    await sqlite.run(keys)
    for (const table of ['events', 'lineitem']) {
      await sqlite.run(`CREATE VIRTUAL TABLE temp.${table}
                        USING parquet('${file(table)}', threads=0)`)
    }
    return sqlite
  }

  async function declare(sqlite, table, codec) {
    for (const way of Object.keys(ways)) {
      const to = path(table, codec, way)
      if (!existsSync(to)) {
        console.error(`making ${to}`)
        await sqlite.run(copyTo(table, `${to}.unfinished`, codec, way))
        renameSync(`${to}.unfinished`, to)
      }
      await sqlite.run(`CREATE VIRTUAL TABLE temp.${table}_${codec}_${way}
                        USING parquet('${to}', threads=0)`)
    }
  }

  const heads = ['clear', 'GCM', 'met', 'CTR', 'met']

  async function compare(what, side) {
    const [a, b, c] = (await measure(Object.keys(ways).map(way =>
      () => side(way)))).map(times => times.cpu)
    line(what, [milliseconds(a), digits(b / a), verdict(b / a, target),
                digits(c / a), verdict(c / a, target)])
  }

  parts['encryption: reading'] = async name => {
    const sqlite = await open()
    await sqlite.run(makeProbes)
    await sqlite.limit(limit)
    for (const codec of codecs) {
      title(`${name}, ${codec}`, heads)
      for (const table of ['events', 'lineitem']) {
        await declare(sqlite, table, codec)
      }
      const { value: url } = await sqlite.run(
        `SELECT url FROM events_${codec}_clear WHERE id = 7654321`)
      for (const [what, table, query, , how] of ownQueries(url)) {
        if (/\burls\b/.test(query('t'))) continue     // a table that is not here
        await compare(what, way =>
          sqlite[how ?? 'run'](query(`${table}_${codec}_${way}`)))
      }
      await compare('sum/max of 16 columns', way => sqlite.run(
        touchAll(`lineitem_${codec}_${way}`, lineitemColumns)))
      await compare('16 columns, each value taken', way => sqlite.take(
        takeAll(`lineitem_${codec}_${way}`)))
    }
    await sqlite.close()
  }

  parts['encryption: writing'] = async name => {
    title(name, heads)
    const sqlite = await open(), made = join(folder, 'encrypted.parquet')
    for (const codec of codecs) {
      for (const table of ['events', 'lineitem']) {
        await compare(`${table}, ${codec}`,
          way => sqlite.run(copyTo(table, made, codec, way)))
      }
    }
    rmSync(made, { force: true })
    await sqlite.close()
  }

  // In a process of its own each, in MB above what it had before.
  parts['encryption: peak memory'] = async name => {
    title(name, Object.keys(ways))
    const made = join(folder, 'encrypted.parquet')
    const asked = {
      'sum/max of 16 columns': way =>
        touchAll(`lineitem_zstd_${way}`, lineitemColumns),
      'a copy of it': way => copyTo('lineitem_zstd_clear', made, 'zstd', way)
    }
    for (const [what, query] of Object.entries(asked)) {
      const megabytes = []
      for (const way of Object.keys(ways)) {
        const sqlite = await open()
        await declare(sqlite, 'lineitem', 'zstd')
        await sqlite.must('peak')
        const { now } = await sqlite.must('memory')
        await sqlite.run(query(way))
        const { peak } = await sqlite.must('memory')
        megabytes.push(digits((peak - now) / 1024))
        await sqlite.close()
      }
      line(what, megabytes)
    }
    rmSync(made, { force: true })
  }

  return parts
}

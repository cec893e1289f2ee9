// written_filters.mjs - a process that queries sorted files with WHERE in
// DuckDB and hyparquet.  Both skip row groups and pages by the metadata of the
// file.  The rows have to be the same as without skipping.
//
// A line { file, names: { duckdb, hyparquet }, isProbed, usePageIndex } in, a line
// { asked, skipped, wrong: [...] } out.  DuckDB's own parquet_metadata and
// parquet_bloom_probe are compared with the values too.
import { openSync, closeSync, fstatSync, readSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { DuckDBInstance } from '@duckdb/node-api'
import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { matchFilter } from './node_modules/hyparquet/src/filter.js'
import { SORTED_GROUP as GROUP } from './written_write.mjs'

const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
const db = await instance.connect()
await db.run("SET TimeZone = 'UTC'")

const query = async sql => (await db.runAndReadAll(sql)).getRowsJson()
const text = v => `'${String(v).replaceAll("'", "''")}'`

// Texts of values as DuckDB writes them, from all over the column.
const samples = column => query(`SELECT DISTINCT ON (v) v FROM (
    SELECT ${column}::VARCHAR AS v, row_number() OVER () AS n FROM copied
    WHERE ${column} IS NOT NULL)
  WHERE n IN (1, 2, 40, 200, 395) OR v = 'nan'`)

async function duckdb(file, names, out, { isProbed }) {
  const from = `read_parquet(${text(file)}, file_row_number = true)`
  await db.run(`CREATE OR REPLACE TEMP TABLE copied AS
    SELECT file_row_number, ${names} FROM ${from}`)
  for (const name of names) {
    const [[type]] = await query(`SELECT any_value(typeof(${name})) FROM copied`)
    const literals = (await samples(name))
      .map(([v]) => `CAST(${text(v)} AS ${type})`)
    if (/FLOAT|DOUBLE/.test(type)) {           // both zeros are in the data
      literals.push(`CAST('0' AS ${type})`, `CAST('-0' AS ${type})`)
    }
    const conditions = literals.flatMap(v =>
      ['=', '<', '>', '<=', '>='].map(op => `${name} ${op} ${v}`))
    conditions.push(`${name} IS NULL`, `${name} IS NOT NULL`)
    if (literals.length > 1) {
      conditions.push(`${name} IN (${literals.slice(0, 2)})`,
        `${name} BETWEEN ${literals[0]} AND ${literals.at(-1)}`)
    }
    for (const condition of conditions) {
      const count = table => query(`SELECT count(*), sum(file_row_number),
        count(${name}) FROM ${table} WHERE ${condition}`)
      const there = JSON.stringify(await count(from))
      const all = JSON.stringify(await count('copied'))
      out.asked++
      if (there !== all) out.wrong.push(`DuckDB: ${condition}: ${there}, not ${all}`)
    }
    if (isProbed) await probe(file, name, literals, out)
  }
  await metadata(file, names, out)
}

// A filter may rule out only a row group without the value.
async function probe(file, name, literals, out) {
  for (const v of literals) {
    const rows = await query(`SELECT row_group_id, bloom_filter_excludes
      FROM parquet_bloom_probe(${text(file)}, '${name}', ${v})`).catch(() => [])
    for (const [group, excludes] of rows) {
      const [[there]] = await query(`SELECT count(*) FROM copied
        WHERE ${name} = ${v} AND file_row_number >= ${group * GROUP}
          AND file_row_number < ${(Number(group) + 1) * GROUP}`)
      out.asked++
      if (excludes) out.skipped++
      if (excludes && Number(there)) {
        out.wrong.push(`DuckDB: the Bloom filter of row group ${group} of ${name} ` +
          `rules out ${v}`)
      }
    }
  }
}

// The bounds that DuckDB prints, for the types where it prints them.
async function metadata(file, names, out) {
  const rows = await query(`SELECT row_group_id, path_in_schema, num_values,
      stats_null_count, stats_min_value, stats_max_value
    FROM parquet_metadata(${text(file)})`)
  for (const [group, name, values, nulls, min, max] of rows) {
    if (!names.includes(name)) continue
    const where = `file_row_number >= ${group * GROUP} AND ` +
      `file_row_number < ${(Number(group) + 1) * GROUP}`
    const [[all, present]] = await query(
      `SELECT count(*), count(${name}) FROM copied WHERE ${where}`)
    out.asked++
    if (Number(values) !== Number(all) ||
        Number(nulls) !== Number(all) - Number(present)) {
      out.wrong.push(`DuckDB: ${name}, row group ${group}: ${values} values, ` +
        `${nulls} nulls`)
    }
    const [[type]] = await query(`SELECT any_value(typeof(${name})) FROM copied`)
    if (!/^(DECIMAL|DATE|\w*INT\w*|DOUBLE|FLOAT|BOOLEAN)\b/.test(type)) continue
    for (const [bound, op] of [[min, '<'], [max, '>']]) {
      if (bound === null) continue
      const [[beyond]] = await query(`SELECT count(*) FROM copied WHERE ${where} AND
        ${name} ${op} CAST(${text(bound)} AS ${type})
        AND ${name}::VARCHAR <> 'nan'`)
      out.asked++
      if (Number(beyond)) {
        out.wrong.push(`DuckDB: ${name}, row group ${group}: ${beyond} values ` +
          `${op} ${bound}`)
      }
    }
  }
}

async function hyparquet(path, names, out, { usePageIndex }) {
  const fd = openSync(path)
  let bytes = 0
  const file = {
    byteLength: fstatSync(fd).size,
    slice(start, end = this.byteLength) {
      const b = new Uint8Array(end - start)
      readSync(fd, b, 0, b.length, start)
      bytes += b.length
      return b.buffer
    }
  }
  try {
    const metadata = await parquetMetadataAsync(file, { geoparquet: false })
    const read = more => parquetReadObjects({ file, metadata, compressors,
      geoparquet: false, utf8: false, ...more })
    for (const name of names) {
      bytes = 0
      const all = await read({ columns: [name] })
      const whole = bytes
      const values = [0, 1, 40, 200, 395].map(i => all[i]?.[name])
        .filter(v => v !== undefined && v !== null && !(v instanceof Uint8Array))
      const filters = values.flatMap(v => ['$eq', '$lt', '$gt', '$lte', '$gte']
        .map(op => ({ [name]: { [op]: v } })))
      filters.push({ [name]: { $eq: null } }, { [name]: { $in: values.slice(0, 2) } })
      for (const filter of filters) {
        bytes = 0
        const found = await read({ columns: [name], filter, filterStrict: true,
          useBloomFilters: true, usePageIndex, useOffsetIndex: true })
        if (bytes < whole) out.skipped++
        out.asked++
        const wanted = all.filter(row => matchFilter(row, filter, true))
        if (show(found) !== show(wanted)) {
          out.wrong.push(`hyparquet: ${show(filter)}: ${found.length} rows, ` +
            `not ${wanted.length}`)
        }
      }
    }
  } finally {
    closeSync(fd)
  }
}

const show = x =>
  JSON.stringify(x, (_, v) => typeof v === 'bigint' ? String(v) : v)

for await (const line of createInterface({ input: process.stdin })) {
  const { file, names, ...more } = JSON.parse(line)
  const out = { asked: 0, skipped: 0, wrong: [] }
  for (const [reader, ask] of Object.entries({ duckdb, hyparquet })) {
    if (!names[reader]) continue
    try {
      await ask(file, names[reader], out, more)
    } catch (e) {
      out.wrong.push(`${reader}: ${e?.message ?? e}`)
    }
  }
  process.stdout.write(JSON.stringify(out) + '\n')
}

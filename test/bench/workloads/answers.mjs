// answers.mjs - the queries of the workloads, at a small scale, give the same
// answers over Parquet files as over native tables and in DuckDB.
//
//   node answers.mjs             all of them
//   QUERIES='17 20' node ...     these of both workloads
//
// Each query is run over the files that DuckDB wrote, over ours, and over native
// tables of which some are replaced by files; on the system's SQLite and on the
// newest (newest.sh builds it).  Rows are compared in the order of all columns,
// numbers that are not whole to nine digits.
//
// A query with LIMIT has many right answers if rows tie.  So it is compared with
// all of its columns added to ORDER BY; and as it is, its rows have to be among
// those that it has without LIMIT, and to be as many.
//
// The questions of ClickBench are also asked of a rollup (hits_rollup.sql) over
// both files, and have the answers that the table's rows give.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Workload, newestSQLite } from './workload_data.mjs'
import { queriesOf } from './queries_of.mjs'
import { hitsTable } from './hits.mjs'
import { tpchTables, tpchIndexes } from './tpch.mjs'
import { difference, ofSQLite, ofDuckDB } from '../same_rows.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const build = process.env.BUILD ?? 'build'
const extension = process.env.SO ?? './parquet.so'
const wanted = process.env.QUERIES?.split(/[ ,]+/)
const scale = 0.02, hitsRows = 20000

let passed = 0, failed = 0
function check(what, fault) {
  if (!fault) return passed++
  failed++
  console.log(`FAIL ${what}: ${fault}`)
}

// --- comparing -----------------------------------------------------------------

// Exact, since no answer with LIMIT is rounded.
function notAmong(rows, known, n) {
  if (rows.length !== n) return `${rows.length} rows, not ${n}`
  const other = rows.find(row => !known.has(JSON.stringify(row)))
  return other && `no such row: ${JSON.stringify(other).slice(0, 200)}`
}

// --- the sides ------------------------------------------------------------------

// Native tables, but for some.
async function openMixed(work, library, [replaced, options]) {
  const sqlite = await work.open('native', library)
  for (const name of replaced) {
    await sqlite.run(`CREATE VIRTUAL TABLE temp.${name}
      USING parquet('${work.file('duck', name)}'${options})`)
  }
  return sqlite
}

const mixes = [[['lineitem', 'supplier', 'customer', 'region'], ', threads=0'],
               [['orders', 'part', 'partsupp', 'nation'], '']]

// [name, connection] of what is held against the native tables.
async function open(work, library, version) {
  const sides = []
  for (const kind of ['duck', 'own', ...(library ? ['native'] : [])]) {
    sides.push([`${kind}, ${version}`, await work.open(kind, library)])
  }
  for (const mix of mixes) {
    const [replaced] = mix
    if (!replaced.every(name => work.names.includes(name))) continue
    sides.push([`${replaced[0]} of files, ${version}`,
                await openMixed(work, library, mix)])
  }
  return sides
}

// --- the queries ----------------------------------------------------------------

const limited = /\sLIMIT \d+(?: OFFSET \d+)?$/
const ordered = (sql, columns) => {
  const all = Array.from({ length: columns }, (_, i) => i + 1).join(', ')
  return / ORDER BY [^)]*$|\nORDER BY [^)]*$/.test(sql)
    ? sql.replace(limited, limit => `, ${all}${limit}`)
    : sql.replace(limited, limit => ` ORDER BY ${all}${limit}`)
}

async function compare(what, sql, native, duck, sides) {
  const asIs = await native(sql)
  check(`${what} has an answer`, asIs.length === 0 ||
    asIs.every(row => row.every(x => x === null)) ? 'nothing' : undefined)
  const cut = limited.test(sql) && asIs.length > 0
  const text = cut ? ordered(sql, asIs[0].length) : sql
  const right = cut ? await native(text) : asIs
  check(`${what}, DuckDB`, difference(await duck(text), right))
  const all = cut && new Set((await native(sql.replace(limited, '')))
    .map(row => JSON.stringify(row)))
  for (const [name, ask] of sides) {
    check(`${what}, ${name}`, difference(await ask(text), right))
    if (!cut) continue
    const rows = await ask(sql)
    const fraction = rows.flat().some(x => typeof x === 'number')
    check(`${what} as it is, ${name}`, fraction
      ? difference(rows, asIs) : notAmong(rows, all, asIs.length))
  }
}

// A question asked of rollups has the answer that the rows give.
async function compareRollup(what, form, sql, native, sides) {
  const asIs = await native(sql), cut = limited.test(sql) && asIs.length > 0
  const order = text => cut ? ordered(text, asIs[0].length) : text
  const right = await native(order(sql))
  const all = cut && new Set((await native(sql.replace(limited, '')))
    .map(row => JSON.stringify(row)))
  for (const [name, ask] of sides) {
    check(`${what}, ${name}`, difference(await ask(order(form)), right))
    const rows = await ask(form)
    if (!cut || rows.flat().some(x => typeof x === 'number')) continue
    check(`${what} as it is, ${name}`, notAmong(rows, all, asIs.length))
  }
}

async function rollups(work, sides, native, queries, [[, definition], ...forms]) {
  const cubes = []
  for (const [name, sqlite] of sides) {
    const kind = /^(duck|own),/.exec(name)?.[1]
    if (!kind) continue
    await sqlite.run(`CREATE VIRTUAL TABLE temp.cube USING parquet(
      '${work.file(kind, 'hits')}', rollup='${definition}')`)
    cubes.push([`rollup of ${name}`, ofSQLite(sqlite)])
  }
  check('rollups are there', cubes.length === 4 && forms.length === 38
    ? undefined : `${cubes.length} tables, ${forms.length} questions`)
  const plain = new Map(queries)
  for (const [query, form] of forms) {
    if (wanted && !wanted.includes(query)) continue
    await compareRollup(`hits Q${query}`, form, plain.get(query), ofSQLite(native),
                        cubes)
  }
}

async function workload(name, expected, queries, tables, indexes,
                        forms) {
  const work = new Workload({ folder: join(build, 'workloads'), build, extension,
                              name, tables, indexes })
  await work.make()
  const native = await work.open('native'), duck = await work.openDuck()
  const [library, version] = newestSQLite(build)
  const sides = [...await open(work, undefined, 'this SQLite'),
                 ...await open(work, library, version)]
  check(`${name}: all queries are there`, queries.length !== expected ||
    queries.some(([query], k) => query !== String(k + 1)) ? 'no' : undefined)
  for (const [query, sql] of queries) {
    if (wanted && !wanted.includes(query)) continue
    await compare(`${name} Q${query}`, sql, ofSQLite(native), ofDuckDB(duck),
      sides.map(([name, sqlite]) => [name, ofSQLite(sqlite)]))
  }
  if (forms) await rollups(work, sides, native, queries, forms)
  for (const [, sqlite] of sides) await sqlite.close()
  await native.close()
  duck.close()
}

await workload('tpch', 22, queriesOf(join(here, 'tpch.sql'),
  { fraction: 0.0001 / scale, quantity: 250 }), tpchTables(scale),
  `${tpchIndexes}; ANALYZE`)
await workload('hits', 43, queriesOf(join(here, 'hits.sql'), { rows: hitsRows }),
  { hits: hitsTable(hitsRows) }, '',
  queriesOf(join(here, 'hits_rollup.sql'), { rows: hitsRows }))
console.log(`workloads: ${passed} passed, ${failed} failed, 0 skipped`)
process.exit(failed > 0 ? 1 : 0)

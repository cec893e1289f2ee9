// workloads.mjs - whole workloads: all queries of TPC-H and of ClickBench over
// tables like theirs (tpch.mjs, hits.mjs), and 1,000 small files in folders.
//
// Times are of the processor, ours with threads=0 against DuckDB's one thread.
// Of each query at most REPEAT (3) runs are measured, after one that is not;
// those that take long are run twice.
//
//   QUERIES='17 20'   only these
//   SQLITE=newest     on the newest SQLite that npm brings
//
// The targets.  TPC-H: each query takes at most twice as long as over native
// tables that have indexes, all of them half of that, and three times as long as
// in DuckDB.  ClickBench: each query takes at most 1.15 of the time over a
// virtual table that hands out the same rows from arrays (../arrays.c), and all
// of them at most 0.6 of a native table's.  No query takes 30 s that a native
// table answers in one.  Folders: half of DuckDB's time.
//
// By a rollup (hits_rollup.sql): at most 0.75 of DuckDB on its files and 0.5 on
// ours, as a geometric mean, and no query more than 1.3 times its plain form.
//
// Arrays that filter are printed too.  They are no target, since their values
// are decoded and ours are not: they show what is left where few rows pass.
import { join, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SQLite, DuckDB } from '../peers.mjs'
import { measure, digits, milliseconds, line, title, verdict, limit,
         against } from '../measure.mjs'
import { Workload, makeHive, newestSQLite } from './workload_data.mjs'
import { queriesOf } from './queries_of.mjs'
import { formPair } from '../forms.mjs'
import { hitsTable } from './hits.mjs'
import { tpchTables, tpchIndexes } from './tpch.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const rounds = Number(process.env.REPEAT ?? 3), patience = 3
const wanted = process.env.QUERIES?.split(/[ ,]+/)

const scale = Number(process.env.SCALE ?? 0.3)
const hitsRows = Number(process.env.HITS ?? 2000000)

const sum = list => list.reduce((a, b) => a + b, 0)
const version = async sqlite =>
  (await sqlite.run('SELECT sqlite_version()')).value

// Runs each query on all sides, in turn; the answers' numbers of rows agree.
// print(name, medians) prints a line.
async function each(queries, sides, print) {
  const table = []
  for (const [name, sql] of queries) {
    if (wanted && !wanted.includes(name)) continue
    const rows = sides.map(() => undefined)
    const times = await measure(sides.map((side, k) => async () => {
      const answer = await side.take(sql)
      rows[k] = answer.rows
      return answer
    }), rounds, patience)
    const cpu = times.map(each => each.cpu)
    const known = rows.filter(n => n !== undefined)
    if (known.some(n => n !== known[0])) {
      console.log(`Q${name}: WRONG, ${rows.join(', ')} rows`)
    }
    print(`Q${name}`, cpu)
    table.push([name, cpu])
  }
  return table
}

// What a stopped query counts for: the limit.
const counted = us => Number.isNaN(us) ? limit * 1e6 : us
const ratio = (a, b) => counted(a) / counted(b)
const total = (table, k) => sum(table.map(([, cpu]) => counted(cpu[k])))

function summary(what, ratio, target) {
  line(what, [digits(ratio), target ?? '', verdict(ratio, target)])
}

// Which queries miss a target, worst first.
function missed(table, what, of, target) {
  if (against) return
  const worst = table.map(([name, cpu]) => [name, of(cpu)])
    .filter(([, x]) => x > target).sort((a, b) => b[1] - a[1])
  console.log(`${what}: ` + (worst.length === 0 ? 'none'
    : worst.map(([name, x]) => `Q${name} ${digits(x)}`).join(', ')))
}

function neverBack(table, ours, native) {
  missed(table, 'over 30 s, native below 1 s', cpu =>
    Math.max(...ours.map(k => counted(cpu[k]) >= 30e6 &&
      cpu[native] < 1e6 ? counted(cpu[k]) / 1e6 : 0)), 1)
}

const tpchQueries = () => queriesOf(join(here, 'tpch.sql'),
  { fraction: 0.0001 / scale, quantity: 300 })
const hitsQueries = () => queriesOf(join(here, 'hits.sql'), { rows: hitsRows })
const hitsRollup = () => queriesOf(join(here, 'hits_rollup.sql'), { rows: hitsRows })

// TPC-H's ORs over two tables, with what all their sides have in common.
const orsHelped = {
  7: sql => sql.replace('WHERE', `WHERE n1.n_name IN ('FRANCE', 'GERMANY')
    AND n2.n_name IN ('FRANCE', 'GERMANY') AND`),
  19: sql => sql.replace(/WHERE ([^]*)/, `WHERE p_partkey = l_partkey
    AND l_shipinstruct = 'DELIVER IN PERSON' AND l_shipmode IN ('AIR', 'AIR REG')
    AND ($1)`)
}

export function workloadParts({ build, extension, folder }) {
  const parts = {}
  const tpch = () => new Workload({ folder, build, extension,
    name: `tpch_${scale}`, tables: tpchTables(scale),
    indexes: `${tpchIndexes}; ANALYZE` })
  const clickbench = () => new Workload({ folder, build, extension,
    name: 'clickbench', tables: { hits: hitsTable(hitsRows) },
    indexes: `CREATE UNIQUE INDEX hits_key ON
      hits(CounterID, EventDate, UserID, EventTime, WatchID)` })

  // Native tables have indexes and were analyzed.  As they are without ANALYZE
  // is printed too: that it was run is not sure.
  parts['workloads: TPC-H'] = async name => {
    const work = tpch()
    await work.make()
    const duckFile = await work.open('duck'), ownFile = await work.open('own')
    const native = await work.open('native'), duck = await work.openDuck()
    const plain = (await work.open('native')).asPeer()
    await plain.run(`BEGIN; DELETE FROM sqlite_stat1; ANALYZE sqlite_schema`)
    for (const side of [duckFile, ownFile, native, plain]) {
      await side.limit(limit)
    }
    title(`${name}, SQLite ${await version(native)}`, ['ours', 'our file',
      'native', 'DuckDB 1T', 'no ANALYZE', 'of native', 'our file', 'target',
      'met', 'of DuckDB', 'our file'])
    const most = 2
    const table = await each(tpchQueries(),
      [duckFile, ownFile, native, duck, plain], (query, cpu) => {
        const [a, b, c, d] = cpu
        line(query, [...cpu.map(milliseconds), digits(ratio(a, c)),
          digits(ratio(b, c)), most,
          verdict(Math.max(ratio(a, c), ratio(b, c)), most),
          digits(ratio(a, d)), digits(ratio(b, d))])
      })
    title('all of them', ['ratio', 'target', 'met'])
    for (const [k, file] of [[0, 'DuckDB\'s file'], [1, 'our file']]) {
      const ours = total(table, k)
      summary(`of native, ${file}`, ours / total(table, 2), 0.5)
      summary(`of native without ANALYZE, ${file}`, ours / total(table, 4))
      summary(`of DuckDB, ${file}`, ours / total(table, 3), 3)
    }
    missed(table, 'missed, DuckDB\'s file', c => ratio(c[0], c[2]), most)
    missed(table, 'missed, our file', c => ratio(c[1], c[2]), most)
    neverBack(table, [0, 1], 2)
    for (const side of [duckFile, ownFile, native, plain]) await side.close()
    duck.close()
  }

  // An OR over two tables, as TPC-H writes it, against what the manual writes
  // beside it (sql/queries.md).
  parts['workloads: TPC-H, its ORs'] = async name => {
    const work = tpch(), query = new Map(tpchQueries())
    await work.make()
    title(name, ['natural', 'manual', 'ratio', 'target', 'met'])
    for (const [what, kind] of [["DuckDB's file", 'duck'], ['our file', 'own']]) {
      const side = await work.open(kind)
      for (const [q, help] of Object.entries(orsHelped)) {
        await formPair(`Q${q}, ${what}`, side, query.get(q), help(query.get(q)), 1.1)
      }
      await side.close()
    }
  }

  parts['workloads: ClickBench'] = async name => {
    const work = clickbench()
    await work.make()
    const duckFile = await work.open('duck'), ownFile = await work.open('own')
    const native = await work.open('native'), duck = await work.openDuck()
    const arrays = new SQLite(build, extension)
    await arrays.open()
    await arrays.run(`CREATE VIRTUAL TABLE temp.source
      USING parquet('${work.file('duck', 'hits')}');
      CREATE VIRTUAL TABLE temp.hits USING arrays('SELECT * FROM source')`)
    for (const side of [duckFile, ownFile, native]) await side.limit(limit)
    const filtering = { take: async sql => {
      await arrays.run('SELECT arrays_filter(1)')
      const answer = await arrays.take(sql)
      await arrays.run('SELECT arrays_filter(0)')
      return answer
    } }
    title(`${name}, SQLite ${await version(native)}`, ['ours', 'our file',
      'native', 'DuckDB 1T', 'arrays', 'filtering', 'of arrays', 'our file',
      'target', 'met', 'of filt.', 'our file', 'of native', 'of DuckDB'])
    const floor = 1.15
    const table = await each(hitsQueries(),
      [duckFile, ownFile, native, duck, arrays, filtering], (query, cpu) => {
        const [a, b, c, d, e, f] = cpu
        line(query, [...cpu.map(milliseconds), digits(ratio(a, e)),
          digits(ratio(b, e)), floor,
          verdict(Math.max(ratio(a, e), ratio(b, e)), floor),
          digits(ratio(a, f)), digits(ratio(b, f)), digits(ratio(a, c)),
          digits(ratio(a, d))])
      })
    title('all of them', ['ratio', 'target', 'met'])
    for (const [k, file] of [[0, 'DuckDB\'s file'], [1, 'our file']]) {
      const ours = total(table, k)
      summary(`of native, ${file}`, ours / total(table, 2), 0.6)
      summary(`of arrays, ${file}`, ours / total(table, 4))
      summary(`of DuckDB, ${file}`, ours / total(table, 3))
      missed(table, `missed, ${file}`, c => ratio(c[k], c[4]), floor)
      missed(table, `above ${floor} of arrays that filter, ${file}`,
             c => ratio(c[k], c[5]), floor)
    }
    neverBack(table, [0, 1], 2)
    for (const side of [duckFile, ownFile, native, arrays]) await side.close()
    duck.close()
  }

  parts['workloads: ClickBench by a rollup'] = async name => {
    const work = clickbench()
    await work.make()
    const [[, definition], ...forms] = hitsRollup()
    const form = new Map(forms), duck = await work.openDuck()
    const files = [await work.open('duck'), await work.open('own')]
    const sides = []
    for (const [k, kind] of ['duck', 'own'].entries()) {
      await files[k].run(`CREATE VIRTUAL TABLE temp.cube USING parquet(
        '${work.file(kind, 'hits')}', rollup='${definition}', threads=0)`)
      await files[k].limit(limit)
      sides.push({ take: ([, asked]) => files[k].take(asked) },
                 { take: ([plain]) => files[k].take(plain) })
    }
    sides.push({ take: ([plain]) => duck.take(plain) })
    title(`${name}, SQLite ${await version(files[0])}`, ['rollup', 'plain',
      'our file', 'plain', 'DuckDB 1T', 'of plain', 'our file', 'target', 'met',
      'of DuckDB', 'our file'])
    const most = 1.3
    const table = await each(hitsQueries().filter(([query]) => form.has(query))
      .map(([query, plain]) => [query, [plain, form.get(query)]]), sides,
    (query, cpu) => {
      const [a, b, c, d, e] = cpu
      line(query, [...cpu.map(milliseconds), digits(ratio(a, b)),
        digits(ratio(c, d)), most,
        verdict(Math.max(ratio(a, b), ratio(c, d)), most), digits(ratio(a, e)),
        digits(ratio(c, e))])
    })
    title('geometric mean', ['ratio', 'target', 'met'])
    const mean = (k, of) => Math.exp(
      sum(table.map(([, cpu]) => Math.log(ratio(cpu[k], cpu[of])))) / table.length)
    summary('of DuckDB, DuckDB\'s file', mean(0, 4), 0.75)
    summary('of DuckDB, our file', mean(2, 4), 0.5)
    summary('of plain, DuckDB\'s file', mean(0, 1))
    summary('of plain, our file', mean(2, 3))
    missed(table, 'missed, DuckDB\'s file', c => ratio(c[0], c[1]), most)
    missed(table, 'missed, our file', c => ratio(c[2], c[3]), most)
    for (const side of files) await side.close()
    duck.close()
  }

  // Ours alone on two versions: a plan may be good on one and not on the other.
  parts['workloads: versions of SQLite'] = async name => {
    const [library, version] = newestSQLite(build)
    for (const [what, work, queries] of [['TPC-H', tpch(), tpchQueries()],
      ['ClickBench', clickbench(), hitsQueries()]]) {
      await work.make()
      const sides = []
      for (const kind of ['duck', 'own']) {
        for (const of of [undefined, library]) {
          sides.push(await work.open(kind, of))
          await sides.at(-1).limit(limit)
        }
      }
      title(`${name}, ${what}`, ['ours', version, 'our file', version, 'ratio',
                                 'our file'])
      const table = await each(queries, sides, (query, cpu) => line(query,
        [...cpu.map(milliseconds), digits(ratio(cpu[1], cpu[0])),
         digits(ratio(cpu[3], cpu[2]))]))
      line('all of them', [0, 1, 2, 3].map(k => milliseconds(total(table, k))))
      missed(table, `twice as slow on ${version}`, c =>
        Math.max(ratio(c[1], c[0]), ratio(c[3], c[2])), 2)
      missed(table, 'twice as slow on this SQLite', c =>
        Math.max(ratio(c[0], c[1]), ratio(c[2], c[3])), 2)
      for (const side of sides) await side.close()
    }
  }

  // Both sides open what they read in the first line, and are open in the
  // others.
  parts['workloads: 1,000 files'] = async name => {
    const path = await makeHive(folder)
    const sqlite = new SQLite(build, extension)
    const create = `CREATE VIRTUAL TABLE temp.t
                    USING parquet('${path}', threads=0)`
    const view = `CREATE VIEW t AS FROM
      read_parquet('${path}/**/*.parquet', hive_partitioning=true)`
    title(name, ['ours', 'DuckDB 1T', 'ratio', 'target', 'met'])
    const print = async (what, ours, theirs) => {
      const [a, b] = (await measure([ours, theirs], 5)).map(each => each.cpu)
      line(what, [milliseconds(a), milliseconds(b), digits(a / b), 0.5,
                  verdict(a / b, 0.5)])
    }
    await print('open', async () => {
      await sqlite.open()
      return sqlite.run(create)
    }, async () => {
      const duck = await DuckDB.open(1)
      const time = await duck.run(view)
      duck.close()
      return time
    })
    await sqlite.open()
    await sqlite.run(create)
    await sqlite.limit(limit)
    const duck = await DuckDB.open(1)
    await duck.run(view)
    for (const [what, sql] of Object.entries({
      'count(*)': 'SELECT count(*) FROM t',
      'one partition':
        "SELECT count(*), sum(duration) FROM t WHERE date = '2023-05-06'",
      'one column': 'SELECT sum(user_id) FROM t',
      'GROUP BY date': `SELECT date, count(*), sum(duration) FROM t
                        GROUP BY date`,
      'GROUP BY date, count alone': 'SELECT date, count(*) FROM t GROUP BY date',
      'SELECT DISTINCT date': 'SELECT DISTINCT date FROM t',
      'ORDER BY date DESC LIMIT 10':
        'SELECT date, id FROM t ORDER BY date DESC, id LIMIT 10',
      'max(ts)': 'SELECT max(ts) FROM t',
      'min(ts)': 'SELECT min(ts) FROM t',
      'max(date)': 'SELECT max(date) FROM t' })) {
      await print(what, () => sqlite.take(sql), () => duck.take(sql))
    }
    duck.close()
    await sqlite.close()
  }
  return parts
}

// random.mjs - random files of other writers.  Every value of every row is
// compared with what was written.
//
//   node random.mjs           a fixed number of seeds: the same in every run, so
//                             that a failure comes from the change
//   SEEDS=7,9 node random.mjs        these;  SEEDS=1000-2999: all of them
//   SEEDS=new node random.mjs        one that is new, which is printed
//   KEEP=folder ...                  keeps the files of the cases that fail
//
// A seed decides the writer, the columns, the shapes of their values, the
// nulls, the writer's options and ours.  The right values are known before the
// file is written: they are DuckDB's table, or the values that hyparquet-writer
// was given.  The cases run in a process of their own, so that a crash fails
// one case only.  Each file is read
//
//   whole, as it is, and again with options of ours that change how values
//   look or how they are read; some columns of it; rows by rowid; the leaves
//   of its structs as hidden columns; as JSON through parquet_rows;
//   and by parquet_verify, which has to find nothing
import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from './sqlite.mjs'
import { disagreement } from './agree.mjs'
import { findings } from './exceptions.mjs'
import { SECONDS } from './patience.mjs'
import { tagged } from './sqlite_reader.mjs'
import { Source } from './random_source.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../..')
const extension = resolve(process.env.SO || join(root, 'parquet.so'))
const folder = resolve(root, process.env.BUILD || 'build', 'random')
const SHORT = 200

const quoted = name => '"' + name.replaceAll('"', '""') + '"'
const literal = text => "'" + text.replaceAll("'", "''") + "'"

// --- one case ------------------------------------------------------------------

const writers = {
  duckdb: await import('./random_duckdb.mjs'),
  hyparquet: await import('./random_hyparquet.mjs')
}

// Options of ours: [what the table is made with, what that changes].
function ways(r) {
  const options = {}
  for (const [name, values] of Object.entries({
    decimal: ['text'], timestamp: ['raw', 'unixepoch'], nan: ['text'],
    map: ['entries'], invalid_utf8: ['blob'], threads: [0, 1, 3],
    memory: ["'8MB'"], trust_stats: ['off'], checksum: ['off']
  })) if (r.chance(0.4)) options[name] = r.pick(values)
  return options
}

// Fails at the first value that is not what `columns` say, in the rows given.
function check(db, sql, columns, options, rows, what, ...bound) {
  const select = db.prepare(sql).safeIntegers().raw()
  const found = select.all(...bound)
  const names = select.columns().map(c => c.name)
  const wanted = columns.map(c => c.name)
  if (JSON.stringify(names) !== JSON.stringify(wanted)) {
    throw new Error(`${what}: columns ${names}, not ${wanted}`)
  }
  let n = 0
  for (const row of found) {
    const at = rows ? rows[n] : n
    columns.forEach((c, i) => {
      const why = at < c.values.length
        ? disagreement(c.values[at], tagged(row[i]), options)
        : 'there is no such row'
      if (why) throw new Error(`${what}: ${c.name}, row ${at}: ${why}`)
    })
    n++
  }
  const all = rows ? rows.length : columns[0].values.length
  if (n !== all) throw new Error(`${what}: ${n} rows, not ${all}`)
}

// The leaves of structs that are not repeated: [dotted path, values].
function leaves(name, values, fields) {
  return fields.flatMap((f, i) => {
    const below = values.map(v => v === null ? null : v[1][i][1])
    const path = `${name}.${f.name}`
    if (f.kind.fields) return leaves(path, below, f.kind.fields)
    return f.kind.repeated ? [] : [{ name: path, values: below }]
  })
}

function attach(db, file, options) {
  db.exec('DROP TABLE IF EXISTS temp.t')
  db.exec(`CREATE VIRTUAL TABLE temp.t USING parquet(${[literal(file),
    ...Object.entries(options).map(o => o.join('='))].join(', ')})`)
}

function readings(r, db, file, made, writer) {
  const { columns, rows } = made
  const list = some => some.map(c => quoted(c.name)).join(', ')

  attach(db, file, {})
  check(db, 'SELECT * FROM temp.t', columns, {}, null, 'whole')
  const some = columns.filter(() => r.chance(0.5)).reverse()
  if (some.length) {
    check(db, `SELECT ${list(some)} FROM temp.t`, some, {}, null, 'projected')
  }
  const [count] = db.prepare('SELECT count(*) FROM temp.t').raw().get()
  if (count !== rows) throw new Error(`count(*) is ${count}, not ${rows}`)

  byRowid(r, db, columns, rows, {})
  const hidden = columns.flatMap(c =>
    c.fields ? leaves(c.name, c.values, c.fields) : [])
  if (hidden.length) {
    check(db, `SELECT ${hidden.map(c => `t.${quoted(c.name)} AS ${
      quoted(c.name)}`)} FROM temp.t`, hidden, {}, null, 'hidden')
  }

  const json = [{ name: 'row', values: Array.from({ length: rows }, (_, i) =>
    ['struct', columns.map(c => [c.name, c.values[i]])]) }]
  check(db, `SELECT row FROM parquet_rows(${literal(file)})`, json, {}, null,
    'parquet_rows')

  const options = ways(r)
  attach(db, file, options)
  try {
    check(db, 'SELECT * FROM temp.t', columns, options, null, 'options')
  } catch (e) {                          // a page that is larger than that
    if (!options.memory || !/raise the option memory/.test(e.message)) throw e
    delete options.memory
    attach(db, file, options)
  }
  const shown = JSON.stringify(options)
  check(db, 'SELECT * FROM temp.t', columns, options, null, shown)
  byRowid(r, db, columns, rows, options)
  if (hidden.length) {
    check(db, `SELECT ${hidden.map(c => `t.${quoted(c.name)} AS ${
      quoted(c.name)}`)} FROM temp.t`, hidden, options, null, `hidden ${shown}`)
  }

  const found = db.prepare(`SELECT * FROM parquet_verify(${literal(file)})
    WHERE severity <> 'note'`)
    .all().filter(x => !findings.some(known => known.writer === writer &&
      known.what.test(x.what) && known.when(x)))
  if (found.length) {
    throw new Error(`parquet_verify: ${found.length} findings: ` +
      JSON.stringify(found[0]))
  }
}

function byRowid(r, db, columns, rows, options) {
  if (!rows) return
  const ids = db.prepare('SELECT rowid FROM temp.t').pluck().all()
  for (let i = 0; i < 5; i++) {
    const at = r.pick([0, rows - 1, r.below(rows), r.below(rows)])
    check(db, 'SELECT * FROM temp.t WHERE rowid = ?', columns, options, [at],
      `rowid ${ids[at]}`, ids[at])
  }
  const many = [...new Set(Array.from({ length: 12 }, () => r.below(rows)))]
    .sort((a, b) => a - b)
  check(db, `SELECT * FROM temp.t WHERE rowid IN (${many.map(i => ids[i])})
    ORDER BY rowid`, columns, options, many, 'rowid IN')
}

async function run(seed) {
  const r = new Source(seed)
  const writer = r.chance(0.6) ? 'duckdb' : 'hyparquet'
  const file = join(folder, `random_${seed}.parquet`)
  const db = new Database()
  let made
  try {
    made = await writers[writer].write(r, file)
    db.loadExtension(extension)
    readings(r, db, file, made, writer)
    return { seed }
  } catch (e) {
    if (process.env.KEEP && made) {
      mkdirSync(process.env.KEEP, { recursive: true })
      copyFileSync(file, join(process.env.KEEP, `random_${seed}.parquet`))
    }
    return { seed, error: made ? e.message : `not written: ${e.message}`,
      stack: e.stack, writer: made?.writer ?? writer,
      made: made?.made ?? e.made }
  } finally {
    db.close()
    rmSync(file, { force: true })
  }
}

if (process.argv[2] === 'run') {
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(JSON.stringify(await run(Number(line))) + '\n')
  }
  process.exit(0)
}

// --- all cases -------------------------------------------------------------------

function seeds() {
  if (process.env.SEEDS === 'new') {
    const fresh = Math.floor(Math.random() * 1e9) + 1e9
    console.log(`a seed that is new in this run: SEEDS=${fresh}`)
    return [fresh]
  }
  if (process.env.SEEDS) {
    return process.env.SEEDS.split(',').flatMap(part => {
      const [from, to = from] = part.split('-').map(Number)
      return Array.from({ length: to - from + 1 }, (_, i) => from + i)
    })
  }
  return Array.from({ length: SHORT }, (_, i) => i + 1)
}

let child, lines

async function ask(seed) {
  if (!child) {
    child = spawn(process.execPath, [fileURLToPath(import.meta.url), 'run'],
      { stdio: ['pipe', 'pipe', 'inherit'] })
    child.stdin.on('error', () => {})
    lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  }
  const now = child
  let late = false
  const timer = setTimeout(() => {
    late = true
    now.kill('SIGKILL')
  }, SECONDS * 1000)
  now.stdin.write(seed + '\n')
  const { value, done } = await lines.next()
  clearTimeout(timer)
  if (!done) return JSON.parse(value)
  child = undefined
  return { seed, error: late ? `no answer in ${SECONDS} s`
    : `crash (${now.signalCode ?? now.exitCode})` }
}

mkdirSync(folder, { recursive: true })
let passed = 0, failed = 0
for (const seed of seeds()) {
  const { error, stack, writer, made } = await ask(seed)
  if (!error) {
    passed++
    continue
  }
  failed++
  console.log(`FAIL seed ${seed}, ${writer}: ${error}`)
  console.log(`     alone: SEEDS=${seed} node test/interop/random.mjs`)
  if (process.env.SHOW) console.log(made, stack)
}
child?.kill()
console.log(`random: ${passed} passed, ${failed} failed, 0 skipped`)
process.exit(failed ? 1 : 0)

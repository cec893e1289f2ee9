// remote.mjs - files on a server that answers after 30 ms and sends 50 MB/s in all,
// against hyparquet and against ClickHouse's url() and s3() (chdb), in requests, bytes
// and time.
//
// The server is test/remote/proxy.mjs, which counts.  Every question is asked by a new
// connection of a process that has asked before, as ClickHouse is, and of a path that
// nobody has asked for before, so nothing is known of the file.  Ours has two numbers of requests: CREATE VIRTUAL TABLE, which reads the
// footer, and SELECT, whose first request asks whether the file is still the same.  The
// target is of SELECT.
//
//   LATENCY=30  BANDWIDTH=50e6
import { spawn } from 'node:child_process'
import { get } from 'node:http'
import { Worker } from 'node:worker_threads'
import { createInterface } from 'node:readline'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { statSync } from 'node:fs'
import { SQLite } from './peers.mjs'
import { makeHive } from './workloads/workload_data.mjs'
import { makeData } from './data.mjs'
import { repeat, limit, digits, title, verdict } from './measure.mjs'
import { lineitemColumns } from './queries.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const latency = Number(process.env.LATENCY ?? 30)
const bandwidth = Number(process.env.BANDWIDTH ?? 50e6)
const rounds = Math.min(repeat, 3)

class Server {
  static async start(folder) {
    const server = new Server()
    server.process = spawn(process.execPath,
      [join(here, '../remote/proxy.mjs'), folder, `latency=${latency}`,
       `bandwidth=${bandwidth}`], { stdio: ['pipe', 'pipe', 'inherit'] })
    const lines = createInterface({ input: server.process.stdout })
    server.url = (await lines[Symbol.asyncIterator]().next()).value
    server.host = new URL(server.url).host
    return server
  }

  // Since the last call.
  count() {
    return new Promise((resolve, reject) => {
      get(`${this.url}/.count`, { agent: false }, async answer => {
        let text = ''
        for await (const part of answer) text += part
        resolve(JSON.parse(text))
      }).on('error', reject)
    })
  }

  stop() {
    this.process.stdin.end()
  }
}

// --- the sides ------------------------------------------------------------------

async function clickHouse() {
  try {
    const packages = createRequire(join(here, 'clickhouse/package.json'))
    return await import(pathToFileURL(packages.resolve('chdb')).href)
  } catch {
    console.error('remote: chdb is not installed, so ClickHouse is not asked')
    return undefined
  }
}

let fresh = 0
// A path that was not asked for yet.
const unasked = path => `/~x=${++fresh}/${path}`

const secret = server => `SELECT parquet_secret('s3://', json_object('endpoint',
  '${server.host}', 'use_ssl', json('false'), 'url_style', 'path'))`

async function ours(sqlite, server, { path, sql, s3 }) {
  await sqlite.open()
  const options = s3 ? '' : ', threads=2'
  if (s3) await sqlite.run(secret(server))
  const from = s3 ? `s3://bench/${path}` : server.url + unasked(`bench/${path}`)
  await server.count()
  const began = performance.now()
  await sqlite.run(`CREATE VIRTUAL TABLE temp.t USING parquet('${from}'${options})`)
  const created = await server.count()
  const { value } = await sqlite.take(sql('t'))
  const wall = performance.now() - began
  const asked = await server.count()
  return { value, wall, bytes: created.bytes + asked.bytes,
           requests: created.requests + asked.requests,
           created: created.requests, asked: asked.requests }
}

async function measured(server, ask) {
  await server.count()
  const began = performance.now()
  const own = await ask()
  const wall = own ?? performance.now() - began
  return { wall, ...await server.count() }
}

// Ended after LIMIT seconds: NaN.
function hyparquet(server, { path, hyparquet: question }) {
  const worker = new Worker(join(here, 'remote_peer.mjs'), { workerData: {
    packages: join(here, '../interop/package.json'), question,
    url: server.url + unasked(`bench/${path}`) } })
  const timer = setTimeout(() => worker.terminate(), limit * 1000)
  return new Promise((resolve, reject) => {
    let wall = NaN
    worker.on('message', answer => { wall = answer })
    worker.on('error', reject)
    worker.on('exit', () => {
      clearTimeout(timer)
      resolve(wall)
    })
  })
}

const withHive = 'SETTINGS use_hive_partitioning = 1'

function chdbSides(chdb, server, q) {
  if (!chdb || !q.chdb) return [undefined, undefined]
  const ask = from => () => { chdb.query(`${q.chdb(from)} ${withHive}`, 'Null') }
  const url = () => `url('${server.url}${unasked(`bench/${q.glob ?? q.path}`)}', 'Parquet')`
  const s3 = () => `s3('${server.url}${q.glob ? `/bench/${q.glob}`
    : unasked(`bench/${q.path}`)}', NOSIGN, 'Parquet')`
  return [q.s3 ? undefined : () => measured(server, ask(url())),
          () => measured(server, ask(s3()))]
}

// --- the questions ----------------------------------------------------------------

const wideColumns = Array.from({ length: 20 }, (_, k) => `c${5 * k}`)
const counts = columns => columns.map(c => `count(${c})`).join(', ')

// What hyparquet is asked: its footer, columns whole, or rows of a filter.
const footer = { way: 'footer' }
const columns = list => ({ way: 'columns', columns: list })
const filtered = (list, filter) => ({ way: 'rows', columns: list, filter })

const questions = {
  'count(*)': {
    path: 'events_own.parquet', target: () => 1,
    sql: t => `SELECT count(*) FROM ${t}`, chdb: f => `SELECT count() FROM ${f}`,
    hyparquet: footer },
  'max(id)': {
    path: 'events_own.parquet', target: () => 1,
    sql: t => `SELECT max(id) FROM ${t}`,
    chdb: f => `SELECT max(id) FROM ${f}`,
    hyparquet: footer },
  'a row by its sorted id, 3 columns': {
    path: 'events_own.parquet', target: () => 1 + 3,
    sql: t => `SELECT id, url, duration FROM ${t} WHERE id = 7654321`,
    chdb: f => `SELECT id, url, duration FROM ${f} WHERE id = 7654321`,
    hyparquet: filtered(['id', 'url', 'duration'], { id: { $eq: 7654321n } }) },
  'an absent text, Bloom filter': {
    path: 'events_own.parquet', target: groups => 1 + groups,
    sql: t => `SELECT count(*) FROM ${t} WHERE url = 'https://none.example/'`,
    chdb: f => `SELECT count() FROM ${f} WHERE url = 'https://none.example/'`,
    hyparquet: filtered(['url'], { url: { $eq: 'https://none.example/' } }) },
  'a whole column': {
    path: 'events_own.parquet', target: groups => 1 + groups,
    sql: t => `SELECT sum(duration) FROM ${t}`,
    chdb: f => `SELECT sum(duration) FROM ${f}`, hyparquet: columns(['duration']) },
  'the newest ten': {
    path: 'events_own.parquet',
    sql: t => `SELECT id, url FROM ${t} ORDER BY ts DESC LIMIT 10`,
    chdb: f => `SELECT id, url FROM ${f} ORDER BY ts DESC LIMIT 10` },
  'the ten longest': {
    path: 'events_own.parquet',
    sql: t => `SELECT id, url FROM ${t} ORDER BY duration DESC LIMIT 10`,
    chdb: f => `SELECT id, url FROM ${f} ORDER BY duration DESC LIMIT 10` },
  '20 of 100 columns': {
    path: 'wide.parquet', sql: t => `SELECT ${counts(wideColumns)} FROM ${t}`,
    chdb: f => `SELECT ${counts(wideColumns)} FROM ${f}`, hyparquet: columns(wideColumns) },
  'all of 200 MB': {
    path: 'lineitem_own.parquet', whole: true,
    sql: t => `SELECT ${counts(lineitemColumns)} FROM ${t}`,
    chdb: f => `SELECT ${lineitemColumns.map(c => `max(${c})`)} FROM ${f}` },
  'one date of 1,000': {
    path: 'hive_1000/', glob: 'hive_1000/date=*/data.parquet', s3: true, target: () => 1 + 2,
    sql: t => `SELECT count(*), sum(duration) FROM ${t} WHERE date = '2023-05-06'`,
    chdb: f => `SELECT count(), sum(duration) FROM ${f} WHERE date = '2023-05-06'` },
  'all of 1,000 dates': {
    path: 'hive_1000/', glob: 'hive_1000/date=*/data.parquet', s3: true,
    target: () => 1 + 2 * 1000, sql: t => `SELECT count(*), sum(duration) FROM ${t}`,
    chdb: f => `SELECT count(), sum(duration) FROM ${f}` }
}

const middle = list =>
  list.sort((a, b) => a.wall - b.wall)[list.length >> 1]

async function several(ask) {
  const answers = []
  for (let k = 0; ask && k < rounds; k++) answers.push(await ask())
  return ask && middle(answers)
}

const cells = x => x
  ? [x.requests, digits(x.bytes / 1e6), digits(x.wall / 1e3)] : ['', '', '']

// Fewer or equal requests, bytes and time than every peer; else what is not.
function behind(our, peers) {
  const worse = []
  for (const what of ['requests', 'bytes', 'wall']) {
    if (peers.some(peer => peer && our[what] > peer[what] * 1.01)) worse.push(what)
  }
  return worse.join(' ')
}

export function remoteParts({ build, extension, folder, file }) {
  const parts = {}

  async function groups(path) {
    const sqlite = new SQLite(build, extension)
    await sqlite.open()
    const { value } = await sqlite.run(`SELECT max(num_row_groups)
      FROM parquet_file_metadata('${join(folder, path)}')`)
    await sqlite.close()
    return Number(value)
  }

  parts['remote'] = async name => {
    if (process.env.AGAINST) return
    await makeData(folder, build, extension, ['events', 'lineitem', 'wide'])
    await makeHive(folder)
    const server = await Server.start(dirname(file('x')) + '/..')
    const chdb = await clickHouse(), sqlite = new SQLite(build, extension)
    title(name, ['ours', 'MB', 's', 'hyparquet', 'MB', 's', 'url()', 'MB', 's',
                 's3()', 'MB', 's', 'target', 'met', 'behind'])
    for (const [what, q] of Object.entries(questions)) {
      if (process.env.QUESTION && !what.includes(process.env.QUESTION)) continue
      const our = await several(() => ours(sqlite, server, q))
      const [url, s3] = chdbSides(chdb, server, q)
      const peers = [await several(q.hyparquet && (() =>
        measured(server, () => hyparquet(server, q)))), await several(url), await several(s3)]
      const [target, met] = q.whole
        ? [1.15, our.wall / 1e3 / (statSync(file('lineitem_own')).size / bandwidth)]
        : [q.target?.(await groups(q.path)), our.asked]
      console.log(what.padEnd(46) + [`${our.created}+${our.asked}`, ...cells(our).slice(1),
        ...peers.flatMap(cells), target ?? '', q.whole ? digits(met) : verdict(met, target),
        behind(our, peers)].map(c => String(c).padStart(11)).join(''))
    }
    await sqlite.close()
    server.stop()
  }
  return parts
}

// peers.mjs - the two that are measured: SQLite in a process of its own
// (runner.c) and DuckDB in this one.  Both say { wall, cpu, rows } of a query,
// in microseconds.
import { createRequire } from 'node:module'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { against, turn } from './measure.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const packages = createRequire(join(here, '../interop/package.json'))
const duckdbModule = packages.resolve('@duckdb/node-api')
const { DuckDBInstance } =
  (await import(pathToFileURL(duckdbModule).href)).default

class Runner {
  // The system's SQLite, or the libsqlite3.so.0 of a folder.
  constructor(build, extension, library = process.env.SQLITE) {
    const env = library ? { ...process.env, LD_LIBRARY_PATH: library }
      : process.env
    this.process = spawn(join(build, 'bench/runner'),
      [extension, join(build, 'bench/trivial.so')],
      { stdio: ['pipe', 'pipe', 'inherit'], env })
    const lines = createInterface({ input: this.process.stdout })
    this.answers = lines[Symbol.asyncIterator]()
  }

  // What runner.c answers; an error is thrown unless it is asked for.
  async tell(command, text = '') {
    this.process.stdin.write(`${command} ${text.replace(/\s+/g, ' ')}\n`)
    const { value: line, done } = await this.answers.next()
    if (done) throw new Error(`the runner died of: ${command} ${text}`)
    const answer = {}
    for (const field of line.split('\t')) {
      const at = field.indexOf('=')
      const key = field.slice(0, at), value = field.slice(at + 1)
      answer[key] = key === 'error' || key === 'value' ? value : Number(value)
    }
    return answer
  }

  close() {
    this.process.stdin.end()
    return new Promise(resolve => this.process.on('exit', resolve))
  }
}

export class SQLite {
  constructor(build, extension, library) {
    this.runner = new Runner(build, extension, library)
    this.earlier = () => new Runner(build, against, library)
    this.told = []
  }

  // It is measured as a peer: not at all if an earlier library is (AGAINST).
  asPeer() {
    this.peer = true
    return this
  }

  async tell(command, text) {
    if (!turn) {
      this.told.push([command, text])
      await this.before?.tell(command, text)
      return this.runner.tell(command, text)
    }
    return this.peer ? { stopped: true } : this.tellBoth(command, text)
  }

  // The same statement to both libraries, first to one and then to the other.
  async tellBoth(command, text) {
    const sides = [this.runner, this.before ??= await this.other()]
    this.turned = !this.turned
    const order = this.turned ? [1, 0] : [0, 1], answers = []
    for (const k of order) answers[k] = await sides[k].tell(command, text)
    const [answer, before] = answers
    if (answer.rows !== before.rows || answer.value !== before.value) {
      console.log(`before: ${before.error ?? before.value}, now: ${
        answer.error ?? answer.value}: ${text.slice(0, 200)}`)
    }
    turn.now += answer.cpu ?? 0
    turn.before += before.cpu ?? 0
    return answer
  }

  // The earlier library, told what this one has been told.
  async other() {
    const other = this.earlier()
    for (const [command, text] of this.told) await other.tell(command, text)
    return other
  }

  // The same, but an error is thrown; { stopped } by the limit is none.
  async must(command, text) {
    const answer = await this.tell(command, text)
    if (answer.error === 'interrupted') return { stopped: true }
    if (answer.error) throw new Error(`${answer.error}: ${text}`)
    return answer
  }

  open(path = ':memory:') { return this.must('open', path) }
  run(sql) { return this.must('run', sql) }
  take(sql) { return this.must('take', sql) }
  limit(seconds) { return this.must('limit', String(seconds)) }

  async close() {
    await this.before?.close()
    return this.runner.close()
  }
}

export class DuckDB {
  static async open(threads, path = ':memory:', more = {}) {
    const duck = new DuckDB()
    duck.instance = await DuckDBInstance.create(path,
      { threads: String(threads), ...more })
    duck.connection = await duck.instance.connect()
    return duck
  }

  // Chunks are fetched, but not turned into JavaScript's values.
  async run(sql) {
    if (turn) return { stopped: true }
    const cpu = process.cpuUsage(), wall = process.hrtime.bigint()
    const result = await this.connection.stream(sql)
    let rows = 0
    for (;;) {
      const chunk = await result.fetchChunk()
      if (!chunk || chunk.rowCount === 0) break
      rows += chunk.rowCount
    }
    const used = process.cpuUsage(cpu)
    return { wall: Number(process.hrtime.bigint() - wall) / 1000,
             cpu: used.user + used.system, rows }
  }

  // Nothing more is taken of a chunk.
  take(sql) { return this.run(sql) }

  // The same, but stopped after so many seconds: NaN.
  async within(seconds, sql) {
    const timer = setTimeout(() => this.connection.interrupt(), seconds * 1000)
    try {
      return await this.run(sql)
    } catch (error) {
      if (!/interrupt/i.test(error.message)) throw error
      return { wall: NaN, cpu: NaN, stopped: true }
    } finally {
      clearTimeout(timer)
    }
  }

  // The first value of the first row.
  async value(sql) {
    const result = await this.connection.runAndReadAll(sql)
    return result.getRows()[0][0]
  }

  close() {
    this.connection.closeSync()
    this.instance.closeSync()
  }
}

// A process that does one query and ends, in microseconds of its wall.  For
// DuckDB the start of node is not counted, loading DuckDB is.
export function coldSQLite(build, extension, statements) {
  const begin = process.hrtime.bigint()
  const sqlite = new SQLite(build, extension)
  return (async () => {
    await sqlite.open()
    for (const sql of statements) await sqlite.run(sql)
    await sqlite.close()
    return { wall: Number(process.hrtime.bigint() - begin) / 1000 }
  })()
}

const coldScript = `
  const begin = process.hrtime.bigint()
  const { DuckDBInstance } = (await import(process.argv[1])).default
  const duck = await (await DuckDBInstance.create(':memory:')).connect()
  await duck.run(process.argv[2])
  console.log(Number(process.hrtime.bigint() - begin) / 1000)`

export function coldDuckDB(sql) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e',
      coldScript, pathToFileURL(duckdbModule).href, sql],
      { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.on('data', data => { text += data })
    child.on('exit', code => code === 0 ? resolve({ wall: Number(text) })
      : reject(new Error('DuckDB in a cold process failed')))
  })
}

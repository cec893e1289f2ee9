// sqlite.mjs - a SQLite that loads the extension, for what is compared with other
// readers and writers.  It is that of the system's Python, in a process of its
// own, so no package has to be compiled.  The calls are those of better-sqlite3,
// as far as they are used here, and they wait for the answer.
import { execFileSync, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readSync, rmSync, writeSync }
  from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'
const script = fileURLToPath(new URL('sqlite_process.py', import.meta.url))

// The first character of a text says what it stands for.
function told(v) {
  if (v === null || v === undefined) return null
  switch (typeof v) {
    case 'bigint': return 'i' + v
    case 'number': return Object.is(v, -0) ? 'r-0' : 'r' + v
    case 'boolean': throw new TypeError('SQLite has no booleans')
    case 'string': return 't' + v
    default: return 'b' + Buffer.from(v).toString('hex')
  }
}

function value(text, exact) {
  if (text === null) return null
  const rest = text.slice(1)
  switch (text[0]) {
    case 'i': return exact ? BigInt(rest) : Number(rest)
    case 'r': return Number(rest)
    case 't': return rest
    default: return Buffer.from(rest, 'hex')
  }
}

export default class Database {
  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'sqlite-'))
    const [to, from] = ['to', 'from'].map(name => join(folder, name))
    execFileSync('mkfifo', [to, from])
    // The shell opens both ends at once.  When Python ends, so do the pipes.
    this.child = spawn('sh', ['-c', 'exec <"$1" >"$2"; exec "$3" "$4"', 'sh',
      to, from, python, script], { stdio: ['ignore', 'ignore', 'inherit'] })
    this.child.unref()
    this.to = openSync(to, 'w')
    this.from = openSync(from, 'r')
    rmSync(folder, { recursive: true })
    this.rest = Buffer.alloc(0)
    this.held = []                     // runs of a transaction: [sql, rows]
  }

  line() {
    const parts = [this.rest]
    let end = this.rest.indexOf(10)
    while (end < 0) {
      const part = Buffer.alloc(1 << 16)
      const n = readSync(this.from, part)
      if (!n) throw new Error('SQLite died')
      parts.push(part.subarray(0, n))
      end = part.subarray(0, n).indexOf(10)
    }
    const last = parts.pop()
    this.rest = last.subarray(end + 1)
    return JSON.parse(Buffer.concat([...parts, last.subarray(0, end)]))
  }

  // The names of the columns; each batch of rows goes to `take`.
  ask(request, take = () => {}) {
    let bytes = Buffer.from(JSON.stringify(request) + '\n')
    while (bytes.length) bytes = bytes.subarray(writeSync(this.to, bytes))
    for (;;) {
      const { error, names, rows } = this.line()
      if (error !== undefined) throw new Error(error)
      if (names) return names
      take(rows)
    }
  }

  flush() {
    const held = this.held.splice(0)
    for (const [sql, rows] of held) this.ask({ many: sql, rows })
  }

  loadExtension(file) {
    this.ask({ load: file })
  }

  exec(sql) {
    this.flush()
    this.ask({ script: sql })
  }

  prepare(sql) {
    return new Statement(this, sql)
  }

  // One statement.  Python ends a transaction before a script.
  only(sql) {
    this.ask({ sql, bound: [] })
  }

  transaction(work) {
    return () => {
      this.only('BEGIN')
      this.holds = true
      try {
        work()
        this.flush()
        this.only('COMMIT')
      } catch (e) {
        this.held = []
        this.only('ROLLBACK')
        throw e
      } finally {
        this.holds = false
      }
    }
  }

  close() {
    closeSync(this.to)
    closeSync(this.from)
  }
}

class Statement {
  constructor(db, sql) {
    Object.assign(this, { db, sql, exact: false, as: 'object', names: [] })
  }

  safeIntegers() { this.exact = true; return this }
  raw() { this.as = 'array'; return this }
  pluck() { this.as = 'first'; return this }

  // Known after the rows were asked for.
  columns() { return this.names.map(name => ({ name })) }

  run(...bound) {
    const row = bound.flat().map(told)
    const last = this.db.held.at(-1)
    if (last?.[0] === this.sql) last[1].push(row)
    else this.db.held.push([this.sql, [row]])
    if (!this.db.holds) this.db.flush()
  }

  all(...bound) {
    const rows = []
    this.db.flush()
    this.names = this.db.ask({ sql: this.sql, bound: bound.flat().map(told) },
      some => some.forEach(row => rows.push(row.map(v => value(v, this.exact)))))
    switch (this.as) {
      case 'array': return rows
      case 'first': return rows.map(row => row[0])
      default: return rows.map(row =>
        Object.fromEntries(this.names.map((name, i) => [name, row[i]])))
    }
  }

  get(...bound) { return this.all(...bound)[0] }
}

// workload_data.mjs - the files and native tables of the workloads, made once
// and kept.  A Workload has its tables three times: as DuckDB writes them, as we
// write them, and in a database of SQLite.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { make, hashOf } from '../data.mjs'
import { SQLite, DuckDB } from '../peers.mjs'

export class Workload {
  // tables: {name: statement of DuckDB's}; indexes: SQL after the native tables
  // were made.
  constructor({ folder, build, extension, name, tables, indexes }) {
    Object.assign(this, { build, extension, tables, indexes })
    this.folder = join(folder, name)
    this.names = Object.keys(tables)
  }

  file(kind, table) {
    return join(this.folder, `${table}.${kind}.parquet`)
  }

  get native() { return join(this.folder, 'native.db') }

  async make() {
    mkdirSync(this.folder, { recursive: true })
    const duck = await DuckDB.open(2)
    for (const [name, query] of Object.entries(this.tables)) {
      await make(this.file('duck', name), query, path => duck.run(
        `COPY (${query}) TO '${path}' (FORMAT parquet)`))
    }
    duck.close()
    const recipe = Object.values(this.tables).join()
    for (const name of this.names) {
      await make(this.file('own', name),
        recipe + hashOf(readFileSync(this.extension)),
        path => this.writeOwn(path, name))
    }
    await make(this.native, recipe + this.indexes, path => this.fill(path))
  }

  async writeOwn(path, table) {
    const sqlite = new SQLite(this.build, this.extension)
    await sqlite.open()
    await sqlite.run(`CREATE VIRTUAL TABLE temp.t
      USING parquet('${this.file('duck', table)}');
      SELECT parquet_copy_to('SELECT * FROM t', '${path}')`)
    await sqlite.close()
  }

  async fill(path) {
    const sqlite = new SQLite(this.build, this.extension)
    await sqlite.open(path)
    await sqlite.run('PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF')
    for (const name of this.names) {
      await sqlite.run(`CREATE VIRTUAL TABLE temp.source
        USING parquet('${this.file('duck', name)}');
        CREATE TABLE main.${name} AS SELECT * FROM source; DROP TABLE source`)
    }
    await sqlite.run(this.indexes)
    await sqlite.close()
  }

  // A connection to the tables: 'duck' and 'own' are ours over those files.
  // The cache has its default size.  A large one makes SQLite's sorter slower,
  // and native tables are mapped anyway.
  async open(kind, library) {
    const sqlite = new SQLite(this.build, this.extension, library)
    await sqlite.open(kind === 'native' ? this.native : ':memory:')
    await sqlite.run('PRAGMA mmap_size=2147418112')
    if (kind === 'native') return sqlite.asPeer()
    for (const name of this.names) {
      await sqlite.run(`CREATE VIRTUAL TABLE temp.${name}
        USING parquet('${this.file(kind, name)}', threads=0)`)
    }
    return sqlite
  }

  async openDuck() {
    const duck = await DuckDB.open(1)
    for (const name of this.names) {
      await duck.run(`CREATE VIEW ${name} AS
                      FROM '${this.file('duck', name)}'`)
    }
    return duck
  }
}

// The folder of the newest SQLite's library, which is built if need be, and its
// version.
export function newestSQLite(build) {
  execFileSync('bash', ['test/interop/newest.sh', 'build'],
               { env: { ...process.env, BUILD: build } })
  const folder = join(build, 'newest')
  const version = readdirSync(folder)
    .filter(name => /^\d+\.\d+\.\d+$/.test(name)).at(-1)
  return [join(folder, version), version]
}

// --- 1,000 files in folders ---------------------------------------------------

const rowsOfFile = 2000
const hiveRows = day => `
  SELECT i AS id, TIMESTAMP '2022-01-01' + to_days(${day}) +
           to_seconds(i % ${rowsOfFile} * 43) AS ts,
         (hash(i * 8 + 1) % 50000)::BIGINT AS user_id,
         'https://example.org/' || to_hex(hash(i)) AS url,
         (hash(i * 8 + 2) % 100000) / 128.0 AS duration
  FROM range(${day * rowsOfFile}, ${(day + 1) * rowsOfFile}) r(i)`

// A file in each date=... .
export async function makeHive(folder, files = 1000) {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `hive_${files}`)
  await make(path, hiveRows(0) + files, async unfinished => {
    const duck = await DuckDB.open(2)
    for (let day = 0; day < files; day++) {
      const date = new Date(Date.UTC(2022, 0, 1 + day)).toISOString()
      const inner = join(unfinished, `date=${date.slice(0, 10)}`)
      mkdirSync(inner, { recursive: true })
      await duck.run(`COPY (${hiveRows(day)})
                      TO '${join(inner, 'data.parquet')}' (FORMAT parquet)`)
    }
    duck.close()
  })
  return path
}

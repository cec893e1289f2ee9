// written_csv.mjs - CSV files: {"types": "auto"} gives the types and values
// that DuckDB's read_csv gives, except where it is documented to leave a text.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { Source } from './random_source.mjs'

const ROWS = 300
const pad = (n, width = 2) => String(n).padStart(width, '0')
const day = s => `${s.between(1900, 2100)}-${pad(s.between(1, 12))}-` +
  pad(s.between(1, 28))
const clock = s => [23, 59, 59].map(most => pad(s.between(0, most))).join(':')

// For each column: its text, the type that DuckDB takes, and ours, if it is
// another on purpose.
const columns = {
  counts: { of: s => `${s.between(-1000, 1000)}`, type: 'BIGINT' },
  wide: { of: s => String(BigInt.asIntN(64, s.bits(64))), type: 'BIGINT' },
  prices: { of: s => (s.between(-1e6, 1e6) / 100).toFixed(2), type: 'DOUBLE' },
  sizes: { of: s => s.pick(['1e5', '2.5E-3', '7', '-0.125', '1e300']), type: 'DOUBLE' },
  flags: { of: s => s.pick(['true', 'false']), type: 'BOOLEAN' },
  days: { of: day, type: 'DATE' },
  times: { of: s => `${day(s)} ${clock(s)}`, type: 'TIMESTAMP' },
  parts: { of: s => `${day(s)} ${clock(s)}.${pad(s.below(1000), 3)}`, type: 'TIMESTAMP' },
  iso: { of: s => `${day(s)}T${clock(s)}`, type: 'TIMESTAMP' },
  zulu: { of: s => `${day(s)}T${clock(s)}Z`, type: 'TIMESTAMP WITH TIME ZONE' },
  zones: { of: s => `${day(s)} ${clock(s)}${s.pick(['+', '-'])}${pad(s.below(12))}:30`,
    type: 'TIMESTAMP WITH TIME ZONE' },
  words: { of: s => s.pick(['red', 'green', 'blue']), type: 'VARCHAR' },
  mixed: { of: s => s.pick(['1', 'x', '2024-01-01']), type: 'VARCHAR' },
  zips: { of: s => pad(s.below(100000), 5), type: 'VARCHAR' },
  huge: { of: s => `1${pad(s.below(1e6), 6)}00000000000000`, type: 'DOUBLE',
    ours: 'VARCHAR' }
}

function texts(seed) {
  const s = new Source(seed)
  return Array.from({ length: ROWS }, () => Object.values(columns).map(c =>
    s.chance(0.1) ? '' : c.of(s)))
}

async function checkOne(seed, { writer, folder, test, ask }) {
  const names = Object.keys(columns), rows = texts(seed)
  const csv = join(folder, 'texts.csv'), path = join(folder, 'texts.parquet')
  const list = names.map(n => `${n} TEXT`)
  writeFileSync(csv, [names, ...rows].map(r => r.join(',') + '\n').join(''))
  writer.db.exec(`DROP TABLE IF EXISTS source; CREATE TABLE source(${list})`)
  const insert = writer.db.prepare(
    `INSERT INTO source VALUES(${names.map(() => '?')})`)
  writer.db.transaction(() => rows.forEach(r => insert.run(r)))()
  writer.copy('SELECT * FROM source', path, { types: 'auto', row_group_rows: 70 })
  const typesOf = async from =>
    (await ask(`DESCRIBE SELECT * FROM ${from}`)).map(r => r[1])
  const theirs = await typesOf(`read_csv('${csv}')`)
  const ours = await typesOf(`read_parquet('${path}')`)
  for (const [i, n] of names.entries()) {
    const c = columns[n]
    test(theirs[i] === c.type, 'read_csv', n, theirs[i])
    test(ours[i] === (c.ours ?? c.type), 'types: auto', n, ours[i])
    const [[differ]] = await ask(`SELECT count(*) FROM
        (SELECT row_number() OVER () AS i, ${n} AS v
          FROM read_csv('${csv}', types = {'${n}': '${ours[i]}'})) AS a
      JOIN (SELECT row_number() OVER () AS i, ${n} AS v FROM read_parquet('${path}')) AS b
      USING (i) WHERE a.v IS DISTINCT FROM b.v`)
    test(Number(differ) === 0, 'values of types: auto', n, differ)
  }
  const [[count]] = await ask(`SELECT count(*) FROM read_parquet('${path}')`)
  test(Number(count) === ROWS, 'rows of types: auto', count)
  rmSync(csv)
  rmSync(path)
}

export async function csvFiles(given) {
  const instance = await DuckDBInstance.create(':memory:')
  const db = await instance.connect()
  await db.run("SET TimeZone = 'UTC'")
  const ask = async sql => (await db.runAndReadAll(sql)).getRowsJson()
  for (let seed = 1; seed <= 3; seed++) await checkOne(seed, { ...given, ask })
}

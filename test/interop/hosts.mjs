// hosts.mjs - the queries of hosts.json in Node's better-sqlite3.
import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'

const cases = JSON.parse(readFileSync(new URL('hosts.json', import.meta.url)))

// One connection for all queries, as in Python: an error must not affect the
// next ones.
const db = new Database(':memory:')
db.loadExtension(process.env.SO)
console.log('SQLite', db.prepare('SELECT sqlite_version()').pluck().get())

function one(statements) {
  let value = null
  for (const sql of statements) {
    const s = db.prepare(sql)
    if (s.reader) value = s.pluck().get() ?? value
    else s.run()
  }
  return value
}

for (const { name, sql, want, error } of cases) {
  let got
  try {
    got = one(sql)
  } catch (e) {
    got = 'error: ' + e.message
  }
  const right = error === undefined ? String(got) === want
    : String(got).startsWith('error: ') && got.includes(error)
  console.log(right ? 'ok' : 'WRONG', name, ...right ? [] : [
    `saw ${JSON.stringify(got)}, wanted ${JSON.stringify(error ?? want)}; alone: ` +
    `SO=${process.env.SO} node test/interop/hosts.mjs`])
}
console.log('done')

// sqlite_reader.mjs - a file through the extension, in Node's better-sqlite3.
//
// Values keep their storage class: null, ['i', digits], ['r', number],
// ['t', text], ['b', hex].
import Database from 'better-sqlite3'
import { hex, number } from './texts.mjs'

export function read(file, { extension, options = '' }) {
  const db = new Database(':memory:')
  try {
    db.loadExtension(extension)
    const argument = "'" + file.replaceAll("'", "''") + "'"
    db.exec(`CREATE VIRTUAL TABLE temp.t USING parquet(${argument}${options})`)
    const select = db.prepare('SELECT * FROM temp.t').safeIntegers()
    const names = select.columns().map(c => c.name)
    const rows = []
    for (const row of select.raw().iterate()) rows.push(row.map(tagged))
    return { names, rows }
  } finally {
    db.close()
  }
}

export function tagged(v) {
  if (v === null) return null
  switch (typeof v) {
    case 'bigint': return ['i', String(v)]
    case 'number': return ['r', number(v)]
    case 'string': return ['t', v]
    default: return ['b', hex(v)]
  }
}

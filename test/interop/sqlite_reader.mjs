// sqlite_reader.mjs - a file through the extension, in SQLite.
//
// Values keep their storage class: null, ['i', digits], ['r', number],
// ['t', text], ['b', hex].
import Database from './sqlite.mjs'
import { hex, number } from './texts.mjs'

export function read(file, { extension, options = '' }) {
  const db = new Database()
  try {
    db.loadExtension(extension)
    const argument = "'" + file.replaceAll("'", "''") + "'"
    db.exec(`CREATE VIRTUAL TABLE temp.t USING parquet(${argument}${options})`)
    const select = db.prepare('SELECT * FROM temp.t').safeIntegers().raw()
    const rows = select.all().map(row => row.map(tagged))
    return { names: select.columns().map(c => c.name), rows }
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

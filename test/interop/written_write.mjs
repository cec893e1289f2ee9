// written_write.mjs - files of the cells, by parquet_copy_to.
import Database from './sqlite.mjs'
import { join } from 'node:path'
import { encodings } from './written_types.mjs'
import { asksBloom } from './written_cells.mjs'
import { nodeOf, PAGE, ROW_GROUP, ROWS, rowsOf, sql, typeText }
  from './written_shapes.mjs'

export const SORTED_GROUP = 100
const SORTED_PAGE = 20

// NaN is the greatest value, as in DuckDB.
function compare(a, b) {
  if (a instanceof Uint8Array) return Buffer.compare(a, b)
  if (Number.isNaN(a) || Number.isNaN(b)) {
    return Number.isNaN(a) - Number.isNaN(b)
  }
  return a < b ? -1 : a > b ? 1 : 0
}

export class Writer {
  constructor(extension, folder) {
    this.db = new Database()
    this.db.loadExtension(extension)
    this.folder = folder
    this.columns = new Map()
  }

  // What is in a column is the same in all files of a type.
  valuesOf(cell) {
    if (cell.type !== this.type) this.columns.clear()
    this.type = cell.type
    const key = `${cell.nulls} ${cell.shape}`
    if (!this.columns.has(key)) {
      const node = nodeOf(cell)
      this.columns.set(key, rowsOf(cell).map(v => sql(v, node)))
    }
    return this.columns.get(key)
  }

  // Column i is called ci and holds cell i.
  write(file) {
    const names = file.cells.map((_, i) => `c${i}`)
    const nodes = file.cells.map(nodeOf)
    const values = file.cells.map(c => this.valuesOf(c))
    this.db.exec(`DROP TABLE IF EXISTS source; CREATE TABLE source(${names})`)
    const insert = this.db.prepare(
      `INSERT INTO source VALUES(${names.map(() => '?')})`)
    this.db.transaction(() => {
      for (let r = 0; r < ROWS; r++) insert.run(values.map(v => v[r]))
    })()
    const path = join(this.folder, file.name + '.parquet')
    this.copy('SELECT * FROM source', path, {
      compression: file.codec, page_version: file.version, page_rows: PAGE,
      page_bytes: '1MB',
      row_group_rows: ROW_GROUP, not_null: names.filter((_, i) => nodes[i].required),
      types: Object.fromEntries(names.map((n, i) => [n, typeText(nodes[i])])),
      columns: Object.fromEntries(names.map((n, i) => [n, {
        encoding: file.cells[i].encoding,
        bloom: asksBloom(file.cells[i])
      }]))
    })
    return path
  }

  // A type in its own order, a column per encoding, NULL first, so that a query
  // can skip row groups and pages.  ALP is left out, as no reader knows it.
  // Infinity is left out, as it would hide that a NaN is missed.
  writeSorted(type) {
    const cell = { type: type.key, nulls: 'optional', shape: 'flat' }
    const rows = rowsOf(cell).filter(v => v &&
      (type.order !== 'float' || Math.abs(v.rank) !== Infinity))
    rows.sort((a, b) => compare(a.rank, b.rank))
    const values = [...Array(ROWS - rows.length).fill(null), ...rows.map(v => v.sql)]
    const of = encodings[type.physical].filter(e => e !== 'ALP')
    this.db.exec(`DROP TABLE IF EXISTS source; CREATE TABLE source(v)`)
    const insert = this.db.prepare('INSERT INTO source VALUES(?)')
    this.db.transaction(() => values.forEach(v => insert.run(v)))()
    const path = join(this.folder, `sorted_${type.key.replace(/[^\w]+/g, '_')}.parquet`)
    this.copy(`SELECT ${of.map(e => `v AS ${e}`)} FROM source`, path, {
      row_group_rows: SORTED_GROUP, page_rows: SORTED_PAGE, bloom: true,
      types: Object.fromEntries(of.map(e => [e, type.name])),
      columns: Object.fromEntries(of.map(e => [e, { encoding: e }]))
    })
    return { path, names: of }
  }

  copy(query, path, options) {
    return this.db.prepare('SELECT parquet_copy_to(?, ?, ?)').pluck()
      .get(query, path, JSON.stringify(options))
  }

  findings(path) {
    return this.db.prepare('SELECT * FROM parquet_verify(?)').all(path)
  }
}

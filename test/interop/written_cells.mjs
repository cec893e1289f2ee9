// written_cells.mjs - all combinations of what the writer can be asked for:
// type x encoding x codec x page version x which levels may be null x nesting.
//
// whole   every cell there is
// core    every type x encoding x nesting, with codec, page version and nulls
//         in turn; and one type for each physical type in every codec and version
//
// The cells of one file have their type, codec and page version in common.  ALP
// is in files of its own.  For a reader that does not know an encoding, a type
// or a codec refuses the whole file.
import { encodings, types } from './written_types.mjs'
import { nullabilities, shapes } from './written_shapes.mjs'

export const codecs =
  ['uncompressed', 'snappy', 'gzip', 'brotli', 'lz4_raw', 'zstd']
export const versions = [1, 2]

const typical = ['BOOLEAN', 'INTEGER', 'BIGINT', 'TIMESTAMP_96', 'FLOAT',
  'DOUBLE', 'TEXT', 'BLOB(5)']
const waysOf = shape => Object.keys(nullabilities)
  .filter(n => shape !== 'flat' || n !== 'mixed')
const places = codecs.flatMap(codec =>
  versions.map(version => ({ codec, version })))

// UNKNOWN has no value but NULL.
const exists = c => c.type !== 'UNKNOWN' ||
  c.encoding === 'PLAIN' && c.nulls === 'optional' && c.shape !== 'map key'

function* ofType(t) {
  for (const encoding of encodings[t.physical]) {
    for (const shape of Object.keys(shapes)) {
      for (const nulls of waysOf(shape)) {
        const cell = { type: t.key, encoding, shape, nulls }
        if (exists(cell)) yield cell
      }
    }
  }
}

function* whole() {
  for (const t of types) {
    for (const place of places) {
      for (const c of ofType(t)) yield { ...c, ...place }
    }
  }
}

function* core() {
  let turn = 0
  for (const [k, t] of types.entries()) {
    const begun = new Map()
    for (const c of ofType(t)) {
      const of = `${c.encoding} ${c.shape}`
      if (!begun.has(of)) begun.set(of, turn++)
      const n = begun.get(of), ways = waysOf(c.shape)
      const everywhere = typical.includes(t.key) && c.shape === 'flat'
      const isTurn = c.shape === 'flat' ||
        ways[n % ways.length] === c.nulls
      for (const [i, place] of places.entries()) {
        const here = (n * 5 + k + ways.indexOf(c.nulls)) % places.length
        if (everywhere || isTurn && i === here ||
            typical.includes(t.key) && c.shape === 'list of structs' &&
              ways[(n + i) % ways.length] === c.nulls) {
          yield { ...c, ...place }
        }
      }
    }
  }
}

// Columns that are to have a Bloom filter.  These types have none.
export const asksBloom = cell => cell.shape !== 'struct'
export const mayHaveBloom = type =>
  !/^(BOOLEAN|GEOMETRY|GEOGRAPHY|UNKNOWN)$/.test(type.name)

export const nameOf = c => [c.type, c.encoding, c.codec, `v${c.version}`, c.nulls,
  c.shape].join(' / ')

// [{ type, codec, version, cells }, ...]
export function filesOf(mode) {
  const files = new Map()
  for (const c of mode === 'whole' ? whole() : core()) {
    const alp = c.encoding === 'ALP' ? 'ALP ' : ''
    const name = `${c.type} ${alp}${c.codec} v${c.version}`
      .replace(/[^\w]+/g, '_')
    if (!files.has(name)) {
      files.set(name, { name, type: c.type, codec: c.codec, version: c.version,
        cells: [] })
    }
    files.get(name).cells.push(c)
  }
  return [...files.values()]
}

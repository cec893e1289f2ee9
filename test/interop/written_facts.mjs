// written_facts.mjs - compares the metadata of a file with its values: schema,
// statistics, page index, sizes, checksums, Bloom filters.
//
// The metadata is read with hyparquet's Thrift reader, its xxHash and its Bloom
// filter.  What should be there is counted, value by value.
import { readFileSync } from 'node:fs'
import { parquetMetadata } from 'hyparquet'
import { readBloomFilter, sbbfContains } from './node_modules/hyparquet/src/bloom.js'
import { deserializeTCompactProtocol as thrift }
  from './node_modules/hyparquet/src/thrift.js'
import { xxhash64 } from './node_modules/hyparquet/src/xxhash.js'
import { asksBloom, mayHaveBloom } from './written_cells.mjs'
import { checkBounds, checkOrder, leastAndMost } from './written_bounds.mjs'
import { checkSchema } from './written_schema.mjs'
import { leaves, nodeOf, PAGE, ROW_GROUP, ROWS, rowsOf, shred }
  from './written_shapes.mjs'

const ENCODING = { PLAIN: 0, RLE: 3, DELTA_BINARY_PACKED: 5,
  DELTA_LENGTH_BYTE_ARRAY: 6, DELTA_BYTE_ARRAY: 7, RLE_DICTIONARY: 8,
  BYTE_STREAM_SPLIT: 9, ALP: 10 }
const CODEC = { uncompressed: 0, snappy: 1, gzip: 2, brotli: 4, zstd: 6,
  lz4_raw: 7 }
const CHUNK_BYTES = 64, PAGE_BYTES = 32      // longest bounds of each
const DATA_PAGE = 0, DATA_PAGE_V2 = 3

// The levels and values of each leaf.  Files of one type come after each other,
// and have the same in every encoding, codec and version.
const known = new Map()
let knownType

function streamsOf(cell) {
  if (cell.type !== knownType) known.clear()
  knownType = cell.type
  const key = `${cell.nulls} ${cell.shape}`
  if (!known.has(key)) known.set(key, shred(rowsOf(cell), nodeOf(cell)))
  return known.get(key)
}

// What is wrong with the file, a line each.
export function facts(path, cells) {
  const bytes = readFileSync(path)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const at = offset => ({ view, offset: Number(offset) })
  const footer = thrift(at(bytes.length - 8 - view.getUint32(bytes.length - 8, true)))
  const wrong = []
  const expect = (truth, ...what) => {
    if (truth) return
    wrong.push(what.map(w => typeof w === 'string' ? w : show(w)).join(' '))
  }

  const columns = cells.flatMap((cell, i) => {
    const streams = streamsOf(cell)
    return leaves(nodeOf(cell), [`c${i}`]).map((leaf, k) =>
      ({ ...leaf, cell, rows: streams[k] }))
  })
  checkSchema(parquetMetadata(bytes, { geoparquet: false }), cells, expect)
  expect(Number(footer.field_3) === ROWS, 'rows in all')
  expect(footer.field_7?.length === columns.length &&
    footer.field_7.every(o => o.field_1), 'column orders')

  let from = 0
  footer.field_4.forEach((group, g) => {
    const n = Number(group.field_3)
    expect(n === Math.min(ROW_GROUP, ROWS - from), 'rows of group', g)
    expect(group.field_7 === g, 'ordinal of group', g)
    const sum = f => group.field_1.reduce((s, c) => s + c.field_3[f], 0n)
    expect(group.field_2 === sum('field_6'), 'size of group', g)
    expect(group.field_6 === sum('field_7'), 'compressed size of group', g)
    group.field_1.forEach((chunk, i) => {
      const column = columns[i]
      const here = (truth, ...what) =>
        expect(truth, `group ${g}, ${column.path.join('.')}:`, ...what)
      checkChunk({ chunk, column, at, bytes, expect: here,
        rows: column.rows.slice(from, from + n) })
    })
    from += n
  })
  expect(from === ROWS, 'rows of all groups')
  return wrong
}

const show = x => JSON.stringify(x, (_, v) => typeof v === 'bigint' ? String(v) : v)
const same = (a, b) => show(a) === show(b)
const valuesOf = rows => rows.flat().filter(e => e[2] !== undefined).map(e => e[2])

function histogram(rows, part, max) {
  const n = new Array(max + 1).fill(0)
  for (const e of rows.flat()) n[e[part]]++
  return n.map(BigInt)
}

const textBytes = values =>
  values.reduce((n, v) => n + BigInt(v.plain.length), 0n)

function checkChunk(c) {
  const { chunk, column, at, rows, expect } = c
  const { type, cell, def } = column
  const meta = chunk.field_3, stats = meta.field_12
  const entries = rows.flat(), values = valuesOf(rows)
  expect(same(meta.field_3.map(p => new TextDecoder().decode(p)), column.path),
    'path')
  expect(meta.field_4 === CODEC[cell.codec], 'codec', meta.field_4)
  expect(Number(meta.field_5) === entries.length, 'number of values', meta.field_5)

  expect(Number(stats.field_3) === entries.length - values.length,
    'null count', stats.field_3)
  if (type.order === 'float') {
    expect(Number(stats.field_9) === values.filter(v => Number.isNaN(v.rank)).length,
      'NaN count', stats.field_9)
  }
  if (stats.field_4 !== undefined) {
    const distinct = new Set(values.map(v => v.plain.toString('hex')))
    expect(Number(stats.field_4) === distinct.size, 'distinct count', stats.field_4,
      'not', distinct.size)
  }
  checkBounds({ type, ends: leastAndMost(type, values), values, limit: CHUNK_BYTES,
    min: stats.field_6, max: stats.field_5, flags: [stats.field_8, stats.field_7],
    expect })
  checkSizes(meta.field_16, column, rows, values, expect)

  const index = thrift(at(chunk.field_4))
  const pages = index.field_1.map((p, i) => {
    const from = Number(p.field_3)
    const to = Number(index.field_1[i + 1]?.field_3 ?? rows.length)
    return { ...p, rows: rows.slice(from, to), n: to - from }
  })
  expect(pages[0].field_3 === 0n && pages.every(p => p.n > 0 && p.n <= PAGE),
    'rows of pages', pages.map(p => p.n))
  if (type.physical === 'BYTE_ARRAY') {
    expect(same(index.field_2, pages.map(p => textBytes(valuesOf(p.rows)))),
      'bytes of the pages')
  }
  pages.forEach((p, i) => checkPage(c, p, i))
  if (def > 0 && cell.nulls === 'optional' && pages.length > 2) {
    expect(pages.some(p => !valuesOf(p.rows).length), 'no page without a value',
      pages.map(p => p.n))
  }
  checkColumnIndex(c, pages, values)
  checkBloom(c, values)
}

// Histograms that say no more than the counts of nulls may be missing.
const mayLack = (part, max) => max === 0 || part === 0 && max === 1

function checkSizes(sizes, { type, def, rep }, rows, values, expect) {
  if (type.physical === 'BYTE_ARRAY') {
    expect(sizes?.field_1 === textBytes(values), 'unencoded bytes', sizes?.field_1)
  }
  for (const [field, part, max] of [['field_2', 1, rep], ['field_3', 0, def]]) {
    const found = sizes?.[field]
    if (!found && mayLack(part, max)) continue
    expect(same(found, histogram(rows, part, max)), 'level histogram', field, found)
  }
}

function checkPage({ at, bytes, column, expect }, page, i) {
  const { cell, type } = column
  const reader = at(page.field_1)
  const header = thrift(reader)
  const v1 = header.field_5, v2 = header.field_8
  const entries = page.rows.flat(), values = valuesOf(page.rows)
  const here = (truth, ...what) => expect(truth, `page ${i}:`, ...what)
  here(header.field_1 === (cell.version === 1 ? DATA_PAGE : DATA_PAGE_V2), 'version')
  here(page.field_2 === reader.offset - Number(page.field_1) + header.field_3, 'size')
  here((v1 ?? v2)?.field_1 === entries.length, 'number of values')
  if (v2) {
    here(v2.field_2 === entries.length - values.length, 'number of nulls')
    here(v2.field_3 === page.n, 'number of rows')
  }
  const encoding = v1 ? v1.field_2 : v2?.field_4
  if (type.key === cell.type) {
    here(encoding === ENCODING[cell.encoding], 'encoding', encoding)
  }
  here(header.field_4 === crc32(bytes.subarray(reader.offset,
    reader.offset + header.field_3)), 'checksum')
}

const TABLE = Int32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? n >>> 1 ^ 0xedb88320 : n >>> 1
  return n
})

function crc32(bytes) {
  let crc = -1
  for (const b of bytes) crc = crc >>> 8 ^ TABLE[(crc ^ b) & 255]
  return ~crc
}

// A page with nothing but NaN has no bounds, and then its chunk has no column
// index.  The same holds where a bound cannot be cut.
function checkColumnIndex({ chunk, column, at, expect }, pages) {
  const { type, def, rep } = column
  const ends = pages.map(p => leastAndMost(type, valuesOf(p.rows)))
  const full = pages.map(p => valuesOf(p.rows).length > 0)
  const uncut = ends.some(e => e && type.order === 'bytes' &&
    e.max.plain.subarray(0, PAGE_BYTES).every(b => b === 255) &&
    e.max.plain.length > PAGE_BYTES)
  const has = type.order !== 'none' && !uncut && full.every((f, i) => !f || ends[i])
  expect(has === (chunk.field_6 !== undefined), 'column index', has)
  if (chunk.field_6 === undefined) return
  const index = thrift(at(chunk.field_6))
  expect(same(index.field_1, full.map(f => !f)), 'null pages', index.field_1)
  expect(same(index.field_5, pages.map(p =>
    BigInt(p.rows.flat().length - valuesOf(p.rows).length))), 'null counts of pages')
  pages.forEach((p, i) => {
    if (!full[i]) {
      expect(!index.field_2[i].length && !index.field_3[i].length,
        'bounds of a null page')
      return
    }
    checkBounds({ type, ends: ends[i], values: valuesOf(p.rows), limit: PAGE_BYTES,
      min: index.field_2[i], max: index.field_3[i],
      expect: (truth, ...what) => expect(truth, `page ${i}:`, ...what) })
  })
  checkOrder({ type, full, mins: index.field_2, maxs: index.field_3,
    said: index.field_4, expect })
  for (const [field, part, max] of [['field_6', 1, rep], ['field_7', 0, def]]) {
    if (!index[field] && mayLack(part, max)) continue
    expect(same(index[field], pages.flatMap(p => histogram(p.rows, part, max))),
      'level histograms of pages', field)
  }
  if (type.order === 'float' && index.field_8) {
    expect(same(index.field_8, pages.map(p =>
      BigInt(valuesOf(p.rows).filter(v => Number.isNaN(v.rank)).length))),
    'NaN counts of pages')
  }
}

const PROBES = 1000, MOST = 40               // of one per cent

const absent = Array.from({ length: PROBES }, (_, i) =>
  xxhash64(Buffer.from(`no such value: ${i}`)))

function checkBloom({ chunk, column, at, expect }, values) {
  const meta = chunk.field_3
  const has = asksBloom(column.cell) && mayHaveBloom(column.type) &&
    values.length > 0
  expect(has === (meta.field_14 !== undefined), 'a Bloom filter or none')
  if (meta.field_14 === undefined) return
  const reader = at(meta.field_14)
  const filter = readBloomFilter(reader)
  expect(reader.offset === Number(meta.field_14) + meta.field_15,
    'length of the Bloom filter')
  const hashes = new Set(values.map(v => v.hash ??= xxhash64(v.plain)))
  const lost = [...hashes].filter(h => !sbbfContains(filter.blocks, h))
  expect(!lost.length, 'the Bloom filter lost', lost.length)
  const passed = absent.filter(h => sbbfContains(filter.blocks, h)).length
  expect(passed <= MOST, 'the Bloom filter lets pass', passed, 'of', PROBES)
}

// hyparquet_reader.mjs - a file through hyparquet.
//
// hyparquet decodes pages and assembles lists, maps and structs.  A DECIMAL, a
// date or an INTERVAL loses digits there, or is not known.  So hyparquet sees
// the leaves without their logical types, and the stored values are interpreted
// here, independently of the C code.
import { openSync, fstatSync, readSync, closeSync } from 'node:fs'
import { parquetMetadataAsync, parquetRead, parquetSchema } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { dateText, hex, intervalText, number, time, timestampText, utf8 }
  from './texts.mjs'

export async function read(path, { columns: only } = {}) {
  const fd = openSync(path)
  try {
    const file = {
      byteLength: fstatSync(fd).size,
      slice(start, end = this.byteLength) {
        const b = new Uint8Array(end - start)
        const n = readSync(fd, b, 0, b.length, start)
        if (n !== b.length) throw new Error('short read')
        return b.buffer
      }
    }
    const metadata = await parquetMetadataAsync(file, { geoparquet: false })
    const tree = parquetSchema(metadata)
    const meant = new Map()
    bare(tree, meant, false)
    let rows = []
    await parquetRead({
      file, metadata, compressors, utf8: false, geoparquet: false, columns: only,
      parsers: { timestampFromNanoseconds: nanos => nanos },
      onComplete: all => { rows = all }
    })
    const columns = tree.children
      .filter(c => !only || only.includes(c.element.name))
    return {
      names: columns.map(c => c.element.name),
      rows: Array.from(rows, row => columns.map((c, i) =>
        convert(row[i], c, meant)))
    }
  } finally {
    closeSync(fd)
  }
}

const isList = e => e.converted_type === 'LIST' || e.logical_type?.type === 'LIST'
const isMap = e => e.converted_type === 'MAP' || e.logical_type?.type === 'MAP'
const isVariant = e => e.logical_type?.type === 'VARIANT'

// Takes the logical types off the leaves, remembering them in meant.  Text
// keeps its type where it is the key of a map, which hyparquet makes into the
// name of a property.
function bare(node, meant, isKey) {
  const e = node.element
  meant.set(node, { ...e })
  if (isVariant(e)) return
  if (node.children.length) {
    if (isList(e)) e.converted_type = 'LIST'
    if (isMap(e)) e.converted_type = 'MAP'
    for (const child of node.children) {
      bare(child, meant, isMap(e) || isKey && child === node.children[0])
    }
    return
  }
  if (isKey && isText(e)) {
    e.converted_type = 'UTF8'
    return
  }
  delete e.converted_type
  delete e.logical_type
}

const isText = e => e.converted_type === 'UTF8' || e.converted_type === 'ENUM' ||
  ['STRING', 'ENUM'].includes(e.logical_type?.type)

// What hyparquet takes for a list or a map: src/schema.js there.
const listLike = n => isList(n.element) && n.children.length === 1 &&
  n.children[0].element.repetition_type === 'REPEATED' &&
  n.children[0].children.length <= 1
const mapLike = n => isMap(n.element) && n.children.length === 1 &&
  n.children[0].element.repetition_type === 'REPEATED' &&
  n.children[0].children.length === 2

function convert(v, node, meant, asElement = false) {
  if (v === null || v === undefined) {
    return isVariant(node.element) ? ['nothing'] : null
  }
  if (node.element.repetition_type === 'REPEATED' && !asElement) {
    return ['list', Array.from(v, x => convert(x, node, meant, true))]
  }
  if (isVariant(node.element)) return ['variant', plain(v)]
  if (listLike(node)) {
    const repeated = node.children[0]
    const element = repeated.children.length ? repeated.children[0] : repeated
    return ['list', Array.from(v, x => convert(x, element, meant, true))]
  }
  if (mapLike(node)) {
    const [key, value] = node.children[0].children
    return ['map', Object.entries(v).map(([k, x]) =>
      [convert(keyValue(k, key.element), key, meant), convert(x, value, meant)])]
  }
  if (node.children.length) {
    return ['struct', node.children.map(c =>
      [c.element.name, convert(v[c.element.name], c, meant)])]
  }
  return leaf(v, meant.get(node))
}

// The name of a property back to the value it was made from.
function keyValue(text, element) {
  switch (element.type) {
    case 'BOOLEAN': return text === 'true'
    case 'INT64': case 'INT96': return BigInt(text)
    case 'INT32': case 'FLOAT': case 'DOUBLE': return Number(text)
    default: return element.converted_type ? text
      : Uint8Array.from(text === '' ? [] : text.split(','), Number)
  }
}

function bigEndian(bytes) {
  let v = 0n
  for (const b of bytes) v = v << 8n | BigInt(b)
  return bytes.length && bytes[0] > 127 ? v - (1n << BigInt(8 * bytes.length)) : v
}

function half(bytes) {
  const bits = bytes[1] << 8 | bytes[0]
  const sign = bits >> 15 ? -1 : 1
  const exponent = bits >> 10 & 31, fraction = bits & 1023
  if (exponent === 31) return fraction ? NaN : sign * Infinity
  return exponent === 0 ? sign * fraction * 2 ** -24
    : sign * (1024 + fraction) * 2 ** (exponent - 25)
}

const perSecond = { MILLIS: 1000n, MICROS: 1000000n, NANOS: 1000000000n }
const asBytes = v => typeof v === 'string' ? Buffer.from(v) : v
const integer = (v, bits, signed) => ['int',
  String(signed ? BigInt(v) : BigInt.asUintN(Math.max(bits, 32), BigInt(v)))]

// The logical type wins; a converted type alone still works.
function leaf(v, e) {
  const logical = e.logical_type, unit = logical?.unit
  switch (logical?.type) {
    case 'TIMESTAMP': return ['text', timestampText(v, perSecond[unit])]
    case 'TIME': return time(v, perSecond[unit])
    case 'INTEGER': return integer(v, logical.bitWidth, logical.isSigned)
    case 'FLOAT16': return ['float', number(half(v))]
    case 'UUID': return ['text', hex(v).replace(
      /^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')]
    case 'STRING': case 'ENUM': return ['text', utf8(asBytes(v))]
    case 'JSON': return ['json', utf8(v)]
    case 'BSON': case 'GEOMETRY': case 'GEOGRAPHY': return ['blob', hex(v)]
    case 'DATE': return ['text', dateText(v)]
    case 'NULL': return null
  }
  switch (e.converted_type) {
    case 'UTF8': case 'ENUM': return ['text', utf8(asBytes(v))]
    case 'JSON': return ['json', utf8(v)]
    case 'DATE': return ['text', dateText(v)]
    case 'TIME_MILLIS': return time(v, 1000n)
    case 'TIME_MICROS': return time(v, 1000000n)
    case 'TIMESTAMP_MILLIS': return ['text', timestampText(v, 1000n)]
    case 'TIMESTAMP_MICROS': return ['text', timestampText(v, 1000000n)]
    case 'UINT_8': case 'UINT_16': case 'UINT_32': return integer(v, 32, false)
    case 'UINT_64': return integer(v, 64, false)
    case 'DECIMAL':
      return ['dec', String(v instanceof Uint8Array ? bigEndian(v) : v),
        e.scale ?? 0]
    case 'INTERVAL': {
      const d = new DataView(v.buffer, v.byteOffset, 12)
      return ['text', intervalText(d.getUint32(0, true), d.getUint32(4, true),
        d.getUint32(8, true))]
    }
  }
  switch (e.type) {
    case 'BOOLEAN': return ['bool', Boolean(v)]
    case 'INT32': case 'INT64': return ['int', String(v)]
    case 'INT96': return ['text', timestampText(v, 1000000000n)]
    case 'FLOAT': return ['float', number(v)]
    case 'DOUBLE': return ['real', number(v)]
    default: return ['blob', hex(v)]
  }
}

// A Variant as hyparquet shows it, as JSON.
function plain(v) {
  if (v === null || v === undefined) return null
  if (typeof v === 'bigint') return { $int: String(v) }
  if (typeof v === 'number' && !Number.isFinite(v)) return { $real: String(v) }
  if (v instanceof Date) return { $date: v.getTime() }
  if (v instanceof Uint8Array) return hex(v).toUpperCase()
  if (Array.isArray(v)) return v.map(plain)
  if (typeof v === 'object') {
    return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, plain(x)]))
  }
  return v
}

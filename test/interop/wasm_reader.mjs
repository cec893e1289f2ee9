// wasm_reader.mjs - a file through parquet-wasm, which is arrow-rs compiled to
// WebAssembly: its Arrow arrays into typed values of texts.mjs.
//
// apache-arrow only unpacks the stream.  Its own accessors round (timestamps to
// milliseconds), so the buffers are read here, by the Arrow columnar format.
import { readFileSync } from 'node:fs'
import { Type, tableFromIPC } from 'apache-arrow'
import { readParquet } from 'parquet-wasm'
import { dateText, hex, intervalText, number, time, utf8 } from './texts.mjs'

export function read(file, { columns } = {}) {
  const table = tableFromIPC(readParquet(readFileSync(file),
    columns ? { columns } : undefined).intoIPCStream())
  const names = table.schema.fields.map(f => f.name)
  const rows = []
  for (const batch of table.batches) {
    const all = batch.data.children
    for (let r = 0; r < batch.numRows; r++) {
      rows.push(all.map((data, c) => convert(data, r, table.schema.fields[c])))
    }
  }
  return { names, rows }
}

const perSecond = [1n, 1000n, 1000000n, 1000000000n]      // by TimeUnit

function isNull(data, i) {
  const bits = data.nullBitmap, at = data.offset + i
  return Boolean(data.nullCount) && bits?.length > 0 &&
    (bits[at >> 3] >> (at & 7) & 1) === 0
}

function bytes(data, i) {
  if (Type[data.typeId] === 'FixedSizeBinary') {
    const n = data.type.byteWidth
    return data.values.subarray(i * n, i * n + n)
  }
  const [from, to] = ends(data, i)
  return data.values.subarray(from, to)
}

const ends = (data, i) =>
  [Number(data.valueOffsets[i]), Number(data.valueOffsets[i + 1])]

// data.values begins at the array's offset; a bitmap begins where it began.
function convert(data, i, field) {
  if (isNull(data, i)) return null
  const { type, values, children } = data
  switch (Type[type.typeId]) {
    case 'Null': return null
    case 'Bool': {
      const at = data.offset + i
      return ['bool', Boolean(values[at >> 3] >> (at & 7) & 1)]
    }
    case 'Int': return ['int', String(values[i])]
    case 'Float': return floating(values[i], type.precision)
    case 'Decimal':
      return ['dec', unscaled(values, i, type.bitWidth / 32), type.scale]
    case 'Utf8': case 'LargeUtf8': return ['text', utf8(bytes(data, i))]
    case 'Binary': case 'LargeBinary': case 'FixedSizeBinary':
      return ['blob', hex(bytes(data, i))]
    case 'Date': return ['text', dateText(values[i])]
    case 'Time': return time(values[i], perSecond[type.unit])
    case 'Timestamp': {
      const ticks = values instanceof BigInt64Array ? values[i] : wide(values, i)
      return ['at', String(ticks), Number(perSecond[type.unit])]
    }
    case 'Interval':
      return ['text', interval(values, i, type.unit)]
    case 'List': case 'LargeList': {
      const [from, to] = ends(data, i)
      return ['list', span(from, to, k =>
        convert(children[0], k, type.children[0]))]
    }
    case 'Struct':
      return ['struct', type.children.map((f, c) =>
        [f.name, convert(children[c], i, f)])]
    case 'Map': {
      const [from, to] = ends(data, i)
      const [entries] = children, [f] = type.children
      return ['map', span(from, to, k => f.type.children.map((part, c) =>
        convert(entries.children[c], k, part)))]
    }
  }
  throw new Error(`no conversion for Arrow's ${type} (${field.name})`)
}

const span = (from, to, f) =>
  Array.from({ length: to - from }, (_, k) => f(from + k))

const wide = (values, i) =>
  BigInt(values[2 * i + 1]) << 32n | BigInt(values[2 * i] >>> 0)

function unscaled(values, i, words) {
  let v = 0n
  for (let w = words - 1; w >= 0; w--) {
    v = v << 32n | BigInt(values[i * words + w] >>> 0)
  }
  return String(BigInt.asIntN(32 * words, v))
}

function floating(v, precision) {
  return precision === 2 ? ['real', number(v)]
    : ['float', number(precision === 1 ? v : half(v))]
}

function half(bits) {
  const sign = bits >> 15 ? -1 : 1, e = bits >> 10 & 31, fraction = bits & 1023
  if (e === 31) return fraction ? NaN : sign * Infinity
  return sign * (e ? (1024 + fraction) * 2 ** (e - 25) : fraction * 2 ** -24)
}

// YEAR_MONTH, DAY_TIME, MONTH_DAY_NANO
function interval(values, i, unit) {
  if (unit === 0) return intervalText(values[i], 0, 0)
  if (unit === 1) return intervalText(0, values[2 * i], values[2 * i + 1])
  return intervalText(values[4 * i], values[4 * i + 1],
    Number(wide(values, 2 * i + 1) / 1000000n))
}


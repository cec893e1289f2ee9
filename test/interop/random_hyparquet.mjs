// random_hyparquet.mjs - random values written by hyparquet-writer, which has
// encodings, page sizes, indexes and physical types that DuckDB does not write.
//
// A kind is { elements(name, repetition), of(), encodings }: its part of the
// schema, and a value as [what the writer takes, the typed value that is meant].
import zlib from 'node:zlib'
import { parquetWriteFile, schemaFromColumnData } from 'hyparquet-writer'
import { dateText, hex, intervalText, number, time } from './texts.mjs'

const quality = zlib.constants.BROTLI_PARAM_QUALITY
const compressors = {
  GZIP: input => zlib.gzipSync(input),
  BROTLI: input => zlib.brotliCompressSync(input, { params: { [quality]: 4 } })
}

const encode = s => new TextEncoder().encode(s)
const signed = (r, bits) => BigInt.asIntN(bits, r.bits(bits))
const some = (r, bits) => r.chance(0.1)
  ? r.pick([0n, 1n, -1n, -(1n << BigInt(bits - 1)), (1n << BigInt(bits - 1)) - 1n])
  : signed(r, bits)

function leaf(type, more, of, encodings) {
  return {
    of,
    encodings: ['PLAIN', ...encodings],
    elements: (name, repetition_type) =>
      [{ name, type, repetition_type, ...more }]
  }
}

const DELTA = ['DELTA_BINARY_PACKED', 'BYTE_STREAM_SPLIT']
const SPLIT = ['BYTE_STREAM_SPLIT']
const TEXTS = ['DELTA_LENGTH_BYTE_ARRAY', 'DELTA_BYTE_ARRAY']

// Magnitudes differ, so that some blocks of delta are narrow.
function int32(r, more, meant) {
  const bits = r.pick([2, 8, 17, 31, 32])
  return leaf('INT32', more, () => {
    const v = Number(bits === 32 ? some(r, 32) : signed(r, bits))
    return [v, meant(v)]
  }, DELTA)
}

function int64(r, more, meant, widest = 64) {
  const bits = r.pick([2, 8, 33, 63, 64].map(b => Math.min(b, widest)))
  return leaf('INT64', more, () => {
    const v = bits === 64 ? some(r, 64) : signed(r, bits)
    return [v, meant(v)]
  }, DELTA)
}

const integer = v => ['int', String(v)]
const logical = (type, unit, isAdjustedToUTC) =>
  ({ logical_type: { type, unit, isAdjustedToUTC } })
const perSecond = { MILLIS: 1e3, MICROS: 1e6, NANOS: 1e9 }

function bigEndian(v, size) {
  return Uint8Array.from({ length: size }, (_, i) =>
    Number(v >> BigInt(8 * (size - 1 - i)) & 255n))
}

function decimal(r) {
  const type = r.pick(['INT32', 'INT64', 'FIXED_LEN_BYTE_ARRAY'])
  const precision = type === 'INT32' ? r.between(1, 9) : type === 'INT64'
    ? r.between(1, 18) : r.between(1, 38)
  const scale = r.pick([0, precision, r.between(0, precision)])
  const limit = 10n ** BigInt(precision)
  const size = Math.ceil((precision * Math.log2(10) + 1) / 8) +
    (r.chance(0.2) ? r.between(1, 8) : 0)
  return leaf(type, { converted_type: 'DECIMAL', precision, scale,
    ...type[0] === 'F' && { type_length: size } }, () => {
    const v = r.chance(0.1) ? r.pick([0n, limit - 1n, 1n - limit])
      : (r.chance(0.5) ? -1n : 1n) * (r.bits(128) % limit)
    return [v, ['dec', String(v), scale]]
  }, type[0] === 'F' ? SPLIT : DELTA)
}

function float(r, single) {
  const zero = r.pick([0, -0])           // -0 is 0 in the writer's dictionaries
  const edges = [NaN, zero, Infinity, -Infinity, 1, 0.1, 5e-324, 1e-45, 1e22,
    Number.MAX_VALUE, 3.4028234663852886e38, 1.1754943508222875e-38]
  const view = new DataView(new ArrayBuffer(8))
  return leaf(single ? 'FLOAT' : 'DOUBLE', {}, () => {
    view.setBigUint64(0, r.bits(64))
    const x = r.chance(0.3) ? r.pick(edges) : r.chance(0.5) ? r.below(1000) / 8
      : single ? view.getFloat32(0) : view.getFloat64(0)
    const v = (single ? Math.fround(x) : x) || (x !== x ? NaN : zero)
    return [v, [single ? 'float' : 'real', number(v)]]
  }, SPLIT)
}

const half = bits => {
  const sign = bits >> 15 ? -1 : 1, e = bits >> 10 & 31, f = bits & 1023
  if (e === 31) return f ? NaN : sign * Infinity
  return sign * (e ? (1024 + f) * 2 ** (e - 25) : f * 2 ** -24)
}

function words(r) {
  const n = r.pick([3, 50, 100000])
  return r.pick([
    () => `w${r.below(n)}`,
    () => `some/long/prefix/${r.below(n)}/${r.below(n)}`,
    () => 'xyzé'[r.below(4)].repeat(r.below(r.pick([3, 50, 2000]))),
    () => r.pick(['', ' ', 'a\0b', '\0', '"\\\n\t\u001f\u007f', '日本', '😀',
      '\ufeffbom', '\u2028', 'null', '12', 'it\'s', 'e\u0301'])
  ])
}

function textLike(r) {
  const word = words(r)
  return r.pick([
    () => leaf('BYTE_ARRAY', { converted_type: 'UTF8' }, () => {
      const s = word()
      return [s, ['text', s]]
    }, TEXTS),
    () => leaf('BYTE_ARRAY', { logical_type: { type: 'STRING' } }, () => {
      const s = word()
      return [encode(s), ['text', s]]
    }, TEXTS),
    () => leaf('BYTE_ARRAY', { converted_type: 'ENUM' }, () => {
      const s = word()
      return [encode(s), ['text', s]]
    }, TEXTS),
    () => leaf('BYTE_ARRAY', {}, () => {
      const b = r.chance(0.5) ? encode(word())
        : Uint8Array.from({ length: r.below(20) }, () => r.below(256))
      return [b, ['blob', hex(b)]]
    }, TEXTS),
    () => leaf('BYTE_ARRAY', { converted_type: 'UTF8' }, () => {
      const b = r.chance(0.5) ? encode(word())
        : Uint8Array.from({ length: r.below(12) }, () => r.pick(
          [65, 128, 159, 160, 191, 192, 194, 224, 237, 239, 240, 244, 255, 0]))
      return [b, ['bytes', b]]
    }, TEXTS),
    () => leaf('BYTE_ARRAY', { converted_type: 'JSON' }, () => {
      const v = r.pick([{ a: r.below(9), b: [null, word()] }, [], 1.5, 'x', {}])
      return [v, ['json', JSON.stringify(v)]]
    }, TEXTS)
  ])()
}

function fixed(r) {
  const size = r.pick([1, 2, 3, 4, 8, 12, 16, 20])
  return leaf('FIXED_LEN_BYTE_ARRAY', { type_length: size }, () => {
    const b = Uint8Array.from({ length: size }, () => r.below(256))
    return [b, ['blob', hex(b)]]
  }, SPLIT)
}

const dashed = b => hex(b).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/,
  '$1-$2-$3-$4-$5')

const scalars = [
  r => leaf('BOOLEAN', {}, () => {
    const v = r.chance(0.5)
    return [v, ['bool', v]]
  }, ['RLE']),
  r => int32(r, {}, integer),
  r => int64(r, {}, integer),
  r => leaf('INT32', { converted_type: 'UINT_32' }, () => {
    const v = Number(r.bits(r.pick([4, 31, 32])))
    return [v, integer(v)]
  }, DELTA),
  r => leaf('INT64', { converted_type: 'UINT_64' }, () => {
    const v = BigInt.asUintN(64, some(r, r.pick([4, 63, 64])))
    return [v, integer(v)]
  }, DELTA),
  r => {
    const bits = r.pick([8, 16]), isSigned = r.chance(0.5)
    return leaf('INT32', { converted_type: `${isSigned ? '' : 'U'}INT_${bits}` },
      () => {
        const v = Number(isSigned ? signed(r, bits) : r.bits(bits))
        return [v, integer(v)]
      }, DELTA)
  },
  decimal, decimal,
  r => float(r, true), r => float(r, false),
  r => leaf('FIXED_LEN_BYTE_ARRAY', { type_length: 2,
    logical_type: { type: 'FLOAT16' } }, () => {
    const v = half(r.below(65536))
    return [v, ['float', number(v)]]
  }, SPLIT),
  textLike, textLike, fixed,
  r => leaf('FIXED_LEN_BYTE_ARRAY', { type_length: 16,
    logical_type: { type: 'UUID' } }, () => {
    const b = bigEndian(r.bits(128), 16)
    return [b, ['text', dashed(b)]]
  }, SPLIT),
  r => leaf('FIXED_LEN_BYTE_ARRAY', { type_length: 12,
    converted_type: 'INTERVAL' }, () => {
    const parts = [r, r, r].map(x => Number(x.bits(x.pick([1, 8, 32]))))
    const b = new Uint8Array(12), view = new DataView(b.buffer)
    parts.forEach((p, i) => view.setUint32(4 * i, p, true))
    return [b, ['text', intervalText(...parts)]]
  }, SPLIT),
  r => int32(r, r.pick([{ converted_type: 'DATE' },
    { logical_type: { type: 'DATE' } }]), v => ['text', dateText(v)]),
  r => int32(r, r.pick([{ converted_type: 'TIME_MILLIS' },
    logical('TIME', 'MILLIS', true)]), v => time(v, 1000n)),
  r => r.chance(0.5)
    ? int64(r, { converted_type: 'TIME_MICROS' }, v => time(v, 1000000n))
    : int64(r, logical('TIME', 'NANOS', r.chance(0.5)),
      v => time(v, 1000000000n)),
  r => {
    const unit = r.pick(['MILLIS', 'MICROS', 'NANOS'])
    return int64(r, unit === 'NANOS' || r.chance(0.5)
      ? logical('TIMESTAMP', unit, r.chance(0.5))
      : { converted_type: `TIMESTAMP_${unit}` },
    v => ['at', String(v), perSecond[unit]])
  }
]

// --- nested --------------------------------------------------------------------

const optional = (r, kind, often) => () => r.chance(often) ? [null, null]
  : kind.of()

function list(r, depth) {
  const element = kind(r, depth - 1), required = r.chance(0.3)
  const value = optional(r, element, required ? 0 : r.pick([0, 0.2, 0.9]))
  const longest = depth > 1 ? 4 : r.pick([2, 6, 200])
  const names = r.pick([['list', 'element'], ['bag', 'array_element'],
    ['items', 'item']])
  return {
    repeated: true,
    of: () => {
      const all = Array.from({ length: r.below(longest) }, value)
      return [all.map(v => v[0]), ['list', all.map(v => v[1])]]
    },
    elements: (name, repetition_type) => [
      { name, repetition_type, num_children: 1, converted_type: 'LIST' },
      { name: names[0], repetition_type: 'REPEATED', num_children: 1 },
      ...element.elements(names[1], required ? 'REQUIRED' : 'OPTIONAL')]
  }
}

function struct(r, depth) {
  const fields = Array.from({ length: r.between(1, 3) }, (_, i) => {
    const k = kind(r, depth - 1), required = r.chance(0.3)
    return { name: 'fgh'[i], kind: k, required,
      value: optional(r, k, required ? 0 : r.pick([0, 0.2, 1])) }
  })
  return {
    fields,
    of: () => {
      const all = fields.map(f => [f.name, f.value()])
      return [Object.fromEntries(all.map(([n, v]) => [n, v[0]])),
        ['struct', all.map(([n, v]) => [n, v[1]])]]
    },
    elements: (name, repetition_type) => [
      { name, repetition_type, num_children: fields.length },
      ...fields.flatMap(f =>
        f.kind.elements(f.name, f.required ? 'REQUIRED' : 'OPTIONAL'))]
  }
}

// Keys repeat here.  A plain map has the last of them, map=entries has all.
function map(r, depth) {
  const key = r.pick([
    () => leaf('BYTE_ARRAY', { converted_type: 'UTF8' }, () => {
      const s = r.pick(['a', 'b', '', 'é', '"', `k${r.below(9)}`])
      return [s, ['text', s]]
    }, []), () => int32(r, {}, integer), () => decimal(r), () => int64(r,
      logical('TIMESTAMP', 'MICROS', true), v => ['at', String(v), 1e6]),
    () => scalars[0](r)])()
  const value = kind(r, depth - 1)
  const put = optional(r, value, r.pick([0, 0.3]))
  return {
    repeated: true,
    of: () => {
      const all = Array.from({ length: r.below(5) }, () => [key.of(), put()])
      return [all.map(([k, v]) => ({ key: k[0], value: v[0] })),
        ['map', all.map(([k, v]) => [k[1], v[1]])]]
    },
    elements: (name, repetition_type) => [
      { name, repetition_type, num_children: 1, converted_type: 'MAP' },
      { name: 'key_value', repetition_type: 'REPEATED', num_children: 2 },
      ...key.elements('key', 'REQUIRED'), ...value.elements('value', 'OPTIONAL')]
  }
}

function kind(r, depth) {
  return depth > 0 && r.chance(0.6) ? r.pick([list, struct, map])(r, depth)
    : r.pick(scalars)(r)
}

// --- variants and geometries -----------------------------------------------------

const stringy = r => r.pick(['', 'x', 'grüße', '"\\', `t${r.below(50)}`,
  'a'.repeat(r.below(100))])

function anything(r, depth) {
  const kinds = [
    () => null, () => r.chance(0.5), () => r.between(-200, 200),
    () => Number(signed(r, 32)), () => r.below(1000) / 7, () => stringy(r)
  ]
  if (depth > 0) {
    kinds.push(() => Array.from({ length: r.below(4) }, () => anything(r, depth - 1)),
      () => thing(r, depth - 1), () => thing(r, depth - 1))
  }
  return r.pick(kinds)()
}

function thing(r, depth) {
  const o = {}
  if (r.chance(0.8)) o.a = r.chance(0.8) ? r.below(1000) : anything(r, depth)
  if (r.chance(0.8)) o.b = r.chance(0.8) ? stringy(r) : anything(r, depth)
  if (r.chance(0.4)) o['ü "c'] = anything(r, depth)
  if (r.chance(0.4)) {
    o.list = Array.from({ length: r.below(3) }, () => r.chance(0.8)
      ? { n: r.below(9), s: stringy(r) } : anything(r, depth))
  }
  if (r.chance(0.4)) o.deep = r.chance(0.8) ? { x: r.below(99) / 8, y: r.chance(0.5) }
    : anything(r, depth)
  return o
}

function basic(type, of, more) {
  return {
    of,
    isNull: type === 'VARIANT' ? ['nothing'] : null,
    shredding: more?.shredding,
    elements: (name, repetition_type) => schemaFromColumnData({ columnData: [
      { name, data: [], type, nullable: repetition_type === 'OPTIONAL', ...more }
    ] }).slice(1)
  }
}

function variant(r) {
  const shredding = r.pick([undefined, { a: 'INT32', b: 'STRING' },
    { a: 'INT64', list: [{ n: 'INT32', s: 'STRING' }], deep: { x: 'DOUBLE' } },
    { deep: { x: 'DOUBLE', y: 'BOOLEAN' }, 'ü "c': 'STRING' }])
  const depth = r.between(0, 3)
  return basic('VARIANT', () => {
    const v = r.chance(0.7) ? thing(r, depth) : anything(r, depth)
    return [v, v === null ? ['nothing'] : ['variant', v]]
  }, shredding && { shredding })
}

function geometry(r) {
  return basic(r.pick(['GEOMETRY', 'GEOGRAPHY']), () => {
    const n = r.chance(0.5) ? 1 : r.between(2, 5)
    const points = Array.from({ length: n }, () =>
      [r.below(3600) / 10 - 180, r.below(1800) / 10 - 90])
    const b = Buffer.alloc((n > 1 ? 9 : 5) + 16 * n)
    b.writeUInt8(1)
    b.writeUInt32LE(n > 1 ? 2 : 1, 1)
    if (n > 1) b.writeUInt32LE(n, 5)
    points.flat().forEach((x, i) => b.writeDoubleLE(x, (n > 1 ? 9 : 5) + 8 * i))
    return [n > 1 ? { type: 'LineString', coordinates: points }
      : { type: 'Point', coordinates: points[0] }, ['blob', hex(b)]]
  })
}

// --- columns and files ---------------------------------------------------------

// A row's value by the shape of the column: all different, of a few, in runs,
// one, ascending.
function shaped(r, of, n) {
  const few = () => {
    const pool = Array.from({ length: r.pick([1, 2, 5, 200]) }, of)
    return () => r.pick(pool)
  }
  const runs = () => {
    const longest = r.pick([5, 100, 3000])
    let left = 0, v
    return () => {
      if (!left--) [left, v] = [r.below(longest), of()]
      return v
    }
  }
  const value = r.pick([() => of, few, runs])()
  const data = Array.from({ length: n }, value)
  if (r.chance(0.15) && n && ['number', 'bigint'].includes(typeof data[0][0])) {
    data.sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0)
  }
  return data
}

function nulls(r, n) {
  const from = r.below(n + 1), length = r.below(n + 1), p = r.pick([0.1, 0.5, 0.98])
  return r.pick([() => false, () => true, i => i % 7 === 3,
    i => i >= from && i < from + length, () => r.chance(p), () => r.chance(p)])
}

function column(r, n, i) {
  const nested = r.chance(0.35) && n <= 5000
  const k = !nested ? r.pick(scalars)(r) : r.chance(0.15)
    ? r.pick([variant, variant, geometry])(r)
    : r.pick([list, struct, map])(r, r.between(1, 3))
  const required = r.chance(0.25), isNull = required ? () => false : nulls(r, n)
  const data = shaped(r, k.of, n).map((v, row) =>
    isNull(row) ? [null, k.isNull ?? null] : v)
  const encoding = nested || r.chance(0.4) ? undefined : r.pick(k.encodings)
  return {
    name: `c${i}`, values: data.map(v => v[1]), fields: k.fields,
    elements: k.elements(`c${i}`, required ? 'REQUIRED' : 'OPTIONAL'),
    source: { name: `c${i}`, data: data.map(v => v[0]), ...k.shredding &&
      { shredding: k.shredding }, ...encoding && { encoding },
      ...r.pick([{}, {}, { columnIndex: true }, { columnIndex: true },
        { offsetIndex: false }]),
      ...!nested && r.chance(0.2) && { bloomFilter: true } }
  }
}

export function write(r, filename) {
  const n = r.rows()
  const columns = Array.from({ length: n > 5000 ? 2 : r.between(1, 8) },
    (_, i) => column(r, n, i))
  const options = {
    codec: r.pick(['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'BROTLI']),
    pageSize: r.pick([undefined, n > 5000 ? 5000 : 64, 1000, 10000]),
    rowGroupSize: r.pick([undefined, n > 5000 ? 9999 : 100, [1000, 77], 100000]),
    statisticsTruncateLength: r.pick([undefined, 1, Infinity]),
    dictionarySize: r.pick([undefined, undefined, 100])
  }
  for (const k of Object.keys(options)) {
    if (options[k] === undefined) delete options[k]
  }
  const schema = [{ name: 'root', num_children: columns.length },
    ...columns.flatMap(c => c.elements)]
  const made = JSON.stringify({ schema, options,
    columns: columns.map(c => ({ ...c.source, data: undefined })) })
  try {
    parquetWriteFile({ filename, compressors, schema,
      columnData: columns.map(c => c.source), ...options })
  } catch (e) {
    e.made = made
    throw e
  }
  return { made, rows: n, columns,
    writer: `hyparquet-writer, ${n} rows, ${JSON.stringify(options)}` }
}

// written_types.mjs - the value table of sql/values.md: what a copy is asked to
// write, and what a foreign reader has to find.  Both are worked out here, from
// the format.
//
// A type is
//   name       what the option `types` says
//   physical   its type in the file, with length where that is FIXED
//   converted  its ConvertedType, logical its LogicalType as hyparquet shows it
//   order      how its bounds compare: 'number', 'float', 'bytes', 'none'
//   special    values that are always there: the first and last of the type,
//              those around zero, what is empty, what is long
//   random(source)
//
// and a value
//   sql        what is put into SQLite        json   what stands for it in JSON
//   want       what a reader says, see texts.mjs
//   plain      its bytes in PLAIN, without the length of a BYTE_ARRAY
//   rank       what compares: a BigInt, a number or bytes
import { dateText, decimalText, hex, intervalText, number, time, timestampText }
  from './texts.mjs'

const quoted = s => JSON.stringify(s)

function little(v, n) {
  const b = Buffer.alloc(n)
  let rest = BigInt.asUintN(8 * n, BigInt(v))
  for (let i = 0; i < n; i++, rest >>= 8n) b[i] = Number(rest & 255n)
  return b
}

const big = (v, n) => little(v, n).reverse()

function between(source, low, high) {
  const span = high - low + 1n
  return low + source.bits(String(span).length * 4 + 8) % span
}

// Values of a range: its ends, their neighbours, and those around zero.
function corners(low, high) {
  const all = [low, high, low + 1n, high - 1n, 0n, 1n, -1n, 127n, 128n, -128n]
  return [...new Set(all)].filter(v => v >= low && v <= high)
}

// Half of the values are small, for short runs and small differences.
function ranged(low, high, value) {
  return {
    special: corners(low, high).map(value),
    random: s => value(s.chance(0.5) ? between(s, low, high)
      : between(s, low < -200n ? -200n : low, high > 200n ? 200n : high))
  }
}

// --- numbers -----------------------------------------------------------------

const INT64_MAX = (1n << 63n) - 1n

function integer(name, bits, signed, converted) {
  const size = bits > 32 ? 8 : 4
  const low = signed ? -(1n << BigInt(bits - 1)) : 0n
  const high = (1n << BigInt(signed ? bits - 1 : bits)) - 1n
  return {
    name, physical: `INT${8 * size}`, order: 'number', converted,
    logical: converted &&
      { type: 'INTEGER', bitWidth: bits, isSigned: signed },
    ...ranged(low, high, v => ({
      sql: v > INT64_MAX ? String(v) : v, json: String(v),
      want: ['int', String(v)], plain: little(v, size), rank: v
    }))
  }
}

function halfBytes(x) {
  const sign = x < 0 || Object.is(x, -0) ? 0x8000 : 0, a = Math.abs(x)
  let bits
  if (Number.isNaN(x)) bits = 0x7e00
  else if (a === Infinity) bits = 0x7c00
  else if (a < 2 ** -14) bits = a * 2 ** 24
  else {
    const e = Math.floor(Math.log2(a))
    bits = (e + 15) << 10 | a / 2 ** (e - 10) - 1024
  }
  return little(sign | bits, 2)
}

function floating(name, physical, length, tag, bytes, round, special) {
  const value = x => ({
    sql: Number.isNaN(x) ? 'NaN' : x,
    json: Number.isNaN(x) ? '"NaN"' : Object.is(x, -0) ? '-0.0'
      : Number.isFinite(x) ? String(x) : x > 0 ? '9e999' : '-9e999',
    want: [tag, number(x)], plain: bytes(x), rank: x
  })
  return {
    name, physical, length, order: 'float',
    special: special.flatMap(x => [value(x), value(-x)])
      .concat([value(Infinity), value(-Infinity)]),
    nan: value(NaN),
    random: s => value(round(s.chance(0.5) ? s.between(-2000, 2000) / 4
      : (s.real() - 0.5) * 2 ** s.between(-10, 14)))
  }
}

const bytesOf = (set, n) => x => {
  const b = Buffer.alloc(n)
  b[set](x)
  return b
}

function roundHalf(x) {
  const a = Math.abs(x)
  if (a === 0) return x
  const step = 2 ** (Math.max(Math.floor(Math.log2(a)), -14) - 10)
  return Math.sign(x) * Math.round(a / step) * step
}

// A FIXED with the fewest bytes.  Beyond 16 bytes, with the fewest words of 8
// bytes.
export function decimal(precision, scale) {
  const high = 10n ** BigInt(precision) - 1n
  let length = 1
  while (1n << BigInt(8 * length - 1) <= high) length++
  if (length > 16) length = Math.ceil(length / 8) * 8
  const physical = precision <= 9 ? 'INT32' : precision <= 18 ? 'INT64'
    : 'FIXED_LEN_BYTE_ARRAY'
  const bytes = physical === 'INT32' ? v => little(v, 4)
    : physical === 'INT64' ? v => little(v, 8) : v => big(v, length)
  return {
    name: `DECIMAL(${precision},${scale})`, physical, order: 'number',
    length: precision > 18 ? length : undefined,
    converted: 'DECIMAL', logical: { type: 'DECIMAL', scale, precision },
    ...ranged(-high, high, v => ({
      sql: decimalText(v, scale), json: decimalText(v, scale),
      want: ['dec', String(v), scale], plain: bytes(v), rank: v
    }))
  }
}

// --- times -------------------------------------------------------------------

const per = { MILLIS: 1000n, MICROS: 1000000n, NANOS: 1000000000n }
const DAY = 86400n
const day = text => BigInt(Date.parse(text + 'T00:00:00Z')) / 86400000n

const asText = (text, plain, rank) =>
  ({ sql: text, json: quoted(text), want: ['text', text], plain, rank })

function clock(name, unit, utc) {
  const size = unit === 'MILLIS' ? 4 : 8
  return {
    name, physical: `INT${8 * size}`, order: 'number',
    converted: unit === 'NANOS' ? undefined : `TIME_${unit}`,
    logical: { type: 'TIME', isAdjustedToUTC: utc, unit },
    ...ranged(0n, DAY * per[unit] - 1n, v =>
      asText(time(v, per[unit])[1], little(v, size), v))
  }
}

// Readers have smaller ranges than the format, so the times far from now are in
// a type of their own.
function timestamp(name, unit, utc, far) {
  const [low, high] = far ? [day('0000-01-01'), day('9999-12-31')]
    : [day('1677-12-31'), day('2262-01-01')]
  return {
    name, far, physical: 'INT64', order: 'number',
    converted: unit === 'NANOS' ? undefined : `TIMESTAMP_${unit}`,
    logical: { type: 'TIMESTAMP', isAdjustedToUTC: utc, unit },
    ...ranged(low * DAY * per[unit], (high + 1n) * DAY * per[unit] - 1n, v =>
      asText(timestampText(v, per[unit]), little(v, 8), v))
  }
}

const JULIAN = 2440588n

function int96(far) {
  const nanosOfDay = DAY * per.NANOS
  const [low, high] = far ? [day('0000-01-01'), day('9999-12-31')]
    : [day('1677-12-31'), day('2262-01-01')]
  return {
    name: 'TIMESTAMP_96', far, physical: 'INT96', order: 'none',
    ...ranged(low * nanosOfDay, (high + 1n) * nanosOfDay - 1n, v => {
      const nanos = (v % nanosOfDay + nanosOfDay) % nanosOfDay
      return asText(timestampText(v, per.NANOS), Buffer.concat([
        little(nanos, 8), little((v - nanos) / nanosOfDay + JULIAN, 4)]), v)
    })
  }
}

function interval() {
  const value = (months, days, millis) =>
    asText(intervalText(months, days, millis), Buffer.concat(
      [months, days, millis].map(v => little(v, 4))))
  const most = 2 ** 31 - 1
  return {
    name: 'INTERVAL', physical: 'FIXED_LEN_BYTE_ARRAY', length: 12,
    order: 'none', converted: 'INTERVAL',
    special: [value(0, 0, 0), value(1, 0, 0), value(0, 1, 0), value(0, 0, 1),
      value(most, 0, 0), value(0, most, 0), value(0, 0, most),
      value(most, most, most), value(14, 3, 12345)],
    random: s => value(s.below(100), s.below(40), s.below(1e8))
  }
}

// --- bytes -------------------------------------------------------------------

const LETTERS = ['a', 'b', 'z', 'A', ' ', '0', 'ä', 'ß', 'Ω', '中', '😀', "'", '"',
  '\\', '\n', '\u007f', '\u0080', '\uffff']

function letters(s, most) {
  let text = ''
  for (let n = s.below(most + 1); n > 0; n--) text += s.pick(LETTERS)
  return text
}

const textValue = text => {
  const plain = Buffer.from(text)
  return { sql: text, json: quoted(text), want: ['text', text], plain,
    rank: plain }
}

const longer = 'It is a truth universally acknowledged, '
const texts = ['', 'a', 'aa', 'aaaaaaaaaaaaaaaa', 'aaaaaaaaaaaaaaab',
  longer.repeat(100), longer.repeat(100) + 'z', 'é', '\u{10ffff}',
  'y' + '\u{10ffff}'.repeat(80), 'ÿ'.repeat(70), 'a\u0000b', '日本語', '🙂👍🏽',
  'NULL', '0', '-1.5', 'x'.repeat(64), 'x'.repeat(65)]

const blobValue = plain =>
  ({ sql: plain, json: quoted(hex(plain).toUpperCase()),
    want: ['blob', hex(plain)], plain, rank: plain })

const some = (s, n) => Buffer.from(Array.from({ length: n }, () => s.below(256)))

function text(name, converted, type, special, random) {
  return { name, physical: 'BYTE_ARRAY', order: 'bytes', converted,
    logical: { type }, special: special.map(textValue),
    random: s => textValue(random(s)) }
}

function blob(name, length, special, random, more) {
  return { name, length,
    physical: length ? 'FIXED_LEN_BYTE_ARRAY' : 'BYTE_ARRAY', order: 'bytes',
    special: special.map(b => blobValue(Buffer.from(b))),
    random: s => blobValue(random(s)), ...more }
}

function uuid() {
  const value = plain => ({
    ...asText(hex(plain).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/,
      '$1-$2-$3-$4-$5'), plain, plain)
  })
  return { name: 'UUID', physical: 'FIXED_LEN_BYTE_ARRAY', length: 16,
    order: 'bytes', logical: { type: 'UUID' },
    special: [value(Buffer.alloc(16)), value(Buffer.alloc(16, 255)),
      value(Buffer.from('80'.repeat(16), 'hex'))],
    random: s => value(some(s, 16)) }
}

function point(x, y) {
  const b = Buffer.alloc(21)
  b[0] = 1
  b.writeUInt32LE(1, 1)
  b.writeDoubleLE(x, 5)
  b.writeDoubleLE(y, 13)
  return b
}

function line(...points) {
  const head = Buffer.alloc(9)
  head[0] = 1
  head.writeUInt32LE(2, 1)
  head.writeUInt32LE(points.length, 5)
  return Buffer.concat([head, ...points.map(([x, y]) => point(x, y).subarray(5))])
}

const wkb = [point(0, 0), point(-180, -90), point(180, 90),
  line([0, 0], [10, 20.5], [-3, 4])]
const somewhere = s => point(s.between(-1800, 1800) / 10, s.between(-900, 900) / 10)

function bson(n) {                     // {"n": n}
  const b = Buffer.alloc(12)
  b.writeInt32LE(12, 0)
  b[4] = 16
  b.write('n', 5)
  b.writeInt32LE(n, 7)
  return b
}

// --- the table ---------------------------------------------------------------

const bool = v => ({ sql: BigInt(v), json: String(v), want: ['bool', v],
  plain: Buffer.from([Number(v)]), rank: BigInt(v) })
const TIMES = [['_MS', 'MILLIS'], ['', 'MICROS'], ['_NS', 'NANOS']]

export const types = [
  { name: 'BOOLEAN', physical: 'BOOLEAN', order: 'number',
    special: [bool(false), bool(true)], random: s => bool(s.chance(0.5)) },
  integer('TINYINT', 8, true, 'INT_8'),
  integer('SMALLINT', 16, true, 'INT_16'),
  integer('INTEGER', 32, true),
  integer('BIGINT', 64, true),
  integer('UTINYINT', 8, false, 'UINT_8'),
  integer('USMALLINT', 16, false, 'UINT_16'),
  integer('UINTEGER', 32, false, 'UINT_32'),
  integer('U64', 64, false, 'UINT_64'),
  floating('FLOAT', 'FLOAT', undefined, 'float', bytesOf('writeFloatLE', 4),
    Math.fround, [0, 1, 0.1, 2 ** -149, 2 ** -126, 3.4028234663852886e38, 16777217]
      .map(Math.fround)),
  floating('DOUBLE', 'DOUBLE', undefined, 'real', bytesOf('writeDoubleLE', 8),
    x => x, [0, 1, 0.1, 5e-324, 2.2250738585072014e-308, Number.MAX_VALUE,
      2 ** 53 + 2, 123456.789]),
  { ...floating('FLOAT16', 'FIXED_LEN_BYTE_ARRAY', 2, 'float', halfBytes,
    roundHalf, [0, 1, 2 ** -24, 2 ** -14, 65504, 0.0999755859375]),
  logical: { type: 'FLOAT16' } },
  decimal(4, 4), decimal(9, 2), decimal(18, 0), decimal(18, 6), decimal(19, 3),
  decimal(38, 10), decimal(50, 7), decimal(76, 20),
  { name: 'DATE', physical: 'INT32', order: 'number', converted: 'DATE',
    logical: { type: 'DATE' }, ...ranged(day('0000-01-01'), day('9999-12-31'),
      v => asText(dateText(v), little(v, 4), v)) },
  ...TIMES.flatMap(([suffix, unit]) => [clock('TIME' + suffix, unit, false),
    clock('TIMETZ' + suffix, unit, true)]),
  ...TIMES.flatMap(([suffix, unit]) => [
    timestamp('TIMESTAMP' + suffix, unit, false),
    timestamp('TIMESTAMPTZ' + suffix, unit, true)]),
  timestamp('TIMESTAMP_MS', 'MILLIS', false, true),
  timestamp('TIMESTAMP', 'MICROS', false, true),
  timestamp('TIMESTAMPTZ', 'MICROS', true, true),
  int96(false), int96(true),
  interval(),
  text('TEXT', 'UTF8', 'STRING', texts, s => letters(s, 30)),
  text('ENUM', 'ENUM', 'ENUM', ['', 'red', 'RED', 'Grün'],
    s => s.pick(['north', 'south', 'east', 'west']) + s.below(20)),
  text('JSON', 'JSON', 'JSON', ['null', '0', '-1.5e300', '""', '[]', '{}',
    '{"a":[1,{"b":null}],"ü":"\\u0000"}', ' [ 1 , 2 ]', quoted(longer.repeat(60))],
  s => quoted({ n: s.below(1000), s: letters(s, 8) })),
  uuid(),
  blob('BLOB', undefined, ['', 'a', [0], [0, 0], [255], [255, 255],
    [254, ...Buffer.alloc(70, 255)], Buffer.alloc(5000, 7), [0xc3, 0x28], [128]],
  s => some(s, s.below(40))),
  blob('BLOB(5)', 5, [[0, 0, 0, 0, 0], [255, 255, 255, 255, 255], 'abcde',
    [128, 0, 0, 0, 0], [127, 255, 255, 255, 255]], s => some(s, 5)),
  blob('BLOB(100)', 100, [Buffer.alloc(100, 255), Buffer.alloc(100)],
    s => some(s, 100)),
  blob('BSON', undefined, [bson(0), bson(-1)], s => bson(s.below(1e6)),
    { converted: 'BSON', logical: { type: 'BSON' } }),
  blob('GEOMETRY', undefined, wkb, somewhere,
    { order: 'none', logical: { type: 'GEOMETRY' } }),
  blob('GEOGRAPHY', undefined, wkb, somewhere,
    { order: 'none', logical: { type: 'GEOGRAPHY' } }),
  { name: 'UNKNOWN', physical: 'INT32', order: 'none', logical: { type: 'NULL' } }
].map(t => ({ ...t, key: t.far ? t.name + ' far' : t.name }))

export const typeOf = key => types.find(t => t.key === key)

// The encodings of the format, by physical type: Encodings.md there.
const BOTH = ['PLAIN', 'RLE_DICTIONARY']
export const encodings = {
  BOOLEAN: ['PLAIN', 'RLE'],
  INT32: [...BOTH, 'DELTA_BINARY_PACKED', 'BYTE_STREAM_SPLIT'],
  INT64: [...BOTH, 'DELTA_BINARY_PACKED', 'BYTE_STREAM_SPLIT'],
  INT96: BOTH,
  FLOAT: [...BOTH, 'BYTE_STREAM_SPLIT', 'ALP'],
  DOUBLE: [...BOTH, 'BYTE_STREAM_SPLIT', 'ALP'],
  BYTE_ARRAY: [...BOTH, 'DELTA_LENGTH_BYTE_ARRAY', 'DELTA_BYTE_ARRAY'],
  FIXED_LEN_BYTE_ARRAY: [...BOTH, 'DELTA_BYTE_ARRAY', 'BYTE_STREAM_SPLIT']
}

// written_readers.mjs - what each foreign reader is known to do with a cell,
// checked by hand.  It has to do exactly that.  When a reader improves, the
// test fails until its line here is removed.
import { hex, number, time, timestampText } from './texts.mjs'

export const readers = ['duckdb', 'hyparquet', 'wasm']
export const titles = { duckdb: 'DuckDB', hyparquet: 'hyparquet',
  wasm: 'parquet-wasm (arrow-rs)' }

const MICRO = 1000n, NANOS = 1000000000n
const asBytes = v => ['blob', hex(v.plain)]

// Towards zero, as integers are divided.
const stampInMicros = v =>
  ['text', timestampText(v.rank / MICRO, 1000000n)]
// An INT96 is a day and the nanoseconds in it.  Only the latter are cut.
const int96InMicros = v => ['text', timestampText(
  (v.rank - (v.rank % MICRO + MICRO) % MICRO) / MICRO, 1000000n)]
const timeInMicros = v => time(v.rank / MICRO, 1000000n)

// DuckDB adds up 64 bits at a time, the highest first.
function asDouble({ want: [, unscaled, scale] }) {
  const v = BigInt(unscaled), size = v < 0n ? -v : v
  let sum = 0
  for (let at = 192n; at >= 0n; at -= 64n) {
    sum = sum * 2 ** 64 + Number(BigInt.asUintN(64, size >> at))
  }
  return ['real', number((v < 0n ? -sum : sum) / Number(`1e${scale}`))]
}

// Values of a type that a reader shows as something else.  `loses` says that
// this proves nothing about the rest of the value.
export const shown = [
  { reader: 'wasm', type: /^(ENUM|UUID)$/, as: 'bytes', say: asBytes },
  { reader: 'wasm', type: /^INTERVAL$/, as: 'without months', loses: true,
    say: v => ['text', v.want[1].replace(/^P\d+M/, 'P').replace(/^P$/, 'PT0S')] },
  { reader: 'wasm', type: /^TIMESTAMP_96 far$/, loses: true,
    as: 'nanoseconds in 64 bits, wrapped around',
    say: v => ['text', timestampText(BigInt.asIntN(64, v.rank), NANOS)] },
  { reader: 'duckdb', type: /^TIMESTAMPTZ_NS$/, loses: true, as: 'microseconds',
    say: stampInMicros },
  { reader: 'duckdb', type: /^TIMESTAMP_96/, loses: true, as: 'microseconds',
    say: int96InMicros },
  { reader: 'duckdb', type: /^TIMETZ_NS$/, loses: true, as: 'microseconds',
    say: timeInMicros },
  { reader: 'duckdb', type: /^DECIMAL\((39|[4-7]\d),/, loses: true, as: 'DOUBLE',
    say: asDouble }
]

export const shownBy = (reader, type) =>
  shown.find(s => s.reader === reader && s.type.test(type))

// Cells that a reader refuses, and its message.
export const refused = [
  { reader: 'duckdb', when: c => c.type === 'BSON',
    says: /Unsupported converted type/, why: 'no BSON' },
  { reader: 'duckdb', when: c => c.encoding === 'BYTE_STREAM_SPLIT' &&
    !/^(FLOAT|DOUBLE)$/.test(c.type),
  says: /only supported for FLOAT or DOUBLE/,
  why: 'BYTE_STREAM_SPLIT of FLOAT and DOUBLE only' },
  { reader: 'duckdb', when: c => c.encoding === 'ALP', says: /Invalid data/,
    why: 'no ALP' },
  { reader: 'hyparquet', when: c => c.encoding === 'ALP',
    says: /unsupported encoding/, why: 'no ALP' },
  { reader: 'wasm', when: c => c.encoding === 'ALP',
    says: /Unexpected Encoding/, why: 'no ALP' }
]

export const refusedBy = (reader, cell) =>
  refused.find(r => r.reader === reader && r.when(cell))

// --- queries with WHERE ------------------------------------------------------

// DuckDB hashes its own form of the operand, and not the stored one.  So an
// equality misses rows if the column has a Bloom filter, in DuckDB's own files
// too.  Columns of these types get a filter only if the user asks for one.
export const misled = type => /^(BLOB.*|FLOAT16|DECIMAL\((50|76),.*)$/.test(type)

// The same in parquet_bloom_probe, for more types.  Queries do not probe these.
export const isProbed = type =>
  !misled(type) && !/^(DECIMAL|TIME_MS|TIMESTAMP\w*_MS|TIMESTAMPTZ_NS)/.test(type)

// hyparquet takes the empty bounds of a page without values for those of a day.
export const readsPageIndex = type => !/^(DATE|TIMESTAMP)/.test(type)

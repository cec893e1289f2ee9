// duckdb_reader.mjs - a file through DuckDB, its typed values into ours.
import { DuckDBInstance } from '@duckdb/node-api'
import { DAY, dateText, hex, intervalText, number, time } from './texts.mjs'

let connection

async function connect() {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
}

const quoted = name => '"' + name.replaceAll('"', '""') + '"'

export async function read(file, { columns } = {}) {
  if (!connection) await connect()
  const from = `read_parquet('${file.replaceAll("'", "''")}',
    hive_partitioning = false)`
  const shape = await connection.run(
    `SELECT ${columns?.map(quoted).join(', ') ?? '*'} FROM ${from} LIMIT 0`)
  const names = shape.columnNames()
  const types = shape.columnTypes()
  const list = types.map((type, i) => isVariant(type)
    ? `CAST(${quoted(shape.deduplicatedColumnNames()[i])} AS JSON)`
    : quoted(shape.deduplicatedColumnNames()[i]))
  const result = await connection.runAndReadAll(
    `SELECT ${list.join(', ') || '*'} FROM ${from}`)
  const readAs = result.columnTypes()
  return {
    names,
    rows: result.getRows().map(row => row.map((v, i) =>
      isVariant(types[i]) ? variant(v) : convert(v, readAs[i])))
  }
}

const kind = type => type.constructor.name.replace(/^DuckDB|Type$/g, '')
const isVariant = type => kind(type) === 'Variant' || `${type}` === 'VARIANT'
const variant = text =>
  text === null ? null : ['variant', JSON.parse(text)]

// A value of DuckDB in the form of texts.mjs.
export function convert(v, type) {
  if (v === null || v === undefined) return null
  switch (kind(type)) {
    case 'Boolean': return ['bool', v]
    case 'TinyInt': case 'SmallInt': case 'Integer': case 'BigInt':
    case 'UTinyInt': case 'USmallInt': case 'UInteger': case 'UBigInt':
    case 'HugeInt': case 'UHugeInt':
      return ['int', String(v)]
    case 'Float': return ['float', number(v)]
    case 'Double': return ['real', number(v)]
    case 'Decimal': return ['dec', String(v.value), v.scale]
    case 'VarChar': return [type.alias === 'JSON' ? 'json' : 'text', v]
    case 'Enum': case 'UUID': case 'Bit': return ['text', String(v)]
    case 'Blob': case 'Geometry': return ['blob', hex(v.bytes)]
    case 'Date': return ['text', dateText(v.days)]
    case 'Time': return time(v.micros, 1000000n)
    case 'TimeNS': return time(v.nanos, 1000000000n)
    case 'TimeTZ':
      return time((v.micros - BigInt(v.offset) * 1000000n + DAY * 2000000n) %
        (DAY * 1000000n), 1000000n)
    case 'TimestampSeconds':           // Parquet has no seconds
      return ['at', String(v.seconds * 1000000n), 1e6]
    case 'TimestampMilliseconds': return ['at', String(v.millis), 1e3]
    case 'TimestampNanoseconds': return ['at', String(v.nanos), 1e9]
    case 'Timestamp': case 'TimestampTZ': return ['at', String(v.micros), 1e6]
    case 'Interval':
      return ['text', intervalText(v.months, v.days, Number(v.micros / 1000n))]
    case 'List': case 'Array':
      return ['list', v.items.map(x => convert(x, type.valueType))]
    case 'Struct':
      return ['struct', type.entryNames.map((name, i) =>
        [name, convert(v.entries[name], type.entryTypes[i])])]
    case 'Map':
      return ['map', v.entries.map(e =>
        [convert(e.key, type.keyType), convert(e.value, type.valueType)])]
    case 'SQLNull': return null
    default:
      throw new Error(`no conversion for DuckDB's ${kind(type)} (${type})`)
  }
}


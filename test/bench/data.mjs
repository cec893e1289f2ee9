// data.mjs FOLDER - the files that are measured, made once and kept: a file is
// made again when what is written here about it has changed.
//
// Everything follows from row numbers, so every machine measures the same
// bytes.  DuckDB writes row groups of 122,880 rows, each chunk one page, no
// page index, all columns OPTIONAL; REQUIRED ones and row groups of 1,000 rows
// come from hyparquet-writer.  Files called own are DuckDB's rows as we write
// them, and made again with every new extension.
import { createRequire } from 'node:module'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync,
         writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { bluesky } from './bluesky.mjs'
import { SQLite } from './peers.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const packages = createRequire(join(here, '../interop/package.json'))
const load = name => import(pathToFileURL(packages.resolve(name)).href)
const { DuckDBInstance } = (await load('@duckdb/node-api')).default
const { parquetWriteFile } = await load('hyparquet-writer')

export const rows = { numbers: 6000000, lineitem: 6000000, events: 10000000,
                      wide: 200000, groups: 2000000, nested: 1000000,
                      visits: 10000000, baskets: 1000000 }

// A number below n that looks random, from row i and a salt.
const h = (salt, n) => `(hash(i * 16 + ${salt}) % ${n})::BIGINT`
const pick = (salt, list) =>
  `(['${list.join("', '")}'])[1 + ${h(salt, list.length)}]`

const words = ('furiously quickly carefully blithely slyly even regular final ' +
  'express pending ironic silent bold special idle packages deposits accounts ' +
  'requests theodolites pinto beans foxes dependencies').split(' ')
const comment = [1, 2, 3, 4].map(k => pick(k, words)).join(" || ' ' || ")

const lineitem = `
  SELECT i // 4 * 4 + i % 4 AS l_orderkey, ${h(5, 200000)} AS l_partkey,
         ${h(6, 10000)} AS l_suppkey, (i % 7 + 1)::INTEGER AS l_linenumber,
         (${h(7, 50)} + 1)::DECIMAL(15,2) AS l_quantity,
         (${h(8, 9500000)} / 100 + 900)::DECIMAL(15,2) AS l_extendedprice,
         (${h(9, 11)} / 100)::DECIMAL(15,2) AS l_discount,
         (${h(10, 9)} / 100)::DECIMAL(15,2) AS l_tax,
         ${pick(11, ['A', 'N', 'R'])} AS l_returnflag,
         ${pick(12, ['F', 'O'])} AS l_linestatus,
         DATE '1992-01-01' + ${h(13, 2500)}::INTEGER AS l_shipdate,
         DATE '1992-01-31' + ${h(14, 2500)}::INTEGER AS l_commitdate,
         DATE '1992-01-15' + ${h(15, 2500)}::INTEGER AS l_receiptdate,
         ${pick(16, ['DELIVER IN PERSON', 'COLLECT COD', 'NONE',
                     'TAKE BACK RETURN'])} AS l_shipinstruct,
         ${pick(17, ['REG AIR', 'AIR', 'RAIL', 'SHIP', 'TRUCK', 'MAIL',
                     'FOB'])} AS l_shipmode,
         ${comment} AS l_comment
  FROM range(${rows.lineitem}) r(i)`

const countries = ('AR AT AU BE BR CA CH CL CN CO CZ DE DK EG ES FI FR GB GR ' +
  'HU ID IE IN IT JP KR MX NG NL NO NZ PE PL PT RO SE SG TR UA US').split(' ')
export const eventsOf = n => `
  SELECT i AS id, TIMESTAMP '2024-01-01' + to_milliseconds(i * 3) AS ts,
         ${h(1, 500000)} AS user_id,
         'https://' || ${pick(2, ['shop', 'www', 'blog', 'api'])} || '.host' ||
           ${h(3, 3000)} || '.example/' || ${pick(4, words)} || '/' ||
           to_hex(hash(i)) AS url,
         ${pick(5, countries)} AS country,
         ${h(6, 100000)} / 128.0 AS duration,
         (200 + ${h(7, 5)} * 100)::INTEGER AS status
  FROM range(${n}) r(i)`
const events = eventsOf(rows.events)

const numbers = `
  SELECT i * 7919 % 1000003 AS i, (i * 7919 % 1000003) / 16.0 AS d
  FROM range(${rows.numbers}) r(i)`
const withNulls = `
  SELECT CASE WHEN ${h(1, 10)} > 0 THEN i * 7919 % 1000003 END AS i,
         CASE WHEN ${h(2, 10)} > 0 THEN (i * 7919 % 1000003) / 16.0 END AS d
  FROM range(${rows.numbers}) r(i)`
const fewNumbers = `
  SELECT ${h(1, 1000)} AS i, ${h(2, 1000)} / 16.0 AS d
  FROM range(${rows.numbers}) r(i)`

const wide = `SELECT ${Array.from({ length: 100 }, (_, k) =>
  (k % 4 === 3 ? `'v' || ${h(k, 100000)}` : k % 4 === 2 ? `${h(k, 1000)} / 7.0`
    : h(k, 1000000)) + ` AS c${k}`).join(', ')}
  FROM range(${rows.wide}) r(i)`

const nested = `
  SELECT i, [${h(1, 1000)}, i, i + 1][1 : (i % 4)::INTEGER] AS numbers,
         {'a': i, 'b': 'b' || ${h(2, 1000)}} AS pair,
         ['w' || ${h(3, 100)}, 'w' || i][1 : (i % 3)::INTEGER] AS words
  FROM range(${rows.nested}) r(i)`

// A year, in its order; a million users.
const visits = `
  SELECT TIMESTAMP '2024-01-01' + to_milliseconds(i * 3155) AS ts,
         ${h(1, 1000000)} AS user_id, ${h(2, 1000)} / 8.0 AS value
  FROM range(${rows.visits}) r(i)`

const baskets = `
  SELECT i AS id, list_transform(range((i % 20)::BIGINT),
           k -> (hash(i * 32 + k) % 100000)::BIGINT) AS points,
         list_transform(range((i % 7)::BIGINT),
           k -> {'sku': 'S' || hash(i * 8 + k) % 1000,
                 'qty': (hash(i * 8 + k) % 9 + 1)::INTEGER,
                 'price': (hash(i * 8 + k) % 10000 / 100)::DECIMAL(9,2)})
           AS items
  FROM range(${rows.baskets}) r(i)`

const plain = 'COMPRESSION uncompressed, DICTIONARY_SIZE_LIMIT 1'
const made = {
  numbers: [numbers, plain],
  numbers_nulls: [withNulls, plain],
  numbers_dictionary: [fewNumbers, 'COMPRESSION uncompressed'],
  numbers_snappy: [numbers, 'COMPRESSION snappy, DICTIONARY_SIZE_LIMIT 1'],
  lineitem: [lineitem, 'COMPRESSION snappy'],
  lineitem_plain: [lineitem, 'COMPRESSION uncompressed'],
  // Short row groups are how DuckDB can be had to write pages up to 1 MB.
  lineitem_pages: [lineitem, 'COMPRESSION snappy, ROW_GROUP_SIZE 24576'],
  events: [events, 'COMPRESSION zstd'],
  events_pages: [events, 'COMPRESSION zstd, ROW_GROUP_SIZE 14336'],
  wide: [wide, 'COMPRESSION snappy'],
  nested: [nested, 'COMPRESSION snappy'],
  visits: [visits, 'COMPRESSION snappy'],
  baskets: [baskets, 'COMPRESSION snappy'],
  bluesky: [bluesky, 'COMPRESSION zstd'],
  large_value: ["SELECT 1 AS id, repeat('x', 900 * 1024 * 1024) AS value",
    'COMPRESSION zstd']
}

const span = (n, f) => Array.from({ length: n }, (_, i) => f(i))

function writeRequired(path) {
  const n = rows.numbers
  const i = new BigInt64Array(n), d = new Float64Array(n)
  for (let k = 0; k < n; k++) {
    i[k] = BigInt(k * 7919 % 1000003)
    d[k] = k * 7919 % 1000003 / 16
  }
  const column = (name, type, data) =>
    ({ name, type, data, nullable: false, encoding: 'PLAIN' })
  parquetWriteFile({ filename: path, codec: 'UNCOMPRESSED',
    rowGroupSize: 122880, pageSize: 1 << 20,
    columnData: [column('i', 'INT64', i), column('d', 'DOUBLE', d)] })
}

function writeGroups(path) {
  const n = rows.groups
  const column = (name, type, f) => ({ name, type, data: span(n, f) })
  parquetWriteFile({ filename: path, codec: 'SNAPPY', rowGroupSize: 1000,
    columnData: span(20, k =>
      k % 4 === 3 ? column(`c${k}`, 'STRING', i => 'v' + i * (k + 1) % 1009)
        : k % 4 === 2 ? column(`c${k}`, 'DOUBLE', i => i * k % 997 / 8)
          : column(`c${k}`, 'INT32', i => i * (k + 1) % 999983)) })
}

const foreign = { numbers_required: writeRequired, groups: writeGroups }

const own = {
  lineitem: { compression: 'snappy' },
  events: { compression: 'zstd', columns: { url: { bloom: true } } },
  visits: { compression: 'snappy' },
  baskets: { compression: 'snappy' }
}

async function writeOwn(path, folder, name, build, extension) {
  const sqlite = new SQLite(build, extension)
  await sqlite.open()
  await sqlite.run(`CREATE VIRTUAL TABLE temp.t
    USING parquet('${join(folder, name)}.parquet')`)
  await sqlite.run(`SELECT parquet_copy_to('SELECT * FROM t', '${path}',
    '${JSON.stringify(own[name])}')`)
  await sqlite.close()
}

export const hashOf = text => createHash('sha256').update(text).digest('hex')

// Calls write(path of a new file) unless the file was made from this recipe.
export async function make(path, recipe, write) {
  const note = `${path}.made_from`
  if (existsSync(path) && existsSync(note) &&
      readFileSync(note, 'utf8') === hashOf(recipe)) return
  console.error(`making ${path}`)
  rmSync(path, { force: true, recursive: true })
  rmSync(`${path}.unfinished`, { force: true, recursive: true })
  await write(`${path}.unfinished`)
  renameSync(`${path}.unfinished`, path)
  writeFileSync(note, hashOf(recipe))
}

// names: those of the files that are wanted; all of them.
export async function makeData(folder, build, extension, names) {
  const wanted = ([name]) => !names || names.includes(name)
  const file = name => join(folder, `${name}.parquet`)
  mkdirSync(folder, { recursive: true })
  const instance = await DuckDBInstance.create(':memory:')
  const duck = await instance.connect()
  for (const [name, [query, options]] of Object.entries(made).filter(wanted)) {
    const copy = path => duck.run(
      `COPY (${query}) TO '${path}' (FORMAT parquet, ${options})`)
    await make(file(name), query + options, copy)
  }
  for (const [name, write] of Object.entries(foreign).filter(wanted)) {
    await make(file(name), String(write) + rows.numbers + rows.groups, write)
  }
  duck.closeSync()
  instance.closeSync()
  for (const [name, options] of Object.entries(own).filter(wanted)) {
    await make(file(`${name}_own`), made[name].join() +
      JSON.stringify(options) + hashOf(readFileSync(extension)),
      path => writeOwn(path, folder, name, build, extension))
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await makeData(process.argv[2] ?? 'build/bench', process.env.BUILD ?? 'build',
                 './' + (process.env.SO ?? 'parquet.so'))
}

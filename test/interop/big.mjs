// big.mjs FOLDER - files too large for the tree, made for one run of
// compare.mjs: many batches, pages and row groups, runs and gaps that end in
// awkward places, lists longer than a batch.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { parquetWriteFile } from 'hyparquet-writer'

const folder = process.argv[2]
mkdirSync(folder, { recursive: true })

const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
const duck = await instance.connect()
const query = `
  SELECT i, CASE WHEN i % 7777 < 3000 THEN NULL ELSE i * 31 % 1000 END AS gaps,
         i // 1000 % 3 AS runs, hash(i) AS scattered, sin(i) AS real,
         'w' || (i * i % 977) AS word,
         repeat(chr((65 + i % 26)::INTEGER), (i % 97)::INTEGER) AS text,
         CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN []
              ELSE range(i % (CASE WHEN i % 1000 = 2 THEN 5000 ELSE 9 END)) END
           AS list,
         {'a': i, 'b': CASE WHEN i % 3 > 0 THEN 'b' || i % 10 END} AS struct,
         i % 11 < 4 AS flag, TIMESTAMP '2020-01-01' + to_seconds(i) AS at,
         (i * 0.01)::DECIMAL(12,2) AS price
  FROM range(40000) r(i)`
for (const [name, options] of [
  ['v1_zstd', 'COMPRESSION zstd, ROW_GROUP_SIZE 14336'],
  ['v2_snappy', 'COMPRESSION snappy, PARQUET_VERSION V2, ' +
    'DICTIONARY_SIZE_LIMIT 2000'],
  ['v1_plain', 'COMPRESSION uncompressed, DICTIONARY_SIZE_LIMIT 1']
]) {
  await duck.run(`COPY (${query}) TO '${join(folder, `big_${name}.parquet`)}'
                  (FORMAT parquet, ${options})`)
}

const n = 30000
const make = f => Array.from({ length: n }, (_, i) => f(i))
const column = (name, type, repetition_type, more) =>
  ({ name, type, repetition_type, ...more })
parquetWriteFile({
  filename: join(folder, 'big_pages.parquet'),
  pageSize: 3000,
  rowGroupSize: 12345,
  schema: [
    { name: 'root', num_children: 5 },
    column('i', 'INT32', 'REQUIRED'),
    column('gaps', 'INT64', 'OPTIONAL'),
    column('word', 'BYTE_ARRAY', 'OPTIONAL', { converted_type: 'UTF8' }),
    column('key', 'BYTE_ARRAY', 'REQUIRED', { converted_type: 'UTF8' }),
    { name: 'list', repetition_type: 'OPTIONAL', num_children: 1,
      converted_type: 'LIST' },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    column('element', 'INT32', 'OPTIONAL')
  ],
  columnData: [
    { name: 'i', data: make(i => i * 3), encoding: 'DELTA_BINARY_PACKED' },
    { name: 'gaps', data: make(i => i % 5000 < 2000 ? null : BigInt(i)) },
    { name: 'word', data: make(i => i % 13 ? `w${i * i % 50}` : null) },
    { name: 'key', data: make(i => `key/${i >> 4}/${i}`),
      encoding: 'DELTA_BYTE_ARRAY' },
    { name: 'list', data: make(i => i % 4 === 0 ? null : Array.from(
      { length: i % 3000 === 1 ? 4000 : i % 6 },
      (_, k) => k % 5 === 4 ? null : i + k)) }
  ]
})
process.exit(0)

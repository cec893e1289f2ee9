// pool.mjs - random files of other writers for where.py, made by one process.
//
//   node pool.mjs FOLDER SEED FIRST COUNT
//
// Writes FOLDER/other_N.parquet, COUNT of them.  They are small, because there
// are thousands of queries and each has to be quick.
import { join } from 'node:path'
import { Source } from '../interop/random_source.mjs'
import * as duckdb from '../interop/random_duckdb.mjs'
import * as hyparquet from '../interop/random_hyparquet.mjs'

class SmallSource extends Source {
  constructor(seed, sizes) {
    super(seed)
    this.sizes = sizes
  }

  rows() {
    return this.pick(this.sizes)
  }
}

const [folder, ...numbers] = process.argv.slice(2)
const [seed, first, count] = numbers.map(Number)

for (let i = first; i < first + count; i++) {
  // DuckDB's row groups have 2048 rows at least.
  const [writer, sizes] = i % 3 === 0 ? [duckdb, [9, 500, 2100, 4200]]
    : [hyparquet, [7, 65, 300, 300, 700, 1100]]
  const file = join(folder, `other_${i}.parquet`)
  try {
    await writer.write(new SmallSource(seed * 1000 + i, sizes), file)
  } catch (e) {
    console.log(`not written: ${file}: ${e.message}`)
  }
}
process.exit(0)

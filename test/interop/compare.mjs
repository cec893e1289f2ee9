// compare.mjs - every value of every file, ours against DuckDB's and
// hyparquet's, row by row, and a table of who reads what.
//
//   node compare.mjs            the files of test/samples, larger ones that
//                               big.mjs makes, and, where they are present,
//                               the official sample files; and what arrow-rs
//                               reads of them after a rewrite (rewritten.mjs)
//   node compare.mjs FILE...    these
//   node compare.mjs -v ...     and every difference, not just the first
//
// One test is one file in one reader.  It passes if all values agree.  It fails
// if one differs without an entry in `exceptions`, or if an entry is not
// needed.  A file that a foreign reader cannot read is shown and not counted.
// A file that we cannot read is a failure.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { disagreement } from './agree.mjs'
import { exceptions, options, refused } from './exceptions.mjs'
import { Reader } from './process.mjs'
import { compareRewritten } from './rewritten.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../..')
const extension = resolve(process.env.SO || join(root, 'parquet.so'))
const official = process.env.PARQUET_TESTING ||
  join(root, '../shared/parquet-testing')
const foreign = ['duckdb', 'hyparquet']

const args = process.argv.slice(2)
const verbose = args[0] === '-v' && Boolean(args.shift())

// --- files ---------------------------------------------------------------------

function parquetBelow(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true }).map(String).sort()
    .filter(f => f.endsWith('.parquet')).map(f => join(folder, f))
    .filter(f => statSync(f).isFile())
}

const made = resolve(root, process.env.BUILD || 'build', 'interop')
if (!args.length) {
  execFileSync(process.execPath, [join(here, 'big.mjs'), made],
    { stdio: 'inherit' })
  rewriteAll()
}

// What parquet_rewrite makes of files of others: chunks copied, pages packed anew, row
// groups joined, and rows left out.
function rewriteAll() {
  const ways = {
    copied: { min_row_group_rows: 0 },
    packed: { min_row_group_rows: 0, compression: 'gzip',
      add: ['checksum', 'page_index', 'sizes'] },
    joined: { min_row_group_rows: 1000000 },
    anew: { min_row_group_rows: 0, where_not: 'rowid % 7 < 3' }
  }
  const of = [...parquetBelow(made).filter(f => !basename(f).startsWith('rewritten')),
    join(root, 'test/samples/duckdb_nested.parquet')]
  const calls = of.flatMap(file => Object.entries(ways).map(([way, options]) =>
    `SELECT parquet_rewrite('${file}', '${join(made, `rewritten_${way}_${basename(file)}`)}',
                            '${JSON.stringify(options)}');`))
  execFileSync('sqlite3', [':memory:', `.load ${extension.replace(/\.so$/, '')}`,
    ...calls], { stdio: ['ignore', 'ignore', 'inherit'] })
}
const files = args.length ? args.map(f => resolve(f))
  : [...parquetBelow(join(root, 'test/samples')), ...parquetBelow(made),
    ...parquetBelow(join(official, 'data'))]

const nameOf = file => file.startsWith(official)
  ? relative(official, file) : relative(root, file)

// --- comparing -------------------------------------------------------------------

// The differences, at most one per column: [column, text].
function differences(theirs, ours) {
  if (theirs.names.length !== ours.names.length) {
    return [['*', `${ours.names.length} columns, not ${theirs.names.length}`]]
  }
  if (theirs.rows.length !== ours.rows.length) {
    return [['*', `${ours.rows.length} rows, not ${theirs.rows.length}`]]
  }
  const found = []
  theirs.names.forEach((name, c) => {
    if (name !== ours.names[c]) {
      found.push([name, `the column is called ${ours.names[c]}`])
      return
    }
    let wrong = 0, text
    theirs.rows.forEach((row, r) => {
      const why = disagreement(row[c], ours.rows[r][c])
      if (why && !wrong++) text = `row ${r}: ${why}`
    })
    if (wrong) found.push([name, `${text} (${wrong} rows)`])
  })
  return found
}

const matches = (x, reader, file) => x.reader === reader && x.file.test(file)
const excused = new Set()

function excuse(reader, file, column) {
  const x = exceptions.find(x => matches(x, reader, file) &&
    (x.column === '*' || x.column === column))
  if (x) excused.add(x)
  return x
}

// 'equal', 'differs' (excused) or 'WRONG', and the lines to print about it.
function verdict(reader, file, theirs, ours) {
  const found = differences(theirs, ours)
  if (!found.length) return ['equal', []]
  let word = 'differs'
  const lines = []
  for (const [column, text] of found) {
    const x = excuse(reader, file, column)
    if (x && !verbose) continue
    if (!x) word = 'WRONG'
    lines.push(`    ${reader}, ${column}: ${text}${x ? ` [${x.why}]` : ''}`)
  }
  return [word, lines.slice(0, verbose ? undefined : 4)]
}

// --- the table -------------------------------------------------------------------

const readers = Object.fromEntries(
  ['sqlite', ...foreign].map(name => [name, new Reader(name)]))
let passed = 0, failed = 0, skipped = 0
const seen = new Set()
const width = Math.max(20, ...files.map(f => nameOf(f).length))

console.log(['file'.padEnd(width), 'ours'.padEnd(8),
  ...foreign.map(f => f.padEnd(12))].join('  '))
for (const file of files) {
  const name = nameOf(file)
  const [ours, ...others] = await Promise.all([
    readers.sqlite.read({ file, extension, options: options(name) }),
    ...foreign.map(r => readers[r].read({ file }))])
  const refusal = refused.find(x => x.file.test(name))
  const row = [name.padEnd(width)], lines = []
  if (refusal) {
    const right = ours.error && !ours.crash && refusal.says.test(ours.error)
    row.push((right ? 'refuses' : 'WRONG').padEnd(8))
    if (right) passed++
    else failed++
    if (!right || verbose) lines.push(`    ours: ${ours.error ?? 'was read'}`)
  } else if (ours.error) {
    row.push('NO'.padEnd(8))
    failed++
    lines.push(`    ours: ${ours.error}`)
  } else {
    row.push('reads'.padEnd(8))
  }
  foreign.forEach((reader, i) => {
    const theirs = others[i]
    if (theirs.error) {
      row.push('cannot read'.padEnd(12))
      if (verbose) lines.push(`    ${reader}: ${theirs.error}`)
      return
    }
    if (ours.error) {
      row.push('reads'.padEnd(12))
      return
    }
    const [word, more] = verdict(reader, name, theirs, ours)
    row.push(word.padEnd(12))
    if (word === 'WRONG') failed++
    else passed++
    lines.push(...more)
    seen.add(`${reader}/${name}`)
  })
  console.log(row.join('  ').trimEnd())
  if (lines.length) console.log(lines.join('\n'))
  if (row.includes('NO'.padEnd(8)) || row.some(w => w.startsWith('WRONG'))) {
    console.log(`    alone: node test/interop/compare.mjs -v ${file}`)
  }
}

if (!args.length) {
  if (!existsSync(official)) {
    console.log('without samples: their values')
    skipped++
  }
  const names = files.map(nameOf)
  for (const x of exceptions) {
    if (excused.has(x) ||
        !names.some(n => matches(x, x.reader, n) && seen.has(`${x.reader}/${n}`))) {
      continue
    }
    console.log(`an exception for nothing: ${x.reader} ${x.file} ${x.column}`)
    failed++
  }
}
for (const r of Object.values(readers)) r.stop()
if (!args.length) {
  const of = files.filter(f => !basename(f).startsWith('rewritten') &&
    !refused.some(x => x.file.test(nameOf(f))))
  const rewritten = await compareRewritten(of, nameOf, join(made, '../rewritten'), extension)
  passed += rewritten.passed
  failed += rewritten.failed
}
console.log(`interop: ${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exit(failed ? 1 : 0)

// rewritten.mjs - what parquet_rewrite makes of each file is read by arrow-rs as the file
// itself is.
//
//   file     copied    packed    joined    sealed
//   equal    equal     equal     equal     equal
//
// A sealed file is opened again by a second rewrite, because arrow-rs cannot get a key here.
// Each exception says what happens instead, and fails the test if it no longer happens.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Reader } from './process.mjs'

const ways = {
  copied: { min_row_group_rows: 0 },
  packed: { min_row_group_rows: 0, compression: 'zstd', add: ['checksum', 'page_index', 'sizes'] },
  joined: { min_row_group_rows: 1e9, row_group_rows: 1e9 },
  sealed: { encryption: { footer_key: 'k' } }
}

const exceptions = [
  { file: /duckdb_types_v2/, found: 'unread',
    why: 'arrow-rs does not read DELTA_BINARY_PACKED of all its integers' },
  { file: /corrupt-checksum/, found: 'not written', why: 'its checksums are wrong on purpose' },
  { file: /overflow_i16_page_cnt/, ways: ['sealed'], found: 'not written',
    why: 'a sealed chunk has at most 32767 pages' },
  { file: /dict-page-offset-zero|nation\.dict-malformed/, found: 'read only after',
    why: 'arrow-rs does not read what their writers did wrong, and a rewrite does not repeat' },
  { file: /repeated_no_annotation/, found: '6 rows, not 0',
    why: 'arrow-rs shows no rows of it, although its footer has 6' }
]

// Writes NUMBER_WAY.parquet of all files into the folder.
function rewriteAll(files, folder, extension) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const call = (from, to, options) =>
    `SELECT parquet_rewrite('${from}', '${to}', '${JSON.stringify(options)}') IS NULL;`
  const calls = files.flatMap((file, i) => Object.entries(ways).map(([way, options]) => {
    const to = join(folder, `${i}_${way}.parquet`), sealed = join(folder, `${i}.sealed`)
    return way !== 'sealed' ? call(file, to, options)
      : call(file, sealed, options) + '\n' + call(sealed, to, { encryption: 'none' })
  }))
  const sql = [`.load ${extension.replace(/\.so$/, '')}`, `.print`,
    `SELECT parquet_key('k', x'000102030405060708090a0b0c0d0e0f') IS NULL;`, ...calls]
  try {
    execFileSync('sqlite3', [':memory:'],
      { input: sql.join('\n'), stdio: ['pipe', 'ignore', 'ignore'], maxBuffer: 1 << 26 })
  } catch {                           // some files are damaged
  }
}

function outcome(before, after) {
  if (before.error) return after.error ? 'unread' : 'read only after'
  if (after.error) return `cannot be read: ${after.error}`
  if (JSON.stringify(before.names) !== JSON.stringify(after.names)) return 'other names'
  const at = before.rows.findIndex((row, r) =>
    JSON.stringify(row) !== JSON.stringify(after.rows[r]))
  return before.rows.length !== after.rows.length
    ? `${after.rows.length} rows, not ${before.rows.length}`
    : at < 0 ? 'equal' : `row ${at} differs`
}

// The number of files and ways that are right, and of those that are wrong.
export async function compareRewritten(files, nameOf, folder, extension) {
  const reader = new Reader('wasm'), used = new Set()
  let passed = 0, failed = 0
  rewriteAll(files, folder, extension)
  for (const [i, file] of files.entries()) {
    const before = await reader.read({ file })
    for (const way of Object.keys(ways)) {
      const to = join(folder, `${i}_${way}.parquet`)
      const found = existsSync(to) ? outcome(before, await reader.read({ file: to }))
        : 'not written'
      const name = nameOf(file)
      const x = exceptions.find(x => x.file.test(name) && x.found === found &&
        (x.ways ?? [way]).includes(way))
      if (x) used.add(x)
      if (x || found === 'equal') passed++
      else failed++
      if (!x && found !== 'equal') console.log(`rewritten ${name}, ${way}: ${found}`)
    }
  }
  reader.stop()
  for (const x of exceptions) {
    if (used.has(x)) continue
    console.log(`an exception for nothing: rewritten ${x.file}, ${x.found}`)
    failed++
  }
  return { passed, failed }
}

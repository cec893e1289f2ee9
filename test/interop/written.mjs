// written.mjs - files of parquet_copy_to are read by others: every value of
// every cell of written_cells.mjs, row by row, in DuckDB, hyparquet and
// parquet-wasm.  The metadata of the files is compared with the values.
//
//   node written.mjs                the cells of make check-all
//   node written.mjs few            one file of them out of seven: make check
//   node written.mjs whole          every cell there is (a quarter of an hour)
//   node written.mjs core TEXT      files whose name has TEXT in it
//   node written.mjs -k ...         the files stay in build/written
//
// A test is a cell in a reader.  It passes if all values are read as they were
// written, or if the reader refuses the cell or shows less, as
// written_readers.mjs says.  A cell that no reader reads in full is unproven.
import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesOf, nameOf } from './written_cells.mjs'
import { csvFiles } from './written_csv.mjs'
import { encryptedFiles } from './written_encrypted.mjs'
import { geoFiles } from './written_geo.mjs'
import { moreFiles } from './written_more.mjs'
import { askCells, Process } from './written_process.mjs'
import { isProbed, misled, readers, readsPageIndex, refused, refusedBy, shownBy,
  titles } from './written_readers.mjs'
import { tableIsCurrent } from './written_table.mjs'
import { encodings, types } from './written_types.mjs'
import { variantFiles } from './written_variant.mjs'
import { Writer } from './written_write.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../..')
const args = process.argv.slice(2)
const keep = args[0] === '-k' && Boolean(args.shift())
const [mode = 'core', only = ''] = args

const folder = resolve(root, process.env.BUILD || 'build', 'written')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const writer = new Writer(
  resolve(process.env.SO || join(root, 'parquet.so')), folder)

let passed = 0, failed = 0, shown = 0

// What there is too much of for make check.
const some = all => mode === 'few' ? all.filter((_, i) => i % 7 === 0) : all

function test(truth, ...what) {
  if (truth) {
    passed++
    return
  }
  failed++
  if (shown++ < 100) console.log('FAIL', what.join(': '))
}

// --- the cells ---------------------------------------------------------------

const processes = Object.fromEntries(readers.map(r =>
  [r, new Process('written_worker.mjs', r)]))
const facts = new Process('written_facts_process.mjs')
const outcomes = []                    // [cell, { reader: outcome }]
const applied = new Set()

// 'reads', 'loses' or 'refuses' as it should be, or a failure.
function outcome(reader, cell, answer) {
  const rule = refusedBy(reader, cell)
  if (rule) {
    const right = answer.error !== undefined && rule.says.test(answer.error)
    test(right, titles[reader], nameOf(cell),
      `not as expected (${rule.why}): ${JSON.stringify(answer)}`)
    applied.add(rule)
    return 'refuses'
  }
  test(answer.wrong === undefined && answer.error === undefined, titles[reader],
    nameOf(cell), answer.wrong ?? answer.error)
  const view = shownBy(reader, cell.type)
  if (view) applied.add(view)
  return view?.loses ? 'loses' : 'reads'
}

async function checkFile(file) {
  const path = writer.write(file)
  const findings = writer.findings(path)
  test(!findings.length, 'parquet_verify', file.name, JSON.stringify(findings[0]))
  const cells = file.cells.map((c, i) => [`c${i}`, c])
  const [wrong, ...answers] = await Promise.all([
    facts.ask({ file: path, cells: file.cells }),
    ...readers.map(r => askCells(processes[r], path, cells))])
  test(!wrong.died && !wrong.length, 'facts', file.name, wrong.died ?? wrong[0])
  file.cells.forEach((cell, i) => outcomes.push([cell, Object.fromEntries(
    readers.map((r, k) => [r, outcome(r, cell, answers[k][i])]))]))
  if (!keep) rmSync(path)
}

// An encoding that the type does not have is refused, and nothing is written.
function checkRefusals() {
  const all = [...new Set(Object.values(encodings).flat())]
  for (const [physical, list] of Object.entries(encodings)) {
    const type = types.find(t => t.physical === physical).name
    for (const encoding of all.filter(e => !list.includes(e))) {
      if (encoding === 'RLE_DICTIONARY') continue      // of BOOLEAN: is left out
      let said
      try {
        writer.copy('SELECT NULL AS a', join(folder, 'never.parquet'),
          { types: { a: type }, encoding })
      } catch (e) {
        said = e.message
      }
      test(said?.includes(`there is no ${encoding} for ${physical}`), 'no error',
        `${encoding} of ${physical}`, said)
    }
  }
}

// A file is checked against wrong values: each of the checks has to notice.
async function checkTheChecks() {
  const cell = { type: 'INTEGER', encoding: 'PLAIN', codec: 'snappy', version: 1,
    shape: 'list', nulls: 'optional' }
  const other = { ...cell, nulls: 'required' }
  const path = writer.write({ name: 'planted', cells: [cell] })
  for (const r of readers) {
    const [answer] = await askCells(processes[r], path, [['c0', other]])
    test(/^row \d+: /.test(answer.wrong), 'nothing is wrong for', titles[r])
  }
  const wrong = await facts.ask({ file: path, cells: [other] })
  for (const what of ['schema', 'null count', 'min', 'max', 'level histogram',
    'null counts of pages', 'number of values', 'the Bloom filter lost']) {
    test(wrong.some(w => w.includes(what)), 'no fact is wrong:', what)
  }
}

// --- queries that skip -------------------------------------------------------

async function checkFilters() {
  const filters = new Process('written_filters.mjs')
  let asked = 0, skipped = 0
  for (const type of some(types.filter(t => t.order !== 'none'))) {
    const { path, names } = writer.writeSorted(type)
    const reads = reader => type.key === 'BSON' ? undefined
      : names.filter(encoding =>
        !refusedBy(reader, { type: type.key, encoding, shape: 'flat' }))
    const answer = await filters.ask({ file: path, isProbed: isProbed(type.key),
      usePageIndex: readsPageIndex(type.key),
      names: { duckdb: reads('duckdb'), hyparquet: reads('hyparquet') } })
    if (answer.died) {
      test(false, 'queries of', type.key, answer.died)
      continue
    }
    asked += answer.asked
    skipped += answer.skipped
    const expected = answer.wrong.filter(w => misled(type.key) &&
      /^DuckDB: \w+ (=|IN) /.test(w))
    if (misled(type.key)) {
      test(expected.length, 'DuckDB is not misled any more by', type.key)
    }
    for (const wrong of answer.wrong) {
      if (!expected.includes(wrong)) test(false, 'query', type.key, wrong)
    }
    passed += answer.asked - answer.wrong.length
    if (!keep) rmSync(path)
  }
  filters.stop()
  test(skipped > asked / 10, 'queries skip', `${skipped} of ${asked}`)
  console.log(`\n${asked} queries, ${skipped} of them skipped something`)
}

// --- tables ------------------------------------------------------------------

// Of the cells with one property in common: how many a reader reads.
function table(title, key) {
  const groups = new Map()
  for (const [cell, by] of outcomes) {
    const k = key(cell)
    if (!groups.has(k)) groups.set(k, [])
    groups.get(k).push(by)
  }
  const words = { loses: 'in part', refuses: 'refused' }
  console.log('\n' + [title.padEnd(24), 'cells'.padStart(6),
    ...readers.map(r => '  ' + titles[r].padEnd(26))].join('').trimEnd())
  for (const [k, list] of groups) {
    const columns = readers.map(r => {
      const of = word => list.filter(by => by[r] === word).length
      const rest = Object.keys(words).filter(of).map(w => `${of(w)} ${words[w]}`)
      return '  ' + [of('reads') || '-', ...rest].join(', ').padEnd(26)
    })
    console.log([k.padEnd(24), String(list.length).padStart(6), ...columns].join('')
      .trimEnd())
  }
}

function unproven() {
  const by = new Map()
  for (const [cell, answers] of outcomes) {
    if (Object.values(answers).includes('reads')) continue
    const k = `${cell.type}, ${cell.encoding}`
    by.set(k, (by.get(k) ?? 0) + 1)
  }
  console.log('\nunproven, as no reader reads them:' + (by.size ? '' : ' none'))
  for (const [k, n] of by) console.log(`  ${k}: ${n} cells`)
  return [...by.keys()]
}

// --- all of it ---------------------------------------------------------------

for (const file of some(filesOf(mode))) {
  if (!file.name.includes(only)) continue
  const before = failed
  await checkFile(file)
  if (failed > before) {
    console.log(`     alone: node test/interop/written.mjs ${mode} "${file.name}"`)
  }
}
if (!only) await checkTheChecks()
for (const p of [...Object.values(processes), facts]) p.stop()
table('type', c => c.type)
table('encoding', c => c.encoding)
table('compression', c => c.codec)
table('page version', c => `v${c.version}`)
table('nesting', c => c.shape)
const list = unproven()
if (!only) {
  test(list.every(k => k.endsWith(', ALP')), 'unproven', list.join('; '))
  checkRefusals()
  await moreFiles({ writer, folder, test })
  await csvFiles({ writer, folder, test })
  await variantFiles({ writer, folder, test })
  await geoFiles({ writer, folder, test })
  await checkFilters()
  if (mode !== 'few') {
    await encryptedFiles({ writer, folder, test })
    for (const rule of refused) {
      test(applied.has(rule), 'a rule for nothing', rule.reader, rule.why)
    }
  }
  test(...tableIsCurrent(join(root, 'test/README.md')))
}
console.log(`written: ${passed} passed, ${failed} failed, 0 skipped`)
process.exit(failed ? 1 : 0)

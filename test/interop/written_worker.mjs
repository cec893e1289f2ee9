// written_worker.mjs NAME - one foreign reader in a process of its own: which
// cells of a file does it read, and is every value the one that was written?
//
// A line { file, cells: [[column, cell], ...] } in, a line of answers out, one
// per cell: {} when it reads all, { wrong } or { error }.  Columns that are
// known to be refused are read alone.  The others are read together, and if
// that fails, alone as well.
import { createInterface } from 'node:readline'
import { plain } from './written_plain.mjs'
import { nodeOf, rowsOf, wanted } from './written_shapes.mjs'
import { refusedBy, shownBy } from './written_readers.mjs'

const name = process.argv[2]
const { read } = await import(`./${name}_reader.mjs`)

// A map of hyparquet's is an object, whose properties have an order of theirs.
const unordered = name === 'hyparquet'

let cache = new Map(), cachedType

function wantedOf(cell) {
  if (cell.type !== cachedType) {
    cache = new Map()
    cachedType = cell.type
  }
  const key = `${cell.nulls} ${cell.shape}`
  if (!cache.has(key)) {
    const node = nodeOf(cell)
    cache.set(key, rowsOf(cell).map(v => JSON.stringify(plain(
      wanted(v, node, (x, t) =>
        (shownBy(name, t.key)?.say ?? (y => y.want))(x)), unordered))))
  }
  return cache.get(key)
}

function compare(cell, rows, c) {
  const want = wantedOf(cell)
  if (rows.length !== want.length) {
    return { wrong: `${rows.length} rows, not ${want.length}` }
  }
  let count = 0, first
  want.forEach((w, r) => {
    const got = JSON.stringify(plain(rows[r][c], unordered))
    if (got !== w && !count++) first = `row ${r}: ${cut(got)}, not ${cut(w)}`
  })
  return count ? { wrong: `${first} (${count} rows)` } : {}
}

const cut = text => text.length > 150 ? text.slice(0, 147) + '...' : text

// After a panic the WebAssembly cannot go on, so it counts as a crash.
function refusal(e) {
  if (e instanceof WebAssembly.RuntimeError) process.exit(3)
  return { error: cut(String(e?.message ?? e).split('\n')[0]) }
}

async function readAll(file, cells) {
  const { rows } = await read(file, { columns: cells.map(c => c[0]) })
  return cells.map(([, cell], i) => compare(cell, rows, i))
}

async function answer({ file, cells }) {
  const out = new Map()
  const together = cells.filter(c => !refusedBy(name, c[1]))
  if (together.length > 1) {
    try {
      const all = await readAll(file, together)
      together.forEach((c, i) => out.set(c, all[i]))
    } catch (e) {
      refusal(e)
    }
  }
  for (const c of cells) {
    if (out.has(c)) continue
    try {
      out.set(c, (await readAll(file, [c]))[0])
    } catch (e) {
      out.set(c, refusal(e))
    }
  }
  return cells.map(c => out.get(c))
}

for await (const line of createInterface({ input: process.stdin })) {
  const answers = await answer(JSON.parse(line))
  process.stdout.write(JSON.stringify(answers) + '\n')
}

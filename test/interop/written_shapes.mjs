// written_shapes.mjs - where a type is in a column: alone, in a list, as the
// key of a map.  And rows of it: the same names give the same rows.
//
// A node is { kind, required, type, children: [[name, node], ...] }, and what
// it holds in a row
//
//   leaf     a value of written_types.mjs      list     { items: [...] }
//   struct   { items: [...] }, by field        map      { items: [[k, v], ...] }
//
// or null.  It is given in three forms: as JSON for SQLite, as what readers
// have to find, and as levels and values of each leaf, by the rules of Dremel.
import { Source } from './random_source.mjs'
import { typeOf } from './written_types.mjs'

export const ROWS = 400
export const ROW_GROUP = 250
export const PAGE = 100                 // at most: pages have equal sizes
const NULLS_FROM = 75, NULLS_TO = 205

const leaf = (type, required) => ({ kind: 'leaf', type, required, children: [] })
// Fields beside the type in question, which share only two of the encodings.
const bool = required => leaf(typeOf('BOOLEAN'), required)
const text = required => leaf(typeOf('TEXT'), required)
const list = (node, required) =>
  ({ kind: 'list', required, children: [['element', node]] })
const map = (key, value, required) =>
  ({ kind: 'map', required, children: [['key', key], ['value', value]] })
const struct = (fields, required) =>
  ({ kind: 'struct', required, children: Object.entries(fields) })

// By name.  o: are the outer levels required?  i: are the inner ones?
export const shapes = {
  flat: (t, o) => leaf(t, o),
  list: (t, o, i) => list(leaf(t, i), o),
  struct: (t, o, i) => struct({ a: leaf(t, i), b: bool(i) }, o),
  'map value': (t, o, i) => map(text(true), leaf(t, i), o),
  'map key': (t, o, i) => map(leaf(t, true), bool(i), o),
  'list of structs': (t, o, i) =>
    list(struct({ a: leaf(t, i), b: text(o) }, i), o),
  'list of lists': (t, o, i) => list(list(leaf(t, i), o), i),
  'struct of lists': (t, o, i) => struct({ a: list(leaf(t, i), o) }, i),
  'map of lists of structs': (t, o, i) =>
    map(text(true), list(struct({ a: leaf(t, i) }, o), i), o)
}

// Which levels may be null.
export const nullabilities = {
  optional: [false, false], required: [true, true], mixed: [false, true]
}

export function nodeOf(cell) {
  const [outer, inner] = nullabilities[cell.nulls]
  return shapes[cell.shape](typeOf(cell.type), outer, inner)
}

// The type for the option `types`.
export function typeText(node, within = false) {
  const parts = node.children.map(([name, child]) =>
    (node.kind === 'struct' ? name + ' ' : '') + typeText(child, true))
  const text = node.kind === 'leaf' ? node.type.name
    : `${node.kind.toUpperCase()}<${parts.join(', ')}>`
  return text + (within && node.required ? ' NOT NULL' : '')
}

// --- rows --------------------------------------------------------------------

const hash = text => [...text].reduce((h, c) =>
  Math.imul(h, 31) + c.codePointAt(0) | 0, 7)

// Values of one leaf: first all special ones, then runs, repeated values, new
// values, and ascending ones.
class Supply {
  constructor(type, source, isKey) {
    this.type = type
    this.source = source
    this.first = type.special ? [...type.special] : []
    if (type.nan && !isKey) this.first.splice(3, 0, type.nan)
    if (isKey) this.first = this.first.filter(v => !Object.is(v.rank, -0))
    this.pool = this.first.length
      ? [...this.first.slice(0, 6),
        ...Array.from({ length: 10 }, () => this.fresh())]
      : []
    this.run = 0
  }

  fresh() {
    return this.type.random(this.source)
  }

  next() {
    if (this.first.length) return this.first.shift()
    if (this.run > 0) {
      this.run--
      return this.last
    }
    const s = this.source
    if (s.chance(0.05)) this.run = s.between(1, 25)
    this.last = s.chance(0.5) ? s.pick(this.pool) : this.fresh()
    return this.last
  }
}

// Some rows are null where they can be, enough for a page without a value.
export function rowsOf(cell) {
  const node = nodeOf(cell)
  const source = new Source(hash(`${cell.type} ${cell.nulls} ${cell.shape}`))
  const supplies = new Map()
  const supply = (n, isKey) => {
    if (!supplies.has(n)) supplies.set(n, new Supply(n.type, source, isKey))
    return supplies.get(n)
  }

  const isNull = (n, dense) => n.kind === 'leaf' && !n.type.special ||
    !n.required && source.chance(dense ? 0.05 : 0.2)

  function make(n, dense, isKey) {
    if (isNull(n, dense)) return null
    if (n.kind === 'leaf') return supply(n, isKey).next()
    if (n.kind === 'struct') {
      return { items: n.children.map(([, c]) => make(c, dense)) }
    }
    const length = source.chance(0.15) ? 0 : source.between(1, 3)
    if (n.kind === 'list') {
      return { items: Array.from({ length }, () => make(n.children[0][1], dense)) }
    }
    const items = [], seen = new Set()
    for (let i = 0; i < length; i++) {
      const k = make(n.children[0][1], dense, true)
      const name = JSON.stringify(k.want)
      if (seen.has(name)) continue
      seen.add(name)
      items.push([k, make(n.children[1][1], dense)])
    }
    return { items }
  }

  return Array.from({ length: ROWS }, (_, r) =>
    r >= NULLS_FROM && r < NULLS_TO && !node.required ? null
      : make(node, r < NULLS_FROM))
}

// --- the three forms --------------------------------------------------------

export function json(v, node) {
  if (v === null) return 'null'
  const [first, second] = node.children.map(c => c[1])
  switch (node.kind) {
    case 'leaf': return v.json
    case 'list': return `[${v.items.map(x => json(x, first)).join(',')}]`
    case 'map':
      return `[${v.items.map(([k, x]) =>
        `[${json(k, first)},${json(x, second)}]`).join(',')}]`
    default:
      return `{${node.children.map(([name, c], i) =>
        `"${name}":${json(v.items[i], c)}`).join(',')}}`
  }
}

export const sql = (v, node) => v === null ? null
  : node.kind === 'leaf' ? v.sql : json(v, node)

// say(leaf value, type) is what the reader makes of it.
export function wanted(v, node, say) {
  if (v === null) return null
  const [first, second] = node.children.map(c => c[1])
  switch (node.kind) {
    case 'leaf': return say(v, node.type)
    case 'list': return ['list', v.items.map(x => wanted(x, first, say))]
    case 'map':
      return ['map', v.items.map(([k, x]) =>
        [wanted(k, first, say), wanted(x, second, say)])]
    default:
      return ['struct', node.children.map(([name, c], i) =>
        [name, wanted(v.items[i], c, say)])]
  }
}

// The leaves with their paths and highest levels, as the standard three-level
// lists and maps have them.
export function leaves(node, path, def = 0, rep = 0) {
  const d = def + (node.required ? 0 : 1)
  if (node.kind === 'leaf') return [{ path, type: node.type, def: d, rep }]
  if (node.kind === 'struct') {
    return node.children.flatMap(([name, c]) => leaves(c, [...path, name], d, rep))
  }
  const group = node.kind === 'list' ? 'list' : 'key_value'
  return node.children.flatMap(([name, c]) =>
    leaves(c, [...path, group, name], d + 1, rep + 1))
}

// Of each leaf: [definition level, repetition level, value or undefined] by
// row, in the order of leaves().
export function shred(rows, node) {
  const count = leaves(node, []).length
  const out = Array.from({ length: count }, () => [])

  function put(n, v, at, def, rep, depth, entry) {
    const d = def + (n.required ? 0 : 1)
    if (n.kind === 'leaf') {
      entry(at, [v === null ? def : d, rep, v ?? undefined])
      return at + 1
    }
    if (v === null || n.kind !== 'struct' && !v.items.length) {
      const many = leaves(n, []).length
      for (let i = 0; i < many; i++) {
        entry(at + i, [v === null ? def : d, rep, undefined])
      }
      return at + many
    }
    if (n.kind === 'struct') {
      n.children.forEach(([, c], i) => {
        at = put(c, v.items[i], at, d, rep, depth, entry)
      })
      return at
    }
    let end = at
    v.items.forEach((item, i) => {
      const parts = n.kind === 'list' ? [item] : item
      let here = at
      n.children.forEach(([, c], k) => {
        here = put(c, parts[k], here, d + 1, i ? depth + 1 : rep, depth + 1, entry)
      })
      end = here
    })
    return end
  }

  for (const row of rows) {
    const cells = out.map(() => [])
    put(node, row, 0, 0, 0, 0, (i, e) => cells[i].push(e))
    out.forEach((column, i) => column.push(cells[i]))
  }
  return out
}

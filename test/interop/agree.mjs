// agree.mjs - does what SQLite returned say the same as a foreign reader?
//
// wanted is a typed value of texts.mjs, got one of sqlite_reader.mjs.  Nothing
// is rounded.  A REAL has to be the same double.  A number inside JSON has to
// read back as the same float, double or digits.  Returns null, or what is
// wrong.
//
// ways holds the options that the table was made with where they change what a
// value looks like: { decimal: 'text', timestamp: 'raw', nan: 'text',
// map: 'entries', invalid_utf8: 'blob' }.
import { decimalText, hex, isUtf8, timestampText, utf8 } from './texts.mjs'

const MAX = 9223372036854775807n, MIN = -9223372036854775808n
const fits = v => v >= MIN && v <= MAX

export function disagreement(wanted, got, ways = {}) {
  if (wanted?.[1] === 'NaN' && ways.nan === 'text') {   // its sign is lost
    return same(got, ['t', 'NaN']) || same(got, ['t', '-NaN']) ? null
      : `${show(got)}, not NaN`
  }
  if (wanted?.[0] === 'nothing') {
    return got === null || same(got, ['t', 'null']) ? null
      : `${show(got)}, not null`
  }
  if (wanted?.[0] === 'at' && ways.timestamp === 'unixepoch' &&
      Math.abs(Number(wanted[1])) > 2 ** 53) return nearly(wanted, got)
  const storage = stored(wanted, ways)
  if (storage) {
    return same(storage.value, got) ? null
      : `${show(got)}, not ${show(storage.value)}`
  }
  if (got === null || got[0] !== 't') return `${show(got)} is no JSON text`
  let tree
  try {
    tree = parse(got[1])
  } catch (e) {
    return `${show(got)} is no JSON: ${e.message}`
  }
  return inside(wanted, tree, '$', ways)
}

// Nearly all are pairs of texts.
const isPair = x => Array.isArray(x) && x.length === 2
const same = (a, b) => isPair(a) && isPair(b) && a[0] === b[0] && a[1] === b[1] ||
  JSON.stringify(a) === JSON.stringify(b)

// The SQLite value of a scalar; undefined for what becomes JSON.
function stored(v, ways) {
  if (v === null) return { value: null }
  switch (v[0]) {
    case 'bool': return { value: ['i', v[1] ? '1' : '0'] }
    case 'int': return { value: [fits(BigInt(v[1])) ? 'i' : 't', v[1]] }
    case 'real': case 'float':
      return { value: v[1] === 'NaN' ? null : ['r', v[1]] }
    case 'dec': {
      const text = decimalText(v[1], v[2])
      if (ways.decimal === 'text') return { value: ['t', text] }
      return { value: v[2] <= 0 && fits(BigInt(text)) ? ['i', text]
        : ['r', String(Number(text))] }
    }
    case 'text': case 'json': return { value: ['t', v[1]] }
    case 'bytes':
      return { value: ways.invalid_utf8 === 'blob' && !isUtf8(v[1])
        ? ['b', hex(v[1])] : ['t', utf8(v[1])] }
    case 'at': return { value: instant(BigInt(v[1]), BigInt(v[2]), ways.timestamp) }
    case 'blob': return { value: ['b', v[1]] }
    default: return undefined
  }
}

// A number of ticks that is too large for a double may be rounded twice in
// seconds.
function nearly(wanted, got) {
  const x = Number(instant(BigInt(wanted[1]), BigInt(wanted[2]), 'unixepoch')[1])
  return Math.abs(Number(got?.[1]) - x) <= Math.abs(x) * 2 ** -52 &&
    got[0] === (Number.isInteger(Number(got[1])) ? 'i' : 'r') ? null
    : `${show(got)}, not about ${x}`
}

function instant(ticks, perSecond, way) {
  if (way === 'raw') return ['i', String(ticks)]
  if (way !== 'unixepoch') return ['t', timestampText(ticks, perSecond)]
  if (ticks % perSecond === 0n) return ['i', String(ticks / perSecond)]
  const seconds = Number(decimalText(ticks, String(perSecond).length - 1))
  return [Number.isInteger(seconds) ? 'i' : 'r', String(seconds)]
}

function inside(v, node, path, ways) {
  const wrong = () =>
    `${path}: ${JSON.stringify(node)}, not ${JSON.stringify(v)}`
  const when = truth => truth ? null : wrong()
  if (v === null) return when(node.type === 'null')
  const token = node.type === 'number' ? node.token : undefined
  switch (v[0]) {
    case 'bool': return when(node.type === 'bool' && node.value === v[1])
    case 'int': return when(token === v[1])
    case 'dec': return when(token === decimalText(v[1], v[2]))
    case 'real': case 'float': {
      if (v[1] === 'NaN') {                          // its sign is lost
        return when(ways.nan === 'text'
          ? node.type === 'string' && /^-?NaN$/.test(node.value)
          : node.type === 'null')
      }
      const x = Number(token)
      return when(Object.is(v[0] === 'float' ? Math.fround(x) : x, Number(v[1])))
    }
    case 'text': return when(node.type === 'string' && node.value === v[1])
    case 'bytes':
      return when(node.type === 'string' && node.value === utf8(v[1]))
    case 'at':
      return when(node.type === 'string' &&
        node.value === timestampText(v[1], v[2]))
    case 'blob':
      return when(node.type === 'string' && node.value === v[1].toUpperCase())
    case 'json': {
      const tree = parse(v[1])
      return when(same(tree, node) ||
        node.type === 'string' && node.value === v[1])
    }
    case 'list':
      if (node.type !== 'array' || node.items.length !== v[1].length) {
        return wrong()
      }
      return first(v[1], (x, i) => inside(x, node.items[i], `${path}[${i}]`, ways))
    case 'struct':
      if (node.type !== 'object' ||
          !same(node.members.map(m => m[0]), v[1].map(f => f[0]))) return wrong()
      return first(v[1], (f, i) =>
        inside(f[1], node.members[i][1], `${path}.${f[0]}`, ways))
    case 'map': {
      if (ways.map === 'entries') return entries(v[1], node, path, ways)
      if (node.type !== 'object') return wrong()
      const wanted = new Map(v[1].map(([k, x]) => [keyText(k), x]))
      const got = new Map(node.members)
      if (got.size !== node.members.length || got.size !== wanted.size ||
          [...wanted.keys()].some(k => !got.has(k))) return wrong()
      return first([...wanted], ([k, x]) =>
        inside(x, got.get(k), `${path}.${k}`, ways))
    }
    case 'variant': return variant(v[1], node, path)
    case 'nothing': return when(node.type === 'null')
  }
  return wrong()
}

// All of several equal keys are there, in their order, and a key keeps its
// type.
function entries(wanted, node, path, ways) {
  if (node.type !== 'array' || node.items.length !== wanted.length) {
    return `${path}: ${JSON.stringify(node)}, not ${wanted.length} entries`
  }
  return first(wanted, ([k, x], i) => {
    const pair = node.items[i]
    if (pair.type !== 'array' || pair.items.length !== 2) {
      return `${path}[${i}]: no pair`
    }
    return inside(k, pair.items[0], `${path}[${i}][0]`, ways) ??
      inside(x, pair.items[1], `${path}[${i}][1]`, ways)
  })
}

function first(list, f) {
  for (let i = 0; i < list.length; i++) {
    const wrong = f(list[i], i)
    if (wrong) return wrong
  }
  return null
}

// A key that is not text is the JSON text of its value without quotes.
function keyText(k) {
  switch (k[0]) {
    case 'text': case 'json': return k[1]
    case 'blob': return k[1].toUpperCase()
    case 'dec': return decimalText(k[1], k[2])
    case 'at': return timestampText(k[1], k[2])
    case 'bytes': return utf8(k[1])
    default: return String(k[1])
  }
}

// DuckDB writes as many digits as a timestamp has, and the zone.
const inVariant = text => /^[-+\d]\d*-\d\d-\d\d \d\d:/.test(text) ||
  /^\d\d:\d\d:\d\d/.test(text)
  ? text.replace(/\+00$/, '').replace(/(\.\d*?)0*$/, '$1').replace(/\.$/, '')
  : text

// A Variant's own types do not survive as JSON in a foreign reader: numbers
// are compared as doubles, texts as texts, dates to the millisecond.
function variant(v, node, path) {
  const wrong = () =>
    `${path}: ${JSON.stringify(node)}, not ${JSON.stringify(v)}`
  const when = truth => truth ? null : wrong()
  if (v === null) return when(node.type === 'null')
  switch (typeof v) {
    case 'boolean': return when(node.type === 'bool' && node.value === v)
    case 'number': return when(node.type === 'number' && Number(node.token) === v)
    case 'string':
      return when(node.type === 'string' && inVariant(node.value) === inVariant(v))
  }
  if ('$int' in v) return when(node.token === v.$int)
  if ('$real' in v) {
    return when(v.$real === 'NaN' ? node.type === 'null'
      : Number(node.token) === Number(v.$real))
  }
  if ('$date' in v) {
    return when(node.type === 'string' &&
      Math.floor(Date.parse(node.value.replace(' ', 'T')
        .replace(/(\.\d{3})\d*$/, '$1') +
        (node.value.length > 10 ? 'Z' : ''))) === v.$date)
  }
  if (Array.isArray(v)) {
    if (node.type !== 'array' || node.items.length !== v.length) return wrong()
    return first(v, (x, i) => variant(x, node.items[i], `${path}[${i}]`))
  }
  const got = new Map(node.type === 'object' ? node.members : [])
  const keys = Object.keys(v)
  if (node.type !== 'object' || got.size !== keys.length ||
      keys.some(k => !got.has(k))) return wrong()
  return first(keys, k => variant(v[k], got.get(k), `${path}.${k}`))
}

const show = v => {
  const text = JSON.stringify(v) ?? 'nothing'
  return text.length > 120 ? text.slice(0, 117) + '...' : text
}

// --- JSON, with numbers as they are written and members in their order ---------

const TOKEN = /\s*(?:([[\]{},:])|("(?:[^"\\\u0000-\u001f]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|(true|false|null))/y

function parse(text) {
  let at = 0, token
  function next() {
    TOKEN.lastIndex = at
    token = TOKEN.exec(text)
    if (!token) {
      if (text.slice(at).trim()) throw new Error(`at character ${at}`)
      return
    }
    at = TOKEN.lastIndex
  }
  function take(mark) {
    if (token?.[1] !== mark) throw new Error(`no ${mark} at character ${at}`)
    next()
  }
  function members(close, read) {
    const list = []
    next()
    while (token?.[1] !== close) {
      if (list.length) take(',')
      list.push(read())
    }
    next()
    return list
  }
  function value() {
    const [, mark, string, number, word] = token ?? []
    if (mark === '[') return { type: 'array', items: members(']', value) }
    if (mark === '{') {
      return { type: 'object', members: members('}', () => {
        if (token?.[2] === undefined) throw new Error(`no name at ${at}`)
        const name = JSON.parse(token[2])
        next()
        take(':')
        return [name, value()]
      }) }
    }
    if (string !== undefined) {
      next()
      return { type: 'string', value: JSON.parse(string) }
    }
    if (number !== undefined) {
      next()
      return { type: 'number', token: number }
    }
    if (word === undefined) throw new Error(`no value at character ${at}`)
    next()
    return word === 'null' ? { type: 'null' }
      : { type: 'bool', value: word === 'true' }
  }
  next()
  const tree = value()
  if (token) throw new Error(`more at character ${at}`)
  return tree
}

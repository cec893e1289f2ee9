// written_plain.mjs - gives values of texts.mjs that mean the same the same
// form: a timestamp in any unit is its text, and JSON, which only DuckDB tells
// from text, is text.
import { timestampText } from './texts.mjs'

export function plain(v, unordered) {
  if (v === null || v[0] === 'nothing') return null
  const below = x => plain(x, unordered)
  switch (v[0]) {
    case 'at': return ['text', timestampText(v[1], v[2])]
    case 'json': return ['text', v[1]]
    case 'list': return ['list', v[1].map(below)]
    case 'struct': return ['struct', v[1].map(([k, x]) => [k, below(x)])]
    case 'map': {
      const entries = v[1].map(([k, x]) => [below(k), below(x)])
      const at = e => JSON.stringify(e[0])
      if (unordered) entries.sort((a, b) => at(a) < at(b) ? -1 : 1)
      return ['map', entries]
    }
  }
  return v
}

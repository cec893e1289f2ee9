// queries_of.mjs - the queries of a file of SQL, each below a comment that
// names it.
import { readFileSync } from 'node:fs'

// [name, text] of each.  numbers: what {name} stands for.  {1000} is meant for
// 100 million rows and is scaled to numbers.rows.
export function queriesOf(path, numbers) {
  const number = (_, name) => numbers[name] ??
    Math.ceil(Number(name) * numbers.rows / 1e8)
  const each = (term, first, last) => Array.from({ length: last - first + 1 },
    (_, k) => term(Number(first) + k)).join(', ')
  const sums = (_, first, last) =>
    each(k => `sum(ResolutionWidth + ${k})`, first, last)
  const rollupSums = (_, first, last) => each(k => `widths + ${k} * n`, first, last)
  return readFileSync(path, 'utf8').split(/^-- (?=\d+$)/m).slice(1).map(text => {
    const [, name, sql] = text.match(/^(\d+)\n([^]*?);\s*$/)
    return [name, sql.replace(/\{(\w+)\}/g, number)
      .replace(/rollup_sums\((\d+), (\d+)\)/g, rollupSums)
      .replace(/sums\((\d+), (\d+)\)/g, sums)]
  })
}

// same_rows.mjs - are the rows of two answers the same, in any order?  Numbers
// that are not whole are compared to nine digits.

// A cell: null, a text, or a number.  Whole numbers stay texts, whatever their
// type was, because a double does not hold all of them.
function cell(x) {
  if (typeof x === 'string') {
    return /^-?\d+\.\d+$/.test(x) ? cell(Number(x)) : x
  }
  return Number.isSafeInteger(x) ? String(x) : x
}
export const cells = rows => rows.map(row => row.map(cell))

// Rows in the order of their columns; of those that are fractions anywhere, last
// and roughly.
function sorted(rows, fractions) {
  const key = row => JSON.stringify([
    ...row.filter((_, i) => !fractions[i]),
    ...row.filter((_, i) => fractions[i]).map(x => Number(x).toPrecision(7))])
  return rows.map(row => [key(row), row])
    .sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0).map(([, row]) => row)
}

function same(a, b) {
  if (a === b) return true
  if (a === null || b === null) return false
  if (typeof a !== 'number' && typeof b !== 'number') return false
  return Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b))
}

// What is wrong with rows, if anything.
export function difference(rows, right) {
  if (rows.length !== right.length) {
    return `${rows.length} rows, not ${right.length}`
  }
  const fractions = (right[0] ?? []).map((_, i) =>
    [...rows, ...right].some(row => typeof row[i] === 'number'))
  const [a, b] = [sorted(rows, fractions), sorted(right, fractions)]
  for (let k = 0; k < a.length; k++) {
    const i = b[k].findIndex((x, i) => !same(a[k][i], x))
    if (i >= 0) {
      return `row ${k}, column ${i}: ${JSON.stringify(a[k][i])}, not ` +
        `${JSON.stringify(b[k][i])} (${JSON.stringify(b[k]).slice(0, 200)})`
    }
  }
}

// The rows of a statement, as cells.
export const ofSQLite = sqlite => async sql =>
  cells(JSON.parse((await sqlite.must('rows', sql)).value))
export const ofDuckDB = duck => async sql =>
  cells((await duck.connection.runAndReadAll(sql)).getRowsJson())

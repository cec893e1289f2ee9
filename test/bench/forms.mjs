// forms.mjs - a statement as people write it against another form of it, which has
// the same rows: what does the natural one cost?  The rows are compared first, and
// a form whose rows differ has no figures.
import { SQLite } from './peers.mjs'
import { pair, title } from './measure.mjs'
import { difference, ofSQLite } from './same_rows.mjs'

// A line: processor time of both forms.  Of the rows the first columns are
// compared (all).
export async function formPair(name, sqlite, natural, other, target, compared) {
  const rows = ofSQLite(sqlite), cut = row => row.slice(0, compared)
  const [ours, right] = [await rows(natural), await rows(other)]
  const wrong = difference(ours.map(cut), right.map(cut))
  if (wrong) return console.log(`${name}: WRONG, ${wrong}`)
  return pair(name, () => sqlite.take(natural), () => sqlite.take(other), target)
}

const rowsOf = (table, where) => `SELECT count(*) FROM ${table} WHERE ${where}`

// What, of which file, the options of a table t over it, the natural form, the other
// one, the target, and how many columns are compared.  p is the same file without
// options.
const forms = [
  // Days as texts, by somebody who knows them as texts.  A statement with a LIKE
  // asks first whether it is SQLite's own: 0.2 ms.  A function around the column is
  // not offered to a table, so SQLite computes it in each row.
  ["ts LIKE '2024-05-05%', no row: a range", 'events', '',
    rowsOf('p', "ts LIKE '2024-05-05%'"),
    rowsOf('p', "ts >= '2024-05-05' AND ts < '2024-05-06'"), 4],
  ["ts LIKE '2024-01-01 04:00:2%': a range", 'events', '',
    rowsOf('p', "ts LIKE '2024-01-01 04:00:2%'"),
    rowsOf('p', "ts >= '2024-01-01 04:00:20' AND ts < '2024-01-01 04:00:30'"), 1.5],
  ["l_shipdate LIKE '1994-05-05%': a range", 'lineitem', '',
    rowsOf('p', "l_shipdate LIKE '1994-05-05%'"),
    rowsOf('p', "l_shipdate >= '1994-05-05' AND l_shipdate < '1994-05-06'"), 1.5],
  ["date(ts) = '2024-05-05', no row: a range", 'events', '',
    rowsOf('p', "date(ts) = '2024-05-05'"),
    rowsOf('p', "ts >= '2024-05-05' AND ts < '2024-05-06'")],
  ["day = '2024-05-05' of a rollup: a range", 'visits',
    `rollup='date(ts) AS day, ts, count(*) AS n'`,
    "SELECT sum(n) FROM t WHERE day = '2024-05-05'",
    rowsOf('p', "ts >= '2024-05-05' AND ts < '2024-05-06'"), 1.5],
  // Groups that are added up, and groups as they are.
  ['a million users, top ten by sum(n): by n', 'visits',
    `rollup='user_id, count(*) AS n'`,
    `SELECT sum(n) AS c, user_id FROM t GROUP BY user_id ORDER BY 1 DESC LIMIT 10`,
    'SELECT n, user_id FROM t ORDER BY n DESC LIMIT 10', 1.1, 1],
  ['texts, top ten by sum(n): by n', 'lineitem',
    `rollup='l_comment, count(*) AS n'`,
    `SELECT sum(n) AS c, l_comment FROM t GROUP BY l_comment ORDER BY 1 DESC LIMIT 10`,
    'SELECT n, l_comment FROM t ORDER BY n DESC LIMIT 10', 1.1, 1],
  // Nearly a group per row, which is what a plain table hands out.
  ['a group per row, two columns: plain', 'events',
    `rollup='user_id, country, id, count(*) AS n'`,
    `SELECT sum(n) AS c, user_id, country FROM t WHERE id < 1000000
     GROUP BY user_id, country ORDER BY c DESC LIMIT 10`,
    `SELECT count(*) AS c, user_id, country FROM p WHERE id < 1000000
     GROUP BY user_id, country ORDER BY c DESC LIMIT 10`, 1.3, 1],
  ['the same, all groups: plain', 'events',
    `rollup='user_id, country, id, count(*) AS n'`,
    `SELECT user_id, country, sum(n) FROM t WHERE id < 1000000
     GROUP BY user_id, country`,
    `SELECT user_id, country, count(*) FROM p WHERE id < 1000000
     GROUP BY user_id, country`, 1.3],
  ['a group per row, texts: plain', 'events', `rollup='url, id, count(*) AS n'`,
    `SELECT sum(n) AS c, url FROM t WHERE id < 1000000
     GROUP BY url ORDER BY c DESC LIMIT 10`,
    `SELECT count(*) AS c, url FROM p WHERE id < 1000000
     GROUP BY url ORDER BY c DESC LIMIT 10`, 1.3, 1]
]

export const formParts = ({ build, extension, file }) => ({
  // LINES=pattern: those whose name matches.
  'a natural form against another': async name => {
    title(name, ['natural', 'other', 'ratio', 'target', 'met'])
    const only = new RegExp(process.env.LINES ?? '')
    for (const [what, table, options, natural, other, target, compared] of forms) {
      if (!only.test(what)) continue
      const sqlite = new SQLite(build, extension)
      await sqlite.open()
      for (const [t, more] of [['t', options], ['p', '']]) {
        await sqlite.run(`CREATE VIRTUAL TABLE temp.${t} USING parquet(
          '${file(table)}'${more && `, ${more}`}, threads=0)`)
      }
      await formPair(what, sqlite, natural, other, target, compared)
      await sqlite.close()
    }
  }
})

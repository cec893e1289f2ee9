// rollup.mjs - tables shaped by the engine against DuckDB, each on the files that
// DuckDB wrote and on ours.  The answers are compared first: a line whose answer
// differs has no figures.
//
// "unpacking" is what the library of the codec takes of DuckDB's time, alone
// (unpacking.mjs).
import { availableParallelism } from 'node:os'
import { measure, digits, milliseconds, line, title, verdict }
  from './measure.mjs'
import { SQLite, DuckDB } from './peers.mjs'
import { difference, ofSQLite, ofDuckDB } from './same_rows.mjs'
import { makeData } from './data.mjs'
import { unpacking } from './unpacking.mjs'

export const files = ['events', 'lineitem', 'visits', 'baskets']

// --- what is asked ----------------------------------------------------------------

const disc = 'l_extendedprice * (1 - l_discount)'
const q1 = {
  sum_qty: 'l_quantity', sum_price: 'l_extendedprice', sum_disc: disc,
  sum_charge: `${disc} * (1 + l_tax)`
}
const q1Sums = Object.entries(q1)
const q1Where = `WHERE l_shipdate <= '1998-09-02' GROUP BY 1, 2`

// The leaves that have to be read.
const lineitem = names => names.split(' ').map(name => `l_${name}`)
const element = (list, field) => [list, 'list', 'element', ...field ?? []].join(', ')
const leaves = {
  'one sum of integers': ['user_id'],
  'one sum of doubles': ['duration'],
  'Q1, its four sums': lineitem(
    'returnflag linestatus shipdate quantity extendedprice discount tax'),
  'the same without the date': lineitem(
    'returnflag linestatus quantity extendedprice discount tax'),
  'count per ship mode': lineitem('shipmode'),
  'count and sum per country': ['country', 'duration'],
  'a million users, top ten': ['user_id'],
  'count of distinct suppliers': lineitem('suppkey'),
  'count per day of a timestamp': ['ts'],
  'sum per month': ['ts', 'value'],
  'unnest and sum, through SQLite': [element('points')],
  'unnest and sum, through a rollup': [element('points')],
  'unnest structs, sum per sku':
    ['sku', 'qty', 'price'].map(field => element('items', [field]))
}

// The options of a table t, what is asked of it, what DuckDB is asked with the file
// in place of $, the target, and how many columns are compared (all).
const lines = [
  ['one sum of integers', 'events', `rollup='sum(user_id) AS total'`,
    'SELECT total FROM t', 'SELECT sum(user_id) FROM $', 0.5],
  ['one sum of doubles', 'events', `rollup='sum(duration) AS total'`,
    'SELECT total FROM t', 'SELECT sum(duration) FROM $', 0.5],
  ['count(*)', 'events', `rollup='count(*) AS n'`,
    'SELECT n FROM t', 'SELECT count(*) FROM $', 0.5],
  ['min and max of integers', 'events',
    `rollup='min(user_id) AS a, max(user_id) AS b'`,
    'SELECT a, b FROM t', 'SELECT min(user_id), max(user_id) FROM $', 0.5],
  ['min and max of timestamps', 'visits', `rollup='min(ts) AS a, max(ts) AS b'`,
    `SELECT ${['a', 'b'].map(x => `strftime('%Y-%m-%d %H:%M:%f', ${x})`)} FROM t`,
    `SELECT ${['min', 'max'].map(x =>
      `strftime(${x}(ts), '%Y-%m-%d %H:%M:%S.%g')`)} FROM $`, 0.5],
  ['Q1, its four sums', 'lineitem',
    `rollup='l_returnflag, l_linestatus, l_shipdate, ${
      q1Sums.map(([name, x]) => `sum(${x}) AS ${name}`)}, count(*) AS n'`,
    `SELECT l_returnflag, l_linestatus, ${
      q1Sums.map(([name]) => `sum(${name})`)}, sum(n) FROM t ${q1Where}`,
    `SELECT l_returnflag, l_linestatus, ${
      q1Sums.map(([, x]) => `sum(${x})`)}, count(*) FROM $ ${q1Where}`, 0.6],
  ['the same without the date', 'lineitem',
    `rollup='l_returnflag, l_linestatus, ${
      q1Sums.map(([name, x]) => `sum(${x}) AS ${name}`)}, count(*) AS n'`,
    `SELECT l_returnflag, l_linestatus, ${q1Sums.map(([name]) => name)}, n FROM t`,
    `SELECT l_returnflag, l_linestatus, ${
      q1Sums.map(([, x]) => `sum(${x})`)}, count(*) FROM $ GROUP BY 1, 2`, 0.6],
  ['count per ship mode', 'lineitem', `rollup='l_shipmode, count(*) AS n'`,
    'SELECT l_shipmode, n FROM t',
    'SELECT l_shipmode, count(*) FROM $ GROUP BY 1', 0.6],
  ['count and sum per country', 'events',
    `rollup='country, count(*) AS n, sum(duration) AS total'`,
    'SELECT country, n, total FROM t',
    'SELECT country, count(*), sum(duration) FROM $ GROUP BY 1', 0.8],
  ['a sum per country, of some hours', 'events',
    `rollup='country, ts, count(*) AS n, sum(duration) AS total'`,
    `SELECT country, sum(total) FROM t WHERE ts >= '2024-01-01 02:00:00' AND
     ts < '2024-01-01 05:00:00' GROUP BY country`,
    `SELECT country, sum(duration) FROM $ WHERE ts >= '2024-01-01 02:00:00' AND
     ts < '2024-01-01 05:00:00' GROUP BY 1`, 0.8],
  ['... of slow ones, on the column', 'events',
    `rollup='country, duration, sum(duration) AS total'`,
    'SELECT country, sum(total) FROM t WHERE duration > 100 GROUP BY country',
    'SELECT country, sum(duration) FROM $ WHERE duration > 100 GROUP BY 1', 1],
  ['... on a dimension, WHERE slow', 'events',
    `rollup='country, duration > 100 AS slow, sum(duration) AS total'`,
    'SELECT country, sum(total) FROM t WHERE slow GROUP BY country',
    'SELECT country, sum(duration) FROM $ WHERE duration > 100 GROUP BY 1', 1],
  ['... of long addresses', 'events',
    `rollup='country, length(url) AS letters, sum(duration) AS total'`,
    'SELECT country, sum(total) FROM t WHERE letters > 60 GROUP BY country',
    'SELECT country, sum(duration) FROM $ WHERE length(url) > 60 GROUP BY 1', 1],
  ['... of an hour of the day', 'events',
    `rollup='country, strftime(''%H'', ts) AS hour, sum(duration) AS total'`,
    `SELECT country, sum(total) FROM t WHERE hour = '03' GROUP BY country`,
    'SELECT country, sum(duration) FROM $ WHERE hour(ts) = 3 GROUP BY 1', 1],
  ['a sum per ship mode, of a tenth', 'lineitem',
    `rollup='l_shipmode, l_suppkey % 10 AS tenth, sum(l_quantity) AS total'`,
    'SELECT l_shipmode, sum(total) FROM t WHERE tenth = 3 GROUP BY 1',
    'SELECT l_shipmode, sum(l_quantity) FROM $ WHERE l_suppkey % 10 = 3 GROUP BY 1', 1],
  ['... of some tenths, IN', 'lineitem',
    `rollup='l_shipmode, l_suppkey % 10 AS tenth, sum(l_quantity) AS total'`,
    'SELECT l_shipmode, sum(total) FROM t WHERE tenth IN (3, 5, 7) GROUP BY 1',
    'SELECT l_shipmode, sum(l_quantity) FROM $ WHERE l_suppkey % 10 IN (3, 5, 7) GROUP BY 1', 1],
  ['... of a month of the year', 'lineitem',
    `rollup='l_shipmode, strftime(''%m'', l_shipdate) AS month, sum(l_quantity) AS total'`,
    `SELECT l_shipmode, sum(total) FROM t WHERE month = '03' GROUP BY 1`,
    'SELECT l_shipmode, sum(l_quantity) FROM $ WHERE month(l_shipdate) = 3 GROUP BY 1', 1],
  ['a million users, top ten', 'visits', `rollup='user_id, count(*) AS n'`,
    'SELECT n, user_id FROM t ORDER BY n DESC LIMIT 10',
    `SELECT count(*) AS n, user_id FROM $ GROUP BY 2 ORDER BY 1 DESC LIMIT 10`,
    1.2, 1],
  ['the same, added up', 'visits', `rollup='user_id, count(*) AS n'`,
    'SELECT sum(n) AS c, user_id FROM t GROUP BY user_id ORDER BY c DESC LIMIT 10',
    `SELECT count(*) AS n, user_id FROM $ GROUP BY 2 ORDER BY 1 DESC LIMIT 10`,
    1.2, 1],
  ['sum of the lengths of texts', 'events', `rollup='sum(length(url)) AS total'`,
    'SELECT total FROM t', 'SELECT sum(length(url)) FROM $', 1],
  ['the same per country', 'events', `rollup='country, sum(length(url)) AS total'`,
    'SELECT country, sum(total) FROM t GROUP BY country',
    'SELECT country, sum(length(url)) FROM $ GROUP BY 1', 1],
  ['sum of x IS NULL', 'events', `rollup='sum(country IS NULL) AS absent'`,
    'SELECT absent FROM t', 'SELECT sum((country IS NULL)::INTEGER) FROM $', 1],
  ['count of a CASE', 'lineitem',
    `rollup='l_shipmode, count(CASE WHEN l_quantity > 24 THEN 1 END) AS large'`,
    'SELECT l_shipmode, sum(large) FROM t GROUP BY l_shipmode',
    `SELECT l_shipmode, count(CASE WHEN l_quantity > 24 THEN 1 END) FROM $
     GROUP BY 1`, 1],
  ['min of a substr', 'events', `rollup='country, min(substr(url, 9)) AS least'`,
    'SELECT country, min(least) FROM t GROUP BY country',
    'SELECT country, min(substr(url, 9)) FROM $ GROUP BY 1', 1],
  ['count of distinct suppliers', 'lineitem',
    `rollup='l_suppkey, count(*) AS n'`, 'SELECT count(l_suppkey) FROM t',
    'SELECT count(DISTINCT l_suppkey) FROM $', 1],
  ['count per day of a timestamp', 'visits',
    `rollup='date(ts) AS day, count(*) AS n'`, 'SELECT day, n FROM t',
    'SELECT CAST(ts AS DATE) AS day, count(*) FROM $ GROUP BY 1', 1],
  ['sum per month', 'visits',
    `rollup='strftime(''%Y-%m'', ts) AS month, sum(value) AS total'`,
    'SELECT month, total FROM t',
    `SELECT strftime(date_trunc('month', ts), '%Y-%m'), total FROM
     (SELECT date_trunc('month', ts) AS ts, sum(value) AS total FROM $
      GROUP BY 1)`, 1],
  ['unnest and sum, through SQLite', 'baskets', `unnest='points'`,
    'SELECT sum(points) FROM t',
    'SELECT sum(x) FROM (SELECT unnest(points) AS x FROM $)', 1],
  ['unnest and sum, through a rollup', 'baskets',
    `unnest='points', rollup='sum(points) AS total'`,
    'SELECT total FROM t',
    'SELECT sum(x) FROM (SELECT unnest(points) AS x FROM $)', 0.6],
  ['unnest structs, sum per sku', 'baskets', `unnest='items',
    rollup='"items.sku", sum("items.qty" * "items.price") AS total'`,
    'SELECT "items.sku", total FROM t',
    `SELECT x.sku, sum(x.qty * x.price) FROM
     (SELECT unnest(items) AS x FROM $) GROUP BY 1`, 0.6]
].map(([name, table, options, ask, duck, target, compared]) =>
  ({ name, table, options, ask, duck, target, compared }))

// --- asking -------------------------------------------------------------------------

const threads = availableParallelism()

class Sides {
  constructor({ build, extension }) { Object.assign(this, { build, extension }) }

  async open() {
    this.sqlite = new SQLite(this.build, this.extension)
    await this.sqlite.open()
    this.one = await DuckDB.open(1)
    this.all = await DuckDB.open(threads)
  }

  async close() {
    await this.sqlite.close()
    this.one.close()
    this.all.close()
  }

  async declare(path, options) {
    await this.sqlite.run('DROP TABLE IF EXISTS temp.t')
    await this.sqlite.run(`CREATE VIRTUAL TABLE temp.t
                           USING parquet('${path}', ${options})`)
  }

  // What is wrong with our answer.
  async fault({ compared, ask, duck }) {
    const cut = rows => rows.map(row => row.slice(0, compared))
    return difference(cut(await ofSQLite(this.sqlite)(ask)),
                      cut(await ofDuckDB(this.one)(duck)))
  }

  // Processor time of both, and of reading and unpacking the pages; the time on the
  // wall of both with all threads; fault instead of ours.
  async figures(path, { name, options, ask, duck, compared }) {
    const sql = duck.replaceAll('$', `'${path}'`)
    const query = { compared, ask, duck: sql }
    const theirs = () => this.one.run(sql)
    try {
      await this.declare(path, `${options}, threads=0`)
      let fault = await this.fault(query)
      if (fault) throw new Error(fault)
      const [a, b, least] = await measure([() => this.sqlite.take(ask), theirs,
        ...await unpacking(this.sqlite, path, leaves[name])])
      await this.declare(path, options)
      fault = await this.fault(query)
      if (fault) throw new Error(`with threads: ${fault}`)
      const [c, d] = await measure([() => this.sqlite.take(ask),
                                    () => this.all.run(sql)])
      return { ours: a.cpu, theirs: b.cpu, ratio: a.cpu / b.cpu,
               least: (least?.cpu ?? 0) / b.cpu, wall: c.wall / d.wall }
    } catch (error) {
      const [b] = await measure([theirs])
      return { ours: NaN, theirs: b.cpu, ratio: NaN, wall: NaN,
               fault: error.message }
    }
  }
}

async function compare(sides, file, query) {
  const of = [], cells = []
  for (const path of [file(query.table), file(`${query.table}_own`)]) {
    const f = await sides.figures(path, query)
    of.push(f)
    cells.push(f.fault ? 'wrong' : milliseconds(f.ours), milliseconds(f.theirs),
               digits(f.ratio), digits(f.least), digits(f.wall))
  }
  const worst = Math.max(...of.map(f => f.ratio))
  line(query.name, [...cells, query.target, verdict(worst, query.target)])
  for (const f of of) if (f.fault) console.log(`  ${f.fault.slice(0, 300)}`)
}

// A process that does one thing: how much memory it takes at most, in MB.
async function peak({ build, extension }, path, options, ask) {
  const sqlite = new SQLite(build, extension)
  try {
    await sqlite.open()
    await sqlite.must('peak')
    const { now } = await sqlite.must('memory')
    await sqlite.run(`CREATE VIRTUAL TABLE temp.t
                      USING parquet('${path}', ${options})`)
    await sqlite.take(ask)
    const { peak } = await sqlite.must('memory')
    return (peak - now) / 1024
  } finally {
    await sqlite.close()
  }
}

// The groups themselves: a user and a count, 8 bytes each, and 8 for the place
// where it is found.
const groupsMB = 1e6 * 24 / 1048576

async function peaks(place) {
  const users = lines.find(each => /million/.test(each.name))
  title('rollup: peak memory, MB', ['all', 'of groups', 'beyond', 'target',
                                    'met'])
  for (const table of ['visits', 'visits_own']) {
    for (const more of [', threads=0', '']) {
      const mb = await peak(place, place.file(table), users.options + more,
                            users.ask).catch(() => NaN)
      line(`a million users, ${table}${more}`, [digits(mb), digits(groupsMB),
        digits(mb - groupsMB), 40, verdict(mb - groupsMB, 40)])
    }
  }
}

// SUMMARIZE and parquet_summary estimate different things, so nothing is
// compared.
async function summaries(sides, file) {
  title('parquet_summary', ['ours', 'SUMMARIZE', 'ratio', 'target', 'met'])
  for (const table of files.flatMap(name => [name, `${name}_own`])) {
    const path = file(table)
    try {
      const [a, b] = await measure([
        () => sides.sqlite.take(`SELECT * FROM parquet_summary('${path}')`),
        () => sides.one.run(`SUMMARIZE SELECT * FROM '${path}'`)], 3)
      line(table, [milliseconds(a.cpu), milliseconds(b.cpu),
                   digits(a.cpu / b.cpu), 1, verdict(a.cpu / b.cpu, 1)])
    } catch (error) {
      line(table, ['', '', '', 1, error.message])
    }
  }
}

export const rollupParts = ({ build, extension, folder, file }) => ({
  // LINES=pattern: those whose name matches.  KEEP=1: our files stay those of an
  // earlier extension.
  'rollup and unnest against DuckDB': async name => {
    const only = new RegExp(process.env.LINES ?? '')
    if (!process.env.KEEP) await makeData(folder, build, extension, files)
    const heads = ['1T', 'ratio', 'unpacking', 'wall']
    title(name, ['of DuckDB\'s', ...heads, 'of our file', ...heads, 'target',
                 'met'])
    const sides = new Sides({ build, extension })
    await sides.open()
    for (const query of lines) {
      if (only.test(query.name)) await compare(sides, file, query)
    }
    if (only.test('peak')) await peaks({ build, extension, file })
    if (only.test('summary')) await summaries(sides, file)
    await sides.close()
  }
})

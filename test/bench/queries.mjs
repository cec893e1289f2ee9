// queries.mjs - what is asked.

export const lineitemColumns = ['l_orderkey', 'l_partkey', 'l_suppkey',
  'l_linenumber', 'l_quantity', 'l_extendedprice', 'l_discount', 'l_tax',
  'l_returnflag', 'l_linestatus', 'l_shipdate', 'l_commitdate',
  'l_receiptdate', 'l_shipinstruct', 'l_shipmode', 'l_comment']
export const trivialColumns = Array.from({ length: 16 }, (_, k) => `c${k}`)
export const touchAll = (table, columns) => `SELECT ${columns.map((c, k) =>
  k < 8 ? `sum(${c})` : `max(${c})`).join(', ')} FROM ${table}`
export const countAll = (table, columns) =>
  `SELECT ${columns.map(c => `count(${c})`).join(', ')} FROM ${table}`
export const takeAll = table => `SELECT * FROM ${table}`

const q1 = t => `SELECT l_returnflag, l_linestatus, sum(l_quantity),
  sum(l_extendedprice), sum(l_extendedprice * (1 - l_discount)),
  sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)), avg(l_quantity),
  avg(l_extendedprice), avg(l_discount), count(*) FROM ${t}
  WHERE l_shipdate <= '1998-09-02' GROUP BY 1, 2`
const q6 = t => `SELECT sum(l_extendedprice * l_discount) FROM ${t}
  WHERE l_shipdate >= '1994-01-01' AND l_shipdate < '1995-01-01'
  AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24`
const ofParts = (t, which) => `SELECT sum(l_extendedprice), sum(l_quantity)
  FROM ${t} WHERE l_partkey ${which}`
const someParts = Array.from({ length: 20 }, (_, k) => k * 9973)

// What, of which table, how it is asked of a table of that name, the targets
// against DuckDB and against a native table, and whether values are taken.
export const queries = [
  ['point by sorted id', 'events',
    t => `SELECT url FROM ${t} WHERE id = 7654321`, 0.35],
  ['10k rows by id', 'events',
    t => `SELECT sum(user_id) FROM ${t} WHERE id BETWEEN 7654321 AND 7664320`],
  ['text equality, 1 of 40 rows', 'events',
    t => `SELECT count(*) FROM ${t} WHERE country = 'FI'`, 0.45],
  ['text equality, no row', 'events',
    t => `SELECT count(*) FROM ${t} WHERE country = 'XX'`, 0.12],
  ['ts range of 0.1 %, 2 columns', 'events',
    t => `SELECT sum(duration), count(country) FROM ${t}
          WHERE ts >= '2024-01-01 04:00:00' AND ts < '2024-01-01 04:00:30'`,
    0.4],
  ['Q6', 'lineitem', q6, 0.65],
  ['lines of a part', 'lineitem', t => ofParts(t, '= 77777'), 0.8],
  ['lines of twenty parts', 'lineitem',
    t => ofParts(t, `IN (${someParts.join(', ')})`), 0.8],
  ["LIKE 'prefix%' on url", 'events',
    t => `SELECT count(*) FROM ${t} WHERE url LIKE 'https://shop.host77%'`,
    0.75],
  ["LIKE '%x%' on url", 'events',
    t => `SELECT count(*) FROM ${t} WHERE url LIKE '%/pinto/77%'`, 0.5],
  ['ORDER BY ts DESC LIMIT 10', 'events',
    t => `SELECT id, ts FROM ${t} ORDER BY ts DESC LIMIT 10`, 0.02],
  ['max(ts)', 'events', t => `SELECT max(ts) FROM ${t}`, 0.02],
  ['SELECT DISTINCT country', 'events',
    t => `SELECT DISTINCT country FROM ${t}`, 0.15],
  ['1M rows x 7 columns handed over', 'events',
    t => `SELECT * FROM ${t} LIMIT 1000000`, 0.9, undefined, 'take'],
  ['wide: SELECT * LIMIT 1', 'wide', t => `SELECT * FROM ${t} LIMIT 1`, 0.1],
  ['sum(1 column)', 'events', t => `SELECT sum(user_id) FROM ${t}`, 8, 0.4],
  ['GROUP BY country', 'events',
    t => `SELECT country, count(*) FROM ${t} GROUP BY country`, 7, 0.2],
  ['GROUP BY country, with a sum', 'events',
    t => `SELECT country, sum(duration) FROM ${t} GROUP BY country`, 7, 0.3],
  ['Q1', 'lineitem', q1, 8, 0.4],
  ['IN of 100k numbers', 'events',
    t => `SELECT count(*) FROM ${t} WHERE user_id IN (SELECT id FROM probes)`, 2],
  ['IN of 100k texts, no row', 'events',
    t => `SELECT count(*) FROM ${t}
          WHERE url IN (SELECT 'https://shop.host' || id FROM probes)`, 1],
  ['join: 100k probes by id', 'events',
    t => `SELECT sum(user_id) FROM probes JOIN ${t} ON ${t}.id = probes.id`, 1],
  ['join by text: 20k urls', 'events',
    t => `SELECT count(*), sum(duration) FROM urls JOIN ${t} ON ${t}.url = urls.url`,
    1],
  ['join by text, an IN beside it', 'events',
    t => `SELECT count(*), sum(duration) FROM urls JOIN ${t} ON ${t}.url = urls.url
          WHERE ${t}.url IN (SELECT url FROM urls)`, 1.3],
  ['IN of 20k texts, all there', 'events',
    t => `SELECT count(*), sum(duration) FROM ${t}
          WHERE url IN (SELECT url FROM urls)`, 1]
]

// The leaves whose pages (nearly) all have to be unpacked, of queries that do little else.
export const unpacked = {
  'text equality, 1 of 40 rows': ['country'],
  'lines of a part': ['l_partkey'],
  'lines of twenty parts': ['l_partkey', 'l_extendedprice', 'l_quantity'],
  "LIKE 'prefix%' on url": ['url'],
  "LIKE '%x%' on url": ['url'],
  'GROUP BY country, with a sum': ['country', 'duration']
}

// The same of files that we wrote: what, of which table, how it is asked, the
// target against DuckDB's file in DuckDB, and whether values are taken.
export function ownQueries(url) {
  const own = { 'point by sorted id': 0.01, '10k rows by id': 0.05 }
  const bloom = [
    ['url equality, Bloom filter hit', 'events',
      t => `SELECT id FROM ${t} WHERE url = '${url}'`, 0.45],
    ['url equality, Bloom filter miss', 'events',
      t => `SELECT id FROM ${t} WHERE url = '${url}x'`, 0.12]]
  const rest = queries.filter(([, table]) => table !== 'wide')
    .map(([what, table, query, target, , how]) =>
      [what, table, query, own[what] ?? target, how])
  return [...rest.slice(0, 2), ...bloom, ...rest.slice(2)]
}

// Tables of keys: numbers, and texts.
export const makeProbes = `CREATE TEMP TABLE probes(id INTEGER PRIMARY KEY);
  INSERT INTO probes WITH RECURSIVE n(i) AS
    (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
  SELECT i * 7919 % 10000000 AS id FROM n`
export const someUrls = table => `SELECT url FROM ${table} WHERE id % 500 = 7`
export const makeUrls = rows => `CREATE TEMP TABLE urls(url TEXT);
  INSERT INTO urls VALUES ${rows.map(([url]) => `('${url}')`)}`

// tpch.mjs - eight tables as TPC-H has them, from row numbers.
//
// Keys, types, ranges and dependences are those that its specification names: a
// third of the customers has no orders, a line's part and supplier are a pair of
// partsupp, its dates follow the order's, its flags follow the dates, the
// order's price and status follow its lines.  Comments have the frequencies of
// words that queries look for.  Rows lie in the order of their keys.
//
// test/README.md compares the sizes of answers with those of the public
// generator.

// --- random numbers and texts ------------------------------------------------

// Below n, from a key and a salt.
const h = (key, salt, n) => `(hash((${key}) * 128 + ${salt}) % ${n})::BIGINT`
const at = (list, index) => `(['${list.join("', '")}'])[1 + ${index}]`
const pick = (key, salt, list) => at(list, h(key, salt, list.length))
const money = (key, salt, from, to) =>
  `((${from * 100} + ${h(key, salt, (to - from) * 100 + 1)}) / 100)::DECIMAL(15,2)`

const words = ('special requests packages deposits accounts ideas pinto ' +
  'beans theodolites foxes dependencies instructions platelets asymptotes ' +
  'excuses sleep wake cajole haggle nag detect boost among across about the ' +
  'above after furiously quickly carefully blithely slyly fluffily even ' +
  'regular final express pending ironic unusual silent bold close').split(' ')

// Words, of which a part that begins and ends anywhere is taken.
const comment = (key, salt, least, most) => {
  const n = Math.ceil(most / 6) + 2
  const text = Array.from({ length: n }, (_, k) => pick(key, salt + 2 + k, words))
  return `substr(${text.join(" || ' ' || ")}, ${h(key, salt, 6)} + 1,
    ${least} + ${h(key, salt + 1, most - least + 1)})`
}
const address = key => `substr(to_base64(encode(md5((${key})::VARCHAR || 'a'))),
  1, 10 + ${h(key, 1, 31)})`
const phone = (key, nation) => `(${nation} + 10) || '-' ||
  (100 + ${h(key, 2, 900)}) || '-' || (100 + ${h(key, 3, 900)}) || '-' ||
  (1000 + ${h(key, 4, 9000)})`
const numbered = (name, key) => `'${name}#' || lpad((${key})::VARCHAR, 9, '0')`

const nations = Object.entries({ ALGERIA: 0, ARGENTINA: 1, BRAZIL: 1, CANADA: 1,
  EGYPT: 4, ETHIOPIA: 0, FRANCE: 3, GERMANY: 3, INDIA: 2, INDONESIA: 2, IRAN: 4,
  IRAQ: 4, JAPAN: 2, JORDAN: 4, KENYA: 0, MOROCCO: 0, MOZAMBIQUE: 0, PERU: 1,
  CHINA: 2, ROMANIA: 3, 'SAUDI ARABIA': 4, VIETNAM: 2, RUSSIA: 3,
  'UNITED KINGDOM': 3, 'UNITED STATES': 1 })
const regions = ['AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'MIDDLE EAST']
const colours = ('almond antique aquamarine azure beige bisque black blanched ' +
  'blue blush brown burlywood burnished chartreuse chiffon chocolate coral ' +
  'cornflower cornsilk cream cyan dark deep dim dodger drab firebrick floral ' +
  'forest frosted gainsboro ghost goldenrod green grey honeydew hot indian ' +
  'ivory khaki lace lavender lawn lemon light lime linen magenta maroon medium ' +
  'metallic midnight mint misty moccasin navajo navy olive orange orchid pale ' +
  'papaya peach peru pink plum powder puff purple red rose rosy royal saddle ' +
  'salmon sandy seashell sienna sky slate smoke snow spring steel tan thistle ' +
  'tomato turquoise violet wheat white yellow').split(' ')

// --- the tables --------------------------------------------------------------

const region = `SELECT i::INTEGER AS r_regionkey, ${at(regions, 'i')} AS r_name,
  ${comment('i', 10, 31, 115)} AS r_comment FROM range(5) r(i)`

const nation = `SELECT i::INTEGER AS n_nationkey,
  ${at(nations.map(([name]) => name), 'i')} AS n_name,
  ([${nations.map(([, of]) => of).join(', ')}])[i + 1]::INTEGER AS n_regionkey,
  ${comment('i + 5', 10, 31, 114)} AS n_comment FROM range(25) r(i)`

// Five of 10,000 suppliers are complained of, five recommended.
const supplier = n => `SELECT i AS s_suppkey, ${numbered('Supplier', 'i')} AS s_name,
  ${address('i * 4')} AS s_address, nation::INTEGER AS s_nationkey,
  ${phone('i * 4', 'nation')} AS s_phone,
  ${money('i * 4', 5, -999.99, 9999.99)} AS s_acctbal,
  CASE i % 2000 WHEN 7 THEN substr(text, 1, 12) || 'Customer ' ||
         substr(text, 13, 8) || 'Complaints' || substr(text, 21)
       WHEN 1003 THEN substr(text, 1, 12) || 'Customer ' ||
         substr(text, 13, 8) || 'Recommends' || substr(text, 21)
       ELSE text END AS s_comment
  FROM (SELECT i, ${h('i * 4', 6, 25)} AS nation,
               ${comment('i * 4', 10, 25, 100)} AS text
        FROM range(1, ${n + 1}) r(i))`

const customer = n => `SELECT i AS c_custkey,
  ${numbered('Customer', 'i')} AS c_name, ${address('i * 4 + 1')} AS c_address,
  nation::INTEGER AS c_nationkey, ${phone('i * 4 + 1', 'nation')} AS c_phone,
  ${money('i * 4 + 1', 5, -999.99, 9999.99)} AS c_acctbal,
  ${pick('i * 4 + 1', 7, ['AUTOMOBILE', 'BUILDING', 'FURNITURE', 'HOUSEHOLD',
    'MACHINERY'])} AS c_mktsegment,
  ${comment('i * 4 + 1', 10, 29, 116)} AS c_comment
  FROM (SELECT i, ${h('i * 4 + 1', 6, 25)} AS nation
        FROM range(1, ${n + 1}) r(i))`

// Five different words: steps that have no factor in common with their number.
const steps = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 25, 27, 29, 31, 33]
const colour = k => at(colours, `(first + ${k} * step) % ${colours.length}`)
const retailPrice = key => `((90000 + (${key}) // 10 % 20001 +
  100 * ((${key}) % 1000)) / 100)::DECIMAL(15,2)`
const part = n => `SELECT i AS p_partkey,
  ${[0, 1, 2, 3, 4].map(colour).join(" || ' ' || ")} AS p_name,
  'Manufacturer#' || maker AS p_mfgr,
  'Brand#' || maker || 1 + ${h('i * 4 + 2', 8, 5)} AS p_brand,
  ${pick('i * 4 + 2', 9, ['STANDARD', 'SMALL', 'MEDIUM', 'LARGE', 'ECONOMY',
    'PROMO'])} || ' ' ||
  ${pick('i * 4 + 2', 30, ['ANODIZED', 'BURNISHED', 'PLATED', 'POLISHED',
    'BRUSHED'])} || ' ' ||
  ${pick('i * 4 + 2', 31, ['TIN', 'NICKEL', 'BRASS', 'STEEL', 'COPPER'])}
    AS p_type,
  (1 + ${h('i * 4 + 2', 32, 50)})::INTEGER AS p_size,
  ${pick('i * 4 + 2', 33, ['SM', 'MED', 'LG', 'JUMBO', 'WRAP'])} || ' ' ||
  ${pick('i * 4 + 2', 34, ['CASE', 'BOX', 'BAG', 'JAR', 'PKG', 'PACK', 'CAN',
    'DRUM'])} AS p_container,
  ${retailPrice('i')} AS p_retailprice,
  ${comment('i * 4 + 2', 10, 5, 22)} AS p_comment
  FROM (SELECT i, 1 + ${h('i * 4 + 2', 35, 5)} AS maker,
               ${h('i * 4 + 2', 36, colours.length)} AS first,
               ([${steps}])[1 + ${h('i * 4 + 2', 37, steps.length)}] AS step
        FROM range(1, ${n + 1}) r(i))`

// The k-th of the four suppliers of a part.
const supplierOf = (part, k, n) =>
  `((${part}) + (${k}) * (${n} // 4 + ((${part}) - 1) // ${n})) % ${n} + 1`
const partsupp = (parts, suppliers) => `SELECT part AS ps_partkey,
  ${supplierOf('part', 'i % 4', suppliers)} AS ps_suppkey,
  1 + ${h('i * 4 + 3', 1, 9999)} AS ps_availqty,
  ${money('i * 4 + 3', 2, 1, 1000)} AS ps_supplycost,
  ${comment('i * 4 + 3', 10, 49, 198)} AS ps_comment
  FROM (SELECT i, i // 4 + 1 AS part FROM range(${parts * 4}) r(i))`

// Of 32 keys eight are used.  The n-th order's date, and how many lines it has.
const orderKey = n => `((${n}) // 8 * 32 + (${n}) % 8)`
const orderDate = n =>
  `(DATE '1992-01-01' + ${h(`(${n}) * 4`, 60, 2406)}::INTEGER)`
const lines = n => `(1 + ${h(`(${n}) * 4`, 61, 7)})`

const lineitem = (orders, parts, suppliers) => `
  SELECT l_orderkey, l_partkey,
    ${supplierOf('l_partkey', h('i * 4 + 1', 41, 4), suppliers)} AS l_suppkey,
    l_linenumber, quantity::DECIMAL(15,2) AS l_quantity,
    (quantity * ${retailPrice('l_partkey')})::DECIMAL(15,2) AS l_extendedprice,
    (${h('i * 4 + 1', 42, 11)} / 100)::DECIMAL(15,2) AS l_discount,
    (${h('i * 4 + 1', 43, 9)} / 100)::DECIMAL(15,2) AS l_tax,
    CASE WHEN l_receiptdate > '1995-06-17' THEN 'N'
         ELSE ${pick('i * 4 + 1', 44, ['R', 'A'])} END AS l_returnflag,
    CASE WHEN l_shipdate > '1995-06-17' THEN 'O' ELSE 'F' END AS l_linestatus,
    l_shipdate, l_commitdate, l_receiptdate,
    ${pick('i * 4 + 1', 45, ['DELIVER IN PERSON', 'COLLECT COD',
    'TAKE BACK RETURN', 'NONE'])} AS l_shipinstruct,
    ${pick('i * 4 + 1', 46, ['REG AIR', 'AIR', 'RAIL', 'SHIP', 'TRUCK', 'MAIL',
    'FOB'])} AS l_shipmode,
    ${comment('i * 4 + 1', 10, 10, 43)} AS l_comment
  FROM (SELECT *, l_shipdate + 1 + ${h('i * 4 + 1', 47, 30)}::INTEGER
                    AS l_receiptdate
    FROM (SELECT i, ${orderKey('i // 7 + 1')} AS l_orderkey,
        i % 7 + 1 AS l_linenumber, 1 + ${h('i * 4 + 1', 48, parts)} AS l_partkey,
        1 + ${h('i * 4 + 1', 49, 50)} AS quantity,
        ${orderDate('i // 7 + 1')} + 1 + ${h('i * 4 + 1', 50, 121)}::INTEGER
          AS l_shipdate,
        ${orderDate('i // 7 + 1')} + 30 + ${h('i * 4 + 1', 51, 61)}::INTEGER
          AS l_commitdate
      FROM range(${orders * 7}) r(i)
      WHERE i % 7 < ${lines('i // 7 + 1')}))`

// Two thirds of the customers have orders.
const buyer = (n, customers) => {
  const k = h(`(${n}) * 4`, 62, Math.floor(customers / 3) * 2)
  return `(${k} // 2 * 3 + ${k} % 2 + 1)`
}
const orders = (n, customers, lineitem) => `
  SELECT o_orderkey, ${buyer('i', customers)} AS o_custkey,
    CASE open WHEN 0 THEN 'F' WHEN lines THEN 'O' ELSE 'P' END AS o_orderstatus,
    price::DECIMAL(15,2) AS o_totalprice, ${orderDate('i')} AS o_orderdate,
    ${pick('i * 4', 63, ['1-URGENT', '2-HIGH', '3-MEDIUM', '4-NOT SPECIFIED',
    '5-LOW'])} AS o_orderpriority,
    ${numbered('Clerk', `1 + ${h('i * 4', 64, 1000)}`)} AS o_clerk,
    0::INTEGER AS o_shippriority, ${comment('i * 4', 66, 19, 78)} AS o_comment
  FROM (SELECT i, ${orderKey('i')} AS o_orderkey FROM range(1, ${n + 1}) r(i))
  JOIN (SELECT l_orderkey, count(*) AS lines,
               count(*) FILTER (l_linestatus = 'O') AS open,
               sum(l_extendedprice * (1 + l_tax) * (1 - l_discount)) AS price
        FROM (${lineitem}) GROUP BY l_orderkey) ON l_orderkey = o_orderkey
  ORDER BY o_orderkey`

// Statements that make the tables at a scale.
export function tpchTables(scale) {
  const suppliers = Math.round(10000 * scale), parts = Math.round(200000 * scale)
  const buyers = Math.round(150000 * scale), n = Math.round(1500000 * scale)
  const lines = lineitem(n, parts, suppliers)
  return { region, nation, supplier: supplier(suppliers),
    customer: customer(buyers), part: part(parts),
    partsupp: partsupp(parts, suppliers), orders: orders(n, buyers, lines),
    lineitem: lines }
}

// --- indexes of the native tables ----------------------------------------------

// Primary and foreign keys, and the dates that queries ask for.
const indexed = ['region(r_regionkey)', 'nation(n_nationkey)',
  'nation(n_regionkey)', 'supplier(s_suppkey)', 'supplier(s_nationkey)',
  'customer(c_custkey)', 'customer(c_nationkey)', 'part(p_partkey)',
  'partsupp(ps_partkey, ps_suppkey)', 'partsupp(ps_suppkey)',
  'orders(o_orderkey)', 'orders(o_custkey)', 'orders(o_orderdate)',
  'lineitem(l_orderkey)', 'lineitem(l_partkey, l_suppkey)',
  'lineitem(l_suppkey)', 'lineitem(l_shipdate)']
export const tpchIndexes = indexed.map((columns, k) =>
  `CREATE INDEX index_${k} ON ${columns}`).join('; ')

// random_variant.mjs - random VARIANTs for random_duckdb.mjs: one kind of value
// in every row, or several; and what DuckDB is to shred them as, where it is not
// left to decide that.
//
// A kind is { type, of(h) } as there.  DuckDB writes no intervals, bits or
// integers beyond 64 bits into a VARIANT; its JSON has no text for bytes, NaN or
// infinities.
const scalars = {
  BOOLEAN: () => h => `${h} % 2 = 0`,
  TINYINT: () => h => `${h} % 128`,
  INTEGER: () => h => `(${h} % 4000000000)::BIGINT - 2000000000`,
  BIGINT: r => r.pick([h => `${h} % 1000`,
    h => `(${h} >> 1)::BIGINT - 4611686018427387904`]),
  FLOAT: () => h => `(${h} % 1000)::FLOAT / 8`,
  DOUBLE: () => h => `(${h} % 100000)::DOUBLE / 7`,
  'DECIMAL(4,1)': () => h => `(${h} % 2000)::DECIMAL(9,0) / 10 - 100`,
  'DECIMAL(18,3)': () => h => `(${h} % 1000000007)::DECIMAL(18,0) / 1000`,
  'DECIMAL(38,10)': () => h => `(${h} % 1000000007)::DECIMAL(28,0) / 1000`,
  VARCHAR: r => r.pick([h => `'w' || ${h} % 50`, h => `md5(${h}::VARCHAR)`,
    h => `(['', '日本', 'it''s', '"x"', '2024-01-01', '7'])[1 +
      (${h} % 6)::BIGINT]`]),
  DATE: () => h => `DATE '1970-01-01' + (${h} % 40000)::INTEGER`,
  TIME: () => h => `make_timestamp((${h} % 86400000000)::BIGINT)::TIME`,
  TIMESTAMP: () => h => `make_timestamp((${h} % 4000000000000000)::BIGINT)`,
  TIMESTAMPTZ: () => h => `make_timestamp((${h} % 4000000000000)::BIGINT)`,
  TIMESTAMP_NS: () => h => `make_timestamp_ns((${h} >> 2)::BIGINT)`,
  UUID: () => h => `md5(${h}::VARCHAR)::UUID`
}

let variables = 0

function some(r, depth) {
  if (depth > 0 && r.chance(0.4)) return struct(r, depth)
  if (depth > 0 && r.chance(0.3)) return list(r, depth)
  const type = r.pick([...Object.keys(scalars), 'BIGINT', 'VARCHAR', 'DOUBLE'])
  const any = scalars[type](r)
  return { type, of: h => `(${any(h)})::${type}` }
}

// With nulls in it: none, some, or all.
function holed(r, kind) {
  const percent = r.pick([0, 0, 10, 60, 100])
  return h => `(CASE WHEN hash(${h}, 4) % 100 < ${percent} THEN NULL
    ELSE ${kind.of(h)} END)`
}

function struct(r, depth) {
  const names = ['a', 'b', 'c d', 'ü', 'value', 'x.y']
    .filter((_, i) => i === 0 || r.chance(0.4))
  const fields = names.map(name => {
    const kind = some(r, depth - 1)
    return { name: `"${name}"`, type: kind.type, of: holed(r, kind) }
  })
  return { type: `STRUCT(${fields.map(f => `${f.name} ${f.type}`).join(', ')})`,
    of: h => `struct_pack(${fields.map((f, i) =>
      `${f.name} := ${f.of(`hash(${h}, ${i + 20})`)}`).join(', ')})` }
}

function list(r, depth) {
  const kind = some(r, depth - 1), of = holed(r, kind), size = r.pick([2, 5])
  return { type: `${kind.type}[]`, of: h => {
    const j = `v${variables++}`
    return `(list_transform(range((${h} % ${size})::BIGINT), lambda ${j}:
      ${of(`hash(${h}, ${j})`)}))::${kind.type}[]`
  } }
}

export function variant(r) {
  const kinds = Array.from({ length: r.pick([1, 1, 2, 3, 5]) },
                           () => some(r, 3))
  return {
    type: 'VARIANT', shown: 'JSON', variant: true,
    shredding: r.chance(0.5) ? r.pick([...kinds, some(r, 2)]).type : undefined,
    of: h => `(CASE hash(${h}, 6) % ${kinds.length} ${kinds.map((k, i) =>
      `WHEN ${i} THEN (${k.of(h)})::VARIANT`).join(' ')} END)`
  }
}

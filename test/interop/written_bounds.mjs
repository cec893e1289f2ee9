// written_bounds.mjs - the least and the greatest of values, and whether the
// bounds in a file are exactly these: in the order of the type, in full or cut.

const before = (a, b) => a instanceof Uint8Array ? Buffer.compare(a, b) < 0 : a < b

// { min, max }, or null if no value has an order.  With a NaN there are no
// bounds: for some readers it is greater than all other values.
export function leastAndMost(type, values) {
  if (type.order === 'none') return null
  let min, max
  if (type.order === 'float' && values.some(v => Number.isNaN(v.rank))) return null
  for (const v of values) {
    if (!min || before(v.rank, min.rank)) min = v
    if (!max || before(max.rank, v.rank)) max = v
  }
  return min ? { min, max } : null
}

// The bytes of a bound, as a value that compares.
function rankOf(type, bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  switch (type.order) {
    case 'bytes': return Buffer.from(bytes)
    case 'float':
      return type.physical === 'DOUBLE' ? view.getFloat64(0, true)
        : type.physical === 'FLOAT' ? view.getFloat32(0, true) : half(view)
  }
  const order = type.physical === 'FIXED_LEN_BYTE_ARRAY' ? [...bytes]
    : [...bytes].reverse()
  const v = order.reduce((n, b) => n << 8n | BigInt(b), 0n)
  return type.converted?.startsWith('UINT_') ? v : BigInt.asIntN(8 * bytes.length, v)
}

function half(view) {
  const bits = view.getUint16(0, true), e = bits >> 10 & 31, f = bits & 1023
  const a = e === 31 ? f ? NaN : Infinity
    : e ? (1024 + f) * 2 ** (e - 25) : f * 2 ** -24
  return bits >> 15 ? -a : a
}

// A zero stands for both, so a least one is -0 and a greatest one +0.
function zero(type, isMin) {
  const b = Buffer.alloc(type.physical === 'DOUBLE' ? 8
    : type.physical === 'FLOAT' ? 4 : 2)
  if (isMin) b[b.length - 1] = 0x80
  return b
}

// flags say whether bounds are exact, where the format has such flags.
export function checkBounds({ type, ends, values, limit, min, max, flags, expect }) {
  if (!ends) {
    expect(min === undefined && max === undefined, 'bounds of what has none')
    return
  }
  const sides = [['min', min, ends.min, true], ['max', max, ends.max, false]]
  sides.forEach(([name, found, value, isMin], i) => {
    const exact = flags?.[i]
    const hex = found && Buffer.from(found).toString('hex')
    const full = type.order === 'float' && value.rank === 0
      ? zero(type, isMin) : value.plain
    if (type.order !== 'bytes' || full.length <= limit) {
      expect(found && full.equals(found), name, hex, 'not', full.toString('hex'))
      if (flags) {
        const there = values.some(v => v.plain.equals(full))
        expect(exact === there, `${name} is exact:`, String(exact))
      }
      return
    }
    if (!found && !isMin && full.subarray(0, limit).every(b => b === 255)) return
    expect(found?.length > 0 && found.length <= limit, name, 'of', String(found?.length),
      'bytes')
    if (!found) return
    expect(isMin ? full.subarray(0, found.length).equals(found)
      : Buffer.compare(found, full) > 0, name, 'cut to', hex)
    if (flags) expect(exact !== true, name, 'is cut and called exact')
  })
}

// boundary_order: 1 ascending, 2 descending, 0 neither.
export function checkOrder({ type, full, mins, maxs, said, expect }) {
  const at = full.flatMap((f, i) => f ? [i] : [])
  const rising = (list, up) => at.every((k, i) => {
    if (!i) return true
    const a = rankOf(type, list[at[i - 1]]), b = rankOf(type, list[k])
    return up ? !before(b, a) : !before(a, b)
  })
  const up = rising(mins, true) && rising(maxs, true)
  const down = rising(mins, false) && rising(maxs, false)
  expect(said === 1 ? up : said === 2 ? down : !up && !down, 'boundary order', said)
}

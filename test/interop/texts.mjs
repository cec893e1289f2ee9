// texts.mjs - a Parquet value as SQLite should show it, by what sql/values.md
// promises, and independently of the C code.
//
// A foreign reader hands over typed values (tagged arrays, because they cross a
// pipe as JSON).  agree.mjs compares them with what SQLite returned.
//
//   null                      ['bool', true]         ['int', '-5']
//   ['real', '0.1']           ['float', '0.1']       ['dec', '-123', 2]
//   ['text', s]               ['json', s]            ['blob', 'ff00']
//   ['bytes', b]: text that may not be UTF-8
//   ['at', ticks, ticks per second]: a timestamp
//   ['list', [v, …]]          ['struct', [[name, v], …]]
//   ['map', [[key, v], …]]    ['variant', any JSON]
//   ['nothing']               no Variant, or one that holds null

export const DAY = 86400n

const floorDiv = (a, b) => a >= 0n || a % b === 0n ? a / b : a / b - 1n
const pad = (n, width) => String(n).padStart(width, '0')

// Days since 1970 in the proleptic Gregorian calendar.  Years are counted from
// March, so that the day that leap years add is the last one.
export function dateText(days) {
  const z = BigInt(days) + 719468n
  const era = floorDiv(z, 146097n)
  const dayOfEra = z - era * 146097n
  const yearOfEra = (dayOfEra - dayOfEra / 1460n + dayOfEra / 36524n -
    dayOfEra / 146096n) / 365n
  const dayOfYear = dayOfEra - (365n * yearOfEra + yearOfEra / 4n -
    yearOfEra / 100n)
  const monthFromMarch = (5n * dayOfYear + 2n) / 153n
  const day = dayOfYear - (153n * monthFromMarch + 2n) / 5n + 1n
  const month = monthFromMarch < 10n ? monthFromMarch + 3n : monthFromMarch - 9n
  const year = yearOfEra + era * 400n + (month <= 2n ? 1n : 0n)
  const sign = year < 0n ? '-' : year > 9999n ? '+' : ''
  return `${sign}${pad(year < 0n ? -year : year, 4)}-${pad(month, 2)}-` +
    pad(day, 2)
}

// The fewest of 0, 3, 6 or 9 digits that are exact.
function fraction(nanos) {
  if (nanos === 0n) return ''
  let digits = pad(nanos, 9)
  while (digits.endsWith('000')) digits = digits.slice(0, -3)
  return '.' + digits
}

function clock(nanosOfDay) {
  const s = nanosOfDay / 1000000000n
  return `${pad(s / 3600n, 2)}:${pad(s / 60n % 60n, 2)}:${pad(s % 60n, 2)}` +
    fraction(nanosOfDay % 1000000000n)
}

// A time outside the day is the digits of the number that is stored.
export function time(stored, perSecond) {
  const nanos = BigInt(stored) * (1000000000n / perSecond)
  return nanos < 0n || nanos >= DAY * 1000000000n
    ? ['text', String(stored)] : ['text', clock(nanos)]
}

export function timestampText(ticks, perSecond) {
  const nanos = BigInt(ticks) * (1000000000n / BigInt(perSecond))
  const days = floorDiv(nanos, DAY * 1000000000n)
  return dateText(days) + ' ' + clock(nanos - days * DAY * 1000000000n)
}

export function intervalText(months, days, millis) {
  let text = 'P' + (months ? `${months}M` : '') + (days ? `${days}D` : '')
  if (millis) {
    text += `T${Math.floor(millis / 1000)}` +
      (millis % 1000 ? '.' + pad(millis % 1000, 3) : '') + 'S'
  }
  return text === 'P' ? 'PT0S' : text
}

export function decimalText(unscaled, scale) {
  const v = BigInt(unscaled)
  const digits = String(v < 0n ? -v : v)
  const sign = v < 0n ? '-' : ''
  if (scale <= 0) return sign + (v === 0n ? '0' : digits + '0'.repeat(-scale))
  const all = digits.padStart(scale + 1, '0')
  return `${sign}${all.slice(0, -scale)}.${all.slice(-scale)}`
}

export const number = x => Object.is(x, -0) ? '-0' : String(x)
export const hex = b => Buffer.from(b).toString('hex')
const replacing = new TextDecoder('utf-8', { ignoreBOM: true })
const strict = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })
export const utf8 = b => replacing.decode(b)

export function isUtf8(b) {
  try {
    strict.decode(b)
    return true
  } catch {
    return false
  }
}

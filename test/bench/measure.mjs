// measure.mjs - sides in turn, medians, and lines of a table.
//
// With AGAINST, an earlier library, every statement of ours that is measured is
// also run by that library (peers.mjs), in turn.  Nothing else is measured then,
// and a line shows the processor time of now over that of before: of the least of
// each.  The end lists the lines above 1.05.
export const against = process.env.AGAINST
export const repeat = Number(process.env.REPEAT ?? 5)
export const limit = Number(process.env.LIMIT ?? 60)

const median = list => list.sort((a, b) => a - b)[list.length >> 1]

// What the statements of a side took with this library and with the earlier one,
// while a side is measured.
export let turn

// The ratios of the sides since the last line.
let ratios = []
const slower = []

function addRatio(turns) {
  const least = what => Math.min(...turns.map(each => each[what]))
  if (turns.length && least('before') > 0) ratios.push(least('now') / least('before'))
}

// Runs all of them in turn; of each the medians of wall, cpu and main.  One that
// was stopped is not run again, and its times are NaN.  One that has been
// measured once and used so many seconds in all is not run again either.
export async function measure(sides, rounds = repeat, patience = Infinity) {
  const answers = sides.map(() => [])
  const stopped = sides.map(() => false)
  const spent = sides.map(() => 0)
  const turns = sides.map(() => [])
  for (let k = 0; k <= rounds; k++) {
    for (const [i, side] of sides.entries()) {
      if (stopped[i] || (k > 1 && spent[i] > patience)) continue
      turn = against && { now: 0, before: 0 }
      const answer = await side()
      if (turn && k > 0) turns[i].push(turn)
      turn = undefined
      stopped[i] = answer.stopped ?? false
      spent[i] += answer.cpu / 1e6
      if (k > 0) answers[i].push(answer)
    }
  }
  turns.forEach(addRatio)
  const of = (list, what) => median(list.map(answer => answer[what]))
  return answers.map((list, i) => stopped[i]
    ? { wall: NaN, cpu: NaN, main: NaN }
    : { wall: of(list, 'wall'), cpu: of(list, 'cpu'), main: of(list, 'main') })
}

export const medians = async (what, sides) =>
  (await measure(sides)).map(times => times[what])

export const digits = x => x === undefined || Number.isNaN(x) ? '' :
  x < 0.1 ? x.toFixed(3) : x < 10 ? x.toFixed(2) : x.toFixed(1)
export const milliseconds = us => Number.isNaN(us) ? `> ${limit} s`
  : us >= 1e5 ? `${(us / 1e3).toFixed(0)} ms` : `${(us / 1e3).toFixed(1)} ms`

export function line(name, cells) {
  if (against) {
    cells = ratios.map(digits)
    if (ratios.some(ratio => ratio > 1.05)) slower.push(`${name}: ${cells.join(' ')}`)
    ratios = []
    if (cells.length === 0) return
  }
  console.log(name.padEnd(46) + cells.map(c => String(c).padStart(11)).join(''))
}

export function title(text, heads = []) {
  if (against) heads = ['now / before']
  console.log('\n' + text.padEnd(46) +
              heads.map(head => head.padStart(11)).join(''))
  console.log('-'.repeat(46 + 11 * heads.length))
}

export const verdict = (ratio, target) =>
  target === undefined ? '' : ratio <= target ? 'yes' : 'NO'

// What the lines come to.
export function conclusion() {
  if (!against) return
  console.log(`\nslower than 1.05 of before: ${slower.length || 'none'}`)
  for (const each of slower) console.log(`  ${each}`)
}

export async function pair(name, ours, theirs, target, what = 'cpu') {
  const [a, b] = await medians(what, [ours, theirs])
  line(name, [milliseconds(a), milliseconds(b), digits(a / b), target ?? '',
              verdict(a / b, target)])
}

// measure.mjs - sides in turn, medians, and lines of a table.
export const repeat = Number(process.env.REPEAT ?? 5)
export const limit = Number(process.env.LIMIT ?? 60)

const median = list => list.sort((a, b) => a - b)[list.length >> 1]

// Runs all of them in turn; of each the medians of wall, cpu and main.  One that
// was stopped is not run again, and its times are NaN.  One that has been
// measured once and used so many seconds in all is not run again either.
export async function measure(sides, rounds = repeat, patience = Infinity) {
  const answers = sides.map(() => [])
  const stopped = sides.map(() => false)
  const spent = sides.map(() => 0)
  for (let k = 0; k <= rounds; k++) {
    for (const [i, side] of sides.entries()) {
      if (stopped[i] || (k > 1 && spent[i] > patience)) continue
      const answer = await side()
      stopped[i] = answer.stopped ?? false
      spent[i] += answer.cpu / 1e6
      if (k > 0) answers[i].push(answer)
    }
  }
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
  console.log(name.padEnd(46) + cells.map(c => String(c).padStart(11)).join(''))
}

export function title(text, heads = []) {
  console.log()
  line(text, heads)
  console.log('-'.repeat(46 + 11 * heads.length))
}

export const verdict = (ratio, target) =>
  target === undefined ? '' : ratio <= target ? 'yes' : 'NO'

export async function pair(name, ours, theirs, target, what = 'cpu') {
  const [a, b] = await medians(what, [ours, theirs])
  line(name, [milliseconds(a), milliseconds(b), digits(a / b), target ?? '',
              verdict(a / b, target)])
}

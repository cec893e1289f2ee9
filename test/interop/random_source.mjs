// random_source.mjs - the same choices for the same seed, on every machine.

export class Source {
  constructor(seed) {
    this.state = Math.imul(seed, 0x9e3779b1) ^ 0x2545f491
    for (let i = 0; i < 4; i++) this.real()
  }

  real() {
    this.state = this.state + 0x6d2b79f5 | 0
    let t = Math.imul(this.state ^ this.state >>> 15, 1 | this.state)
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t
    return ((t ^ t >>> 14) >>> 0) / 4294967296
  }

  below(n) {
    return Math.floor(this.real() * n)
  }

  between(low, high) {
    return low + this.below(high - low + 1)
  }

  chance(p) {
    return this.real() < p
  }

  pick(list) {
    return list[this.below(list.length)]
  }

  bits(n) {                               // 0 <= BigInt < 2^n
    let v = 0n
    for (let i = 0; i < n; i += 16) v = v << 16n | BigInt(this.below(65536))
    return BigInt.asUintN(n, v)
  }

  // How many rows: mostly where blocks of values, levels and pages end.
  rows() {
    return this.chance(0.02) ? 100000
      : this.pick([0, 1, 2, 7, 8, 9, 63, 64, 65, 127, 129, 500, 1000, 1000,
        2047, 2048, 2049, 3000, 5000])
  }
}

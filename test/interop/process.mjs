// process.mjs - a reader in its own process, which is started again when it dies.
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { SECONDS } from './patience.mjs'

const here = dirname(fileURLToPath(import.meta.url))

export class Reader {
  constructor(name) {
    this.name = name
  }

  start() {
    this.child = spawn(process.execPath, [join(here, 'readers.mjs'), this.name],
      { stdio: ['pipe', 'pipe', 'ignore'] })
    this.child.stdin.on('error', () => {})
    this.lines = createInterface({ input: this.child.stdout })
      [Symbol.asyncIterator]()
  }

  async read(request) {
    if (!this.child) this.start()
    const child = this.child
    let late = false
    const timer = setTimeout(() => {
      late = true
      child.kill('SIGKILL')
    }, SECONDS * 1000)
    child.stdin.write(JSON.stringify(request) + '\n')
    const { value, done } = await this.lines.next()
    clearTimeout(timer)
    if (!done) return JSON.parse(value)
    this.child = undefined
    return { error: late ? `no answer in ${SECONDS} s`
      : `crash (${child.signalCode ?? child.exitCode})`, crash: true }
  }

  stop() {
    this.child?.kill()
  }
}

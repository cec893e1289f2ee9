// written_process.mjs - a process that takes requests in lines of JSON.  It is
// started again when it dies, so a reader that crashes fails its own cells
// only.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { SECONDS } from './patience.mjs'

export class Process {
  constructor(script, ...args) {
    this.command = [fileURLToPath(new URL(script, import.meta.url)), ...args]
  }

  // Its answer; { died } when there is none.
  async ask(request) {
    if (!this.child) this.start()
    const child = this.child
    const timer = setTimeout(() => child.kill('SIGKILL'), SECONDS * 1000)
    child.stdin.write(JSON.stringify(request) + '\n')
    const { value, done } = await this.lines.next()
    clearTimeout(timer)
    if (!done) return JSON.parse(value)
    this.child = undefined
    return { died: `crash (${child.signalCode ?? child.exitCode})` }
  }

  start() {
    this.child = spawn(process.execPath, this.command,
      { stdio: ['pipe', 'pipe', process.env.VERBOSE ? 'inherit' : 'ignore'] })
    this.child.stdin.on('error', () => {})
    this.lines = createInterface({ input: this.child.stdout })
      [Symbol.asyncIterator]()
  }

  stop() {
    this.child?.kill()
  }
}

// What one reader says of the cells of a file.  If a request kills it, each of
// its cells is asked alone.
export async function askCells(reader, file, cells) {
  const answers = await reader.ask({ file, cells })
  if (!answers.died) return answers
  if (cells.length === 1) return [{ error: answers.died }]
  const alone = []
  for (const c of cells) alone.push(...await askCells(reader, file, [c]))
  return alone
}

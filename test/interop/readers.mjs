// readers.mjs NAME - a reader in a process of its own, so that a crash of one
// is its own failure: a JSON request per line in, a JSON answer per line out.
import { createInterface } from 'node:readline'

const { read } = await import(`./${process.argv[2]}_reader.mjs`)

for await (const line of createInterface({ input: process.stdin })) {
  const { file, ...more } = JSON.parse(line)
  let answer
  try {
    answer = await read(file, more)
  } catch (e) {
    answer = { error: String(e?.message ?? e).split('\n')[0] }
  }
  process.stdout.write(JSON.stringify(answer) + '\n')
}

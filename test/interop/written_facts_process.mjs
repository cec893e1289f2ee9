// written_facts_process.mjs - written_facts.mjs in a process of its own: a line
// { file, cells } in, a line of what is wrong out.
import { createInterface } from 'node:readline'
import { facts } from './written_facts.mjs'

for await (const line of createInterface({ input: process.stdin })) {
  const { file, cells } = JSON.parse(line)
  let wrong
  try {
    wrong = facts(file, cells)
  } catch (e) {
    wrong = [e.stack]
  }
  process.stdout.write(JSON.stringify(wrong.slice(0, 200)) + '\n')
}

// Compares recorded responses of two commits: `node scripts/compare-answers.ts BEFORE AFTER`. Both arguments are folders from test runs
// with RECORD_ANSWERS=folder. Prints responses that differ and counts tests that only one folder has. Exit code 1 if any differ.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

interface Recorded {
  readonly test: string
  readonly what: string
  readonly answer: unknown
}

/** Returns the recorded responses by test, in the order of its requests. A test sends its requests one after the other. */
function read(folder: string): Map<string, Recorded[]> {
  const found = new Map<string, Recorded[]>()
  for (const file of readdirSync(folder).sort())
    for (const line of readFileSync(path.join(folder, file), 'utf8').split('\n')) {
      if (line === '') continue
      const recorded = JSON.parse(line) as Recorded
      found.set(recorded.test, [...(found.get(recorded.test) ?? []), recorded])
    }
  return found
}

const [beforeFolder, afterFolder] = process.argv.slice(2)
if (beforeFolder === undefined || afterFolder === undefined) {
  console.error('compare-answers: name two folders, before and after')
  process.exit(2)
}
const before = read(beforeFolder)
const after = read(afterFolder)
let same = 0
let differ = 0
let missing = 0
for (const [test, expected] of before) {
  const actual = after.get(test)
  if (actual === undefined) {
    missing++
    continue
  }
  // Ignores the order of responses, because concurrent requests may be answered in any order.
  const left = new Map<string, number>()
  for (const answer of actual) {
    const text = JSON.stringify([answer.what, answer.answer])
    left.set(text, (left.get(text) ?? 0) + 1)
  }
  for (const answer of expected) {
    const text = JSON.stringify([answer.what, answer.answer])
    const count = left.get(text) ?? 0
    if (count > 0) {
      left.set(text, count - 1)
      same++
      continue
    }
    differ++
    console.log(`\n${test}\n  ${answer.what}\n  - ${JSON.stringify(answer.answer)}`)
    const nearest = actual.find(
      ({ what, answer: other }) => what === answer.what && (left.get(JSON.stringify([what, other])) ?? 0) > 0,
    )
    console.log(`  + ${nearest === undefined ? 'nothing like it' : JSON.stringify(nearest.answer)}`)
  }
}
console.log(
  `\n${String(same)} answers the same, ${String(differ)} differ; ${String(missing)} tests only before, ${String([...after.keys()].filter((test) => !before.has(test)).length)} only after`,
)
process.exitCode = differ === 0 ? 0 : 1

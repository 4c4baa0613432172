// Records every response and output that the tests see, to compare two commits: a refactoring must not change a byte. Off unless
// RECORD_ANSWERS names a folder. `scripts/compare-answers.ts` compares two such folders.
import { appendFileSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'

const folder = process.env['RECORD_ANSWERS']

/** Maximum number of recorded responses per test, because fuzz tests cause thousands. */
const mostOfOneTest = 400

const counts = new Map<string, number>()
const names = new Map<string, Map<string, string>>()

/**
 * Patterns of values that differ between runs. Each is replaced by its class and the order of its first appearance in the test.
 */
const volatile: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['time', /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?/g],
  ['date', /\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT|\b(?:2025|2026|2027)-\d\d-\d\d\b/g],
  ['hash', /\b[0-9a-f]{40,128}\b|\b[0-9a-f]{12,39}(?=")/g],
  ['id', /\b(?:key|prv|ses|sub_local)_0[0-9a-z]{14,}|\b01[0-9a-hjkmnp-tv-z]{17,24}\b/g],
  ['hint', /(?<=hint\\*": ?\\*")[\w-]{4}/g],
  ['request', /\b[0-9a-f]{16}-[0-9a-z]+/g],
  ['cpu', /(?<=cpu_ms\\*": ?)[\d.]+/g],
  ['uuid', /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g],
  ['request', /\breq_\w+|(?<=urn:request:)[\w-]+/g],
  ['secret', /\b(?:rk|rc|rck|whsec|sk_test|ratecard)_[A-Za-z0-9_-]{16,}/g],
  [
    'object',
    /\b(?:prod|price|mtr|we|promo|cus|sub|si|in|il|ii|cs|cs_test|bps|evt|acct|pm|pi|ch|sub_sched|clock|seti|feat|credgr)_(?:test_)?[A-Za-z0-9]{8,}/g,
  ],
  ['address', /(?:127\.0\.0\.1|localhost|\[::1\]):\d+/g],
  ['folder', /\/tmp\/[\w./-]+/g],
  ['epoch', /\b1[789]\d{8}(?:\d{3})?\b/g],
  ['took', /\b\d+(?:\.\d+)? ?(?:ms|s)\b/g],
]

/** Replaces values that differ between runs by their class and their order of first appearance in the running test. */
function settle(test: string, text: string): string {
  const known = names.get(test) ?? new Map<string, string>()
  names.set(test, known)
  let settled = text
  for (const [name, pattern] of volatile)
    settled = settled.replace(pattern, (found) => {
      const named = known.get(found) ?? `<${name}>`
      known.set(found, named)
      return named
    })
  return settled
}

/** Records one response of the service, or one output of the command line, under the name of the running test. */
export function recordAnswer(what: string, answer: unknown): void {
  if (folder === undefined) return
  const { currentTestName, testPath } = expect.getState()
  const test = `${path.relative(process.cwd(), testPath ?? 'none')} > ${currentTestName ?? 'set-up'}`
  const count = (counts.get(test) ?? 0) + 1
  counts.set(test, count)
  if (count > mostOfOneTest) return
  mkdirSync(folder, { recursive: true })
  const line = settle(test, JSON.stringify({ test, what, answer }))
  appendFileSync(path.join(folder, `${path.basename(testPath ?? 'none')}.jsonl`), `${line}\n`)
}

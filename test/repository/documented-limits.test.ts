// Limits that guides state in prose equal those of the code.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { languages } from '../../packages/pricing-table/src/words.ts'
import { previewMinutes, refusedCodesPerHour, sessionSeconds } from '../../packages/ratecard/src/api/server/limits.ts'
import { defaultLimits, durationText } from '../../packages/ratecard/src/workers/runtime/worker-runtime.ts'

const page = (name: string) => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8')
const guide = (name: string) => page(`guides/${name}`)

/** Returns the second cell of the table row whose first cell is `first`. */
function valueOf(text: string, first: string): string | undefined {
  const rows = text.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  return rows.find((cells) => cells[1] === first)?.[2]
}

test.each([
  ['CPU time of a request or run', `\`[limits] cpu_ms\`, default ${String(defaultLimits.cpuMs / 1000)} s`],
  ['Memory of the process', `${String(defaultLimits.memoryMb)} MB`],
  ['JavaScript heap', `${String(defaultLimits.heapMb)} MB`],
  ['Wall time until the response begins', `${String(defaultLimits.responseMs / 1000)} s`],
  ['Requests in progress at one time', defaultLimits.concurrent.toLocaleString('en')],
  ['Wall time of a scheduled run', durationText(defaultLimits.scheduledMs)],
])('the reference of workers contains the actual limit "%s"', (first, value) => {
  expect(valueOf(page('reference/workers'), first)).toBe(value)
})

test('the reference of workers contains the actual limit of scheduled runs', () => {
  expect(valueOf(page('reference/workers'), '`timed_out`')).toBe(
    `it took longer than ${durationText(defaultLimits.scheduledMs)}`,
  )
})

test('the guides state how long a preview holds, how many refused codes a session has, and how long a session lasts', () => {
  expect(guide('changing-a-plan')).toContain(`A preview is valid for ${previewMinutes} minutes.`)
  const number = { 10: 'ten' }[refusedCodesPerHour as number] ?? String(refusedCodesPerHour)
  expect(guide('tenants-and-checkout')).toContain(`After ${number} refused codes within an hour`)
  expect(guide('tenants-and-checkout')).toContain(`${sessionSeconds / 3600} hours`)
})

test('the guide to the pricing table lists all languages of the pricing table', () => {
  const names = new Intl.DisplayNames('en', { type: 'language' })
  const list = new Intl.ListFormat('en-GB').format(languages.map((language) => String(names.of(language))))
  expect(guide('pricing-table')).toContain(`: ${list};`)
})

test.each([
  [15 * 60_000, '15 minutes'],
  [60_000, '1 minute'],
  [30_000, '30 seconds'],
  [400, '400 ms'],
])('the function durationText() returns for %i ms "%s"', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})

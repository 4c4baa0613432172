import { expect, test } from 'vitest'
import { sandboxForTest } from '../support/sandbox.ts'

test('the clock of a sandbox account returns to its earlier time when a snapshot is restored, and to the system time after a reset', async () => {
  const { control, apiKey } = await sandboxForTest()
  const start = control.now(apiKey)
  control.advance(100, apiKey)
  control.snapshot('later', apiKey)
  control.advance(100, apiKey)
  expect(control.now(apiKey)).toBe(start + 200)
  control.restore('later')
  expect(control.now(apiKey)).toBe(start + 100)
  control.reset(apiKey)
  expect(control.now(apiKey)).toBe(start)
})

// What may be read while few reads of the month are left.
import { expect, onTestFinished, test } from 'vitest'
import { createReadAllocation } from '../../../../packages/ratecard/src/customers/mirror/feed/read-allocation.ts'
import { startTestApp } from '../../../support/app.ts'

test('background reads, such as those of comparing usage, stop once half of the month’s read allocation is used', async () => {
  const app = await startTestApp()
  onTestFinished(() => app.close())
  const { mirror } = app.store
  const clock = { now: () => Date.UTC(2031, 3, 15) }
  const hasSpare = (limited: boolean) =>
    createReadAllocation({ store: mirror, clock, pollMs: 60_000, limited }).hasSpare()
  const today = clock.now() / 86_400_000
  await mirror.addReads(today, 5_000)
  expect(await hasSpare(true)).toBe(true)
  await mirror.addReads(today, 1)
  expect(await hasSpare(true)).toBe(false)
  // A sandbox has no limit.
  expect(await hasSpare(false)).toBe(true)
})

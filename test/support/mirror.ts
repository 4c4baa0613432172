import { expect } from 'vitest'
import { admin, type TestApp } from './app.ts'

/** Settings of a mirror that polls as fast as it is woken. A failure of the feed fails the test. */
export const mirrorSettings = {
  pollSeconds: 0,
  eventsSecret: 'whsec_of_the_tests',
  deliverTo: null,
  limitedReads: false,
  report: (error: unknown, what: string) => {
    throw new Error(what, { cause: error })
  },
} as const

/** Waits until the mirror shows everything that has happened at the processor by now, in the time of the service. */
export async function mirrored(test: TestApp, now = Date.now()): Promise<void> {
  for (;;) {
    test.service.feed?.feeder.wake()
    const response = await test.asAdmin({ url: `${admin}/money` })
    if (response.statusCode === 200 && Date.parse(response.json<{ as_of: string }>().as_of) >= now) return
    expect([200, 503]).toContain(response.statusCode)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

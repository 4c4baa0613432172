import { expect } from 'vitest'
import type { Outcome } from './outcomes.ts'

/** Checks that a job does what the table states: it works, or it fails with the message of the difference. */
export async function holds(outcome: Outcome, job: () => Promise<unknown>): Promise<void> {
  if (outcome === 'works') await job()
  else await expect(job()).rejects.toThrow(outcome.error)
}

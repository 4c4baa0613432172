// Whether a job waits for a date, and whether that has come. Pure. A job that stopped for any other reason never waits: it is
// for somebody to look at.
import type { JobRecord, JobStepRecord } from '../store/tenant-store.ts'

/** Epoch milliseconds from which on the job can go on; null when it does not wait for a time. */
export function jobWaitsUntil({ state, error }: Pick<JobRecord, 'state' | 'error'>): number | null {
  return state === 'interrupted' ? timeIn(error, 'resume_after') : null
}

/** The jobs that waited long enough, in the order given. */
export function dueJobs(jobs: readonly JobRecord[], now: number): readonly JobRecord[] {
  return jobs.filter((job) => (jobWaitsUntil(job) ?? Infinity) <= now)
}

/** Epoch milliseconds before which the step has nothing to do; null when it does not wait. */
export function stepWaitsUntil({ state, result }: Pick<JobStepRecord, 'state' | 'result'>): number | null {
  return state === 'pending' ? timeIn(result, 'waits_until') : null
}

function timeIn(json: string | null, member: string): number | null {
  if (json === null) return null
  const value = (JSON.parse(json) as Readonly<Record<string, unknown>>)[member]
  const time = typeof value === 'string' ? Date.parse(value) : NaN
  return Number.isFinite(time) ? time : null
}

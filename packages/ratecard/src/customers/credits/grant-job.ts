// Runs the job of a credit: executes its steps and writes the audit trail. After a failure the job waits. A credit that a customer has paid
// for is owed, so its job is retried until it is done or cancelled.
import { ServiceError } from '../../base/errors/service-error.ts'
import { failureText, stopIfDraining } from '../../acts/journal/run-steps.ts'
import { actRow } from '../tenants/audit.ts'
import type { TenantLease } from '../../acts/lease.ts'
import type { CreditDeps } from './deps.ts'
import { carryOutGrant } from './grant-step.ts'
import type { JobRecord } from '../../store/records/journal.ts'

/** Input of a job, as users see it. */
export interface CreditInput {
  readonly tenant_id: string | null
  readonly customer: string
  /** Processor id of the invoice or checkout session that was paid; absent for a credit that was not paid for. */
  readonly paid_by?: string
  readonly reason?: string
}

const firstRetryMs = 60_000
const longestRetryMs = 6 * 60 * 60_000

/**
 * Executes the open steps of a job, and ends the job when all are done. After a failure the job waits for its next attempt, and the error
 * is thrown. `held` is the lease of the job.
 */
export async function runGrantJob(deps: CreditDeps, job: JobRecord, lease: TenantLease): Promise<void> {
  const { jobs } = deps.store
  const open = (await jobs.steps(job.id)).filter(({ state }) => state !== 'succeeded' && state !== 'skipped')
  for (const step of open) {
    stopIfDraining(deps)
    lease.signal.throwIfAborted()
    try {
      await carryOutGrant(deps, step, lease)
    } catch (error) {
      if (error instanceof ServiceError && error.code !== 'shutting_down') {
        const waitMs = error.retryAfter === undefined ? retryDelayMs(step.attempts) : error.retryAfter * 1000
        await jobs.wait(job.id, deps.clock.now() + waitMs, failureText(error) ?? '{}', lease.token)
      }
      throw error
    }
  }
  await concludeGrant(deps, job, lease)
}

/** Returns the delay (ms) before the next attempt. It is one minute after the first attempt, and doubles each time up to 6 hours. */
const retryDelayMs = (attempts: number) => Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(attempts, 20))

/** Writes the audit rows and ends the job. The id of a row contains the job's id, so that a repeated call does not write the row twice. */
async function concludeGrant(deps: CreditDeps, job: JobRecord, lease: TenantLease): Promise<void> {
  const { tenant_id: tenantId, ...input } = JSON.parse(job.input) as CreditInput
  for (const { index, state, result } of await deps.store.jobs.steps(job.id)) {
    if (tenantId === null || state !== 'succeeded') continue
    const made = JSON.parse(result ?? '{}') as Readonly<Record<string, unknown>>
    const entry = { tenantId, action: 'credit_granted', result: { job_id: job.id, ...input, ...made } } as const
    await deps.store.tenants.note(actRow(job, { id: `audit-${job.id}-${String(index)}`, at: deps.clock.now() }, entry))
  }
  await deps.store.jobs.end(job.id, 'done', null, lease.token)
}

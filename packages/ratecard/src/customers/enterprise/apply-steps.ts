import { ServiceError } from '../../base/errors/service-error.ts'
import { attemptStep, failureText, idempotencyKey, stateAfter } from '../../acts/journal/run-steps.ts'
import { askProcessor } from '../../processor/failures.ts'
import { ProcessorError } from '../../processor/processor-error.ts'
import type { SwapDeps } from '../item-swaps/deps.ts'
import { carryOut, doneRecord, stepRecord, type SwapStep } from '../item-swaps/swap-step.ts'
import type { TenantLease } from '../../acts/lease.ts'

interface JournalledStep {
  readonly jobId: string
  readonly index: number
  readonly step: SwapStep
  readonly held: TenantLease
}

/** Reason why the processor adapter refused a step before sending it. */
export interface StepRefusal {
  readonly reason: string
}

const maxAttempts = 2

/**
 * Executes a step. If the processor replays an earlier failure and the change was not made, the step is sent once more under a new
 * idempotency key. In any other case of an unknown outcome the step stays `unknown` and gets no new key. Otherwise the first attempt could
 * still take effect later, e.g. after the negotiated prices were removed again.
 */
export async function runStep(
  deps: SwapDeps,
  { jobId, index, step, held }: JournalledStep,
): Promise<StepRefusal | null> {
  const { jobs } = deps.store
  for (let sent = 1; ; sent++) {
    const outcome = await attemptStep({
      begin: () => jobs.begin(jobId, index, held.token),
      send: ({ attempts }) => {
        const options = { idempotencyKey: idempotencyKey('job', jobId, index, attempts), signal: held.signal }
        return askProcessor(held.signal, () => carryOut(deps.processor, step, options))
      },
      succeeded: async (done) => {
        const result = JSON.stringify(doneRecord(step, done))
        await jobs.settle(jobId, index, { state: 'succeeded', result, error: null }, held.token)
        return null
      },
      failed: async (error) => {
        const { cause } = error instanceof ServiceError ? error : { cause: undefined }
        // The error does not come from the processor. The step stays `begun`, and the next apply finds its outcome.
        if (!(cause instanceof ProcessorError)) throw error
        if (refusedUnsent(cause)) {
          const result = JSON.stringify({ ...stepRecord(step), reason: cause.message })
          await jobs.settle(jobId, index, { state: 'skipped', result, error: null }, held.token)
          return { reason: cause.message }
        }
        const state = stateAfter(cause)
        await jobs.settle(jobId, index, { state, result: null, error: failureText(error) }, held.token)
        if (state !== 'unknown' || !cause.repeated || sent === maxAttempts || held.signal.aborted) throw error
        return 'once more'
      },
    })
    if (outcome !== 'once more') return outcome
  }
}

/** True if the adapter refused the step before sending it, e.g. because the subscription will be cancelled at a date. */
function refusedUnsent({ kind, original }: ProcessorError): boolean {
  return kind === 'rejected' && Object.keys(original).length === 0
}

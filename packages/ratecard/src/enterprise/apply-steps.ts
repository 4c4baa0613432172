import { ServiceError } from '../errors/service-error.ts'
import { askProcessor } from '../processor/asking.ts'
import { ProcessorError } from '../processor/processor-error.ts'
import { idempotencyKey } from '../swaps/deps.ts'
import type { SwapDeps } from '../swaps/deps.ts'
import { carryOut, doneRecord, stepRecord } from '../swaps/step.ts'
import type { SwapStep } from '../swaps/step.ts'
import type { Held } from '../tenants/lease.ts'

interface Journalled {
  readonly jobId: string
  readonly index: number
  readonly step: SwapStep
  readonly held: Held
}

/** The step cannot be done as the subscription is now, and nothing of it was. */
export interface Refusal {
  readonly reason: string
}

const most = 2

/**
 * Journalled before it is sent and after it is answered. A step whose answer was lost and that is not in place is sent once
 * more under a new key: it says what shall be, not what to add, so that both arriving would be one.
 */
export async function runStep(deps: SwapDeps, { jobId, index, step, held }: Journalled): Promise<Refusal | null> {
  const { jobs } = deps.store
  for (let sent = 1; ; sent++) {
    const { attempts } = await jobs.begin(jobId, index, held.token)
    const options = { idempotencyKey: idempotencyKey(jobId, index, attempts), signal: held.signal }
    try {
      const done = await askProcessor(held.signal, () => carryOut(deps.processor, step, options))
      const result = JSON.stringify(doneRecord(step, done))
      await jobs.settle(jobId, index, { state: 'succeeded', result, error: null }, held.token)
      return null
    } catch (error) {
      const { cause } = error instanceof ServiceError ? error : { cause: undefined }
      // What the journal refused is not an outcome of the step: it stays begun, and is looked at next time.
      if (!(cause instanceof ProcessorError)) throw error
      if (refusedUnsent(cause)) {
        const result = JSON.stringify({ ...stepRecord(step), reason: cause.message })
        await jobs.settle(jobId, index, { state: 'skipped', result, error: null }, held.token)
        return { reason: cause.message }
      }
      const state = cause.outcomeUnknown ? 'unknown' : retryable(cause) ? 'pending' : 'failed'
      await jobs.settle(jobId, index, { state, result: null, error: wordsOf(error) }, held.token)
      if (state !== 'unknown' || sent === most || held.signal.aborted) throw error
    }
  }
}

/** Found impossible before anything was sent, for example because the subscription is cancelled on a date: the processor said nothing. */
function refusedUnsent({ kind, original }: ProcessorError): boolean {
  return kind === 'rejected' && Object.keys(original).length === 0
}

function retryable({ kind }: ProcessorError): boolean {
  return kind === 'rate_limited' || kind === 'unavailable'
}

/** A failure as the journal keeps it. */
export function wordsOf(error: unknown): string | null {
  if (!(error instanceof ServiceError)) return null
  return JSON.stringify({ code: error.code, detail: error.message, processor: error.processor })
}

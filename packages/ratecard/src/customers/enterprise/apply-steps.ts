import { processorErrorOf, runStep, type Act, type ActDeps } from '../../acts/act.ts'
import type { TenantLease } from '../../acts/lease.ts'
import type { CustomerProcessor } from '../../processor/customer-half.ts'
import { ProcessorError } from '../../processor/processor-error.ts'
import { stepRecord, swapAct, type StepDone, type SwapStep } from '../item-swaps/swap-step.ts'

/** Reason why the processor adapter refused a step before sending it. */
interface StepRefusal {
  readonly reason: string
}

/** The act of one step of a deal. A step that the adapter refuses before sending it is skipped. */
const dealAct = (processor: CustomerProcessor): Act<SwapStep, StepDone | StepRefusal> => {
  const act = swapAct(processor)
  return {
    ...act,
    send: (step, options) =>
      act.send(step, options).catch((error: unknown) => {
        if (error instanceof ProcessorError && refusedUnsent(error)) return { reason: error.message }
        throw error
      }),
    result: (step, done) => ('reason' in done ? { ...stepRecord(step), ...done } : act.result(step, done)),
    isSkipped: (done) => 'reason' in done,
  }
}

const maxAttempts = 2

/**
 * Executes a step. Returns the reason if it was skipped, otherwise null. If the processor replays an earlier failure and the change was not
 * made, the step is sent once more under a new idempotency key. In any other case of an unknown outcome the step stays `unknown` and gets no
 * new key. Otherwise the first attempt could still take effect later, e.g. after the negotiated prices were removed again.
 */
export async function applyStep(
  deps: ActDeps & { readonly processor: CustomerProcessor },
  place: { readonly jobId: string; readonly index: number; readonly step: SwapStep },
  lease: TenantLease,
): Promise<string | null> {
  for (let sent = 1; ; sent++)
    try {
      const done = await runStep(deps, dealAct(deps.processor), place, lease)
      return 'reason' in done ? done.reason : null
    } catch (error) {
      const cause = processorErrorOf(error)
      if (cause?.outcomeUnknown !== true || !cause.repeated || sent === maxAttempts || lease.signal.aborted) throw error
    }
}

/** True if the adapter refused the step before sending it, e.g. because the subscription will be cancelled at a date. */
function refusedUnsent({ kind, original }: ProcessorError): boolean {
  return kind === 'rejected' && Object.keys(original).length === 0
}

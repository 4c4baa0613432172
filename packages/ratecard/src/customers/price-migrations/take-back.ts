// Takes back the moves of a migration that wait at the processor: the items keep the prices that they have. What else a schedule contains stays.
import { toRfc3339 } from '../../base/clock.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { carryOut } from '../../acts/act.ts'
import { idempotencyKey } from '../../acts/journal/run-steps.ts'
import { scheduledMovesOf, type ScheduledItem } from '../../acts/jobs/scheduled-moves.ts'
import { startJob, type DoStep } from '../../acts/jobs/run-job.ts'
import { withNamedLease, type TenantLease } from '../../acts/lease.ts'
import { processorId } from '../../catalog/resource.ts'
import { askProcessor } from '../../processor/failures.ts'
import type { ChangeableSubscription, PlannedItem } from '../../processor/subscription-change.ts'
import type { JobRecord } from '../../store/records/journal.ts'
import { changeAct, changeRecord, changeResult, entriesOf, type ChangeStep } from '../item-swaps/change-step.ts'
import { isLive } from '../item-swaps/compatibility.ts'
import type { SwapDeps } from '../item-swaps/deps.ts'
import { leaseOfStep, settleLateSwaps } from '../item-swaps/late-swaps.ts'
import { archivedIn } from '../item-swaps/price-book.ts'
import { comingPrices, doneRecord, stepRecord, swapAct, type SwapStep } from '../item-swaps/swap-step.ts'
import type { Caller } from '../../api/notation/callers.ts'

type Step = Parameters<DoStep>[0]
type Journal = Parameters<DoStep>[1]
type StepResult = Awaited<ReturnType<DoStep>>

/** Starts a job that takes back the scheduled moves of a migration; null if none is scheduled. Resolves when the job is in the journal. */
export async function startTakeBack(deps: SwapDeps, job: JobRecord, caller: Caller): Promise<JobRecord | null> {
  const moves = await scheduledMovesOf(deps.store.jobs, job, deps.clock.now())
  if (moves.length === 0) return null
  await deps.assertAccount('write')
  return startJob(
    deps,
    {
      kind: 'migration',
      subject: job.subject,
      input: { price_id: job.subject, take_back_of: job.id, key_id: caller.by?.keyId ?? null },
      caller,
      steps: moves.map(stepOf),
    },
    takingBack(deps, job.subject),
  )
}

/** As the step of a migration, from the price that the schedule moves to back to the one before. */
function stepOf({ tenantId, customer, subscription, item, quantity, ...move }: ScheduledItem): Step {
  return {
    ...{ tenant_id: tenantId, customer, subscription, item, quantity },
    ...{ from_processor_id: move.toProcessorId, to_processor_id: move.fromProcessorId },
    ...{ effective: 'period_end', effective_at: toRfc3339(move.effectiveAt), skipped: null },
  }
}

export function takingBack(deps: SwapDeps, priceId: string): DoStep {
  return (step, journal) =>
    withNamedLease(deps, leaseOfStep(step), (lease) => takeBack(deps, priceId, step, { journal, lease }))
}

const skippedResult = (reason: string): StepResult => ({ state: 'skipped', result: { reason } })
const textOrNull = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)

async function takeBack(
  deps: SwapDeps,
  priceId: string,
  step: Step,
  { journal, lease }: { readonly journal: Journal; readonly lease: TenantLease },
): Promise<StepResult> {
  const { processor } = deps
  const signal = AbortSignal.any([lease.signal, journal.signal])
  const payer = { tenantId: textOrNull(step['tenant_id']), customer: textOrNull(step['customer']) }
  await settleLateSwaps(deps, payer, { token: lease.token, signal })
  const isArchived = archivedIn(await deps.priceBook())
  return askProcessor(signal, async () => {
    const state = await processor.changeable(String(step['subscription']), signal)
    if (state === null || !isLive(state.subscription)) return skippedResult('The subscription has ended.')
    const { subscription } = state
    const item = subscription.items.find(({ id }) => id === step['item'])
    if (item === undefined) return skippedResult('The subscription no longer has the item.')
    const leaving = processorId(String(step['from_processor_id']))
    const move: SwapStep = {
      ...{ subscription: subscription.id, effective: 'period_end', forGood: true },
      moves: [
        {
          ...{ item: item.id, from: priceId, to: priceId, quantity: item.quantity },
          ...{ fromProcessorId: leaving, toProcessorId: item.price.id },
        },
      ],
      ...(isArchived(item.price.id) ? { reopens: [item.price.id] } : {}),
    }
    const at = Date.parse(String(step['effective_at']))
    const coming = await comingPrices(processor, subscription, signal)
    const next = coming.get(item.price.id) ?? item.price.id
    if (next !== leaving) {
      // An earlier attempt took the move back, but its process crashed or its response was lost.
      if (next === item.price.id) return { state: 'succeeded', result: doneRecord(move, { effectiveAt: at }) }
      return skippedResult(
        state.scheduled?.restores.some(({ price }) => price === leaving) === true
          ? 'A scheduled change has replaced the move. Undoing that change would schedule the move again.'
          : 'The schedule of the subscription does not move the item to that price any more.',
      )
    }
    const options = { idempotencyKey: idempotencyKey('job', journal.jobId, journal.index, journal.attempt), signal }
    const release = releaseOf(state, { leaving, stays: item.price.id })
    if (release === null) {
      await journal.sending(stepRecord(move))
      return { state: 'succeeded', result: doneRecord(move, await carryOut(swapAct(processor), move, options)) }
    }
    const about = doneRecord(move, { effectiveAt: at })
    await journal.sending({ ...about, ...changeRecord(release) })
    const done = await carryOut(changeAct(processor), release, options)
    return { state: 'succeeded', result: { ...about, ...changeResult(release, done) } }
  })
}

/** Returns the release of a schedule that plans nothing but the move; null if it plans more, or cancels the subscription at its end. */
function releaseOf(
  { subscription: { id, schedule }, phases, termEnd, scheduled }: ChangeableSubscription,
  { leaving, stays }: { readonly leaving: PlannedItem['price']; readonly stays: PlannedItem['price'] },
): Extract<ChangeStep, { op: 'release' }> | null {
  if (schedule === null || phases === null || termEnd !== null || scheduled !== null) return null
  const [now = '', ...later] = phases.map(({ items }) =>
    entriesOf(items.map((item) => (item.price === leaving ? { ...item, price: stays } : item))),
  )
  return later.every((entries) => entries === now) ? { op: 'release', subscription: id, schedule } : null
}

/** Throws `job_not_running` for a job that has no moves of its own to take back. */
export function refuseTakeBack({ kind, input }: JobRecord): void {
  const { take_back_of: of } = JSON.parse(input) as { readonly take_back_of?: string }
  if (kind === 'migration' && of === undefined) return
  throw new ServiceError('job_not_running', 'Only the scheduled moves of a migration can be taken back.', {
    hint: of === undefined ? undefined : 'To schedule the moves again, start another migration.',
  })
}

// Executes one line of a migration. First reads the subscription and plans the line again, because since the dry run the customer may have
// bought seats, cancelled, or changed the price.
import { processorId, type MappingEntry, type ProcessorId } from '../../catalog/resource.ts'
import { carryOut } from '../../acts/act.ts'
import { idempotencyKey } from '../../acts/journal/run-steps.ts'
import { askProcessor } from '../../processor/failures.ts'
import type { LiveSubscription } from '../../processor/customer-half.ts'
import type { SwapDeps } from '../item-swaps/deps.ts'
import { leaseOfStep, settleLateSwaps } from '../item-swaps/late-swaps.ts'
import type { DoStep } from '../../acts/jobs/run-job.ts'
import { comingPrices, doneRecord, stepRecord, swapAct, type SwapStep } from '../item-swaps/swap-step.ts'
import { withNamedLease, type TenantLease } from '../../acts/lease.ts'
import { planMoves, replacedPrice } from './plan-moves.ts'
import type { MigrationRequest } from '../../api/customers/price-migrations.ts'

type MoveTarget = Pick<MigrationRequest, 'priceId' | 'to'>
type MoveStep = Parameters<DoStep>[0]
type Journal = Parameters<DoStep>[1]
type StepResult = Awaited<ReturnType<DoStep>>

const textOrNull = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
const skippedResult = (reason: string): StepResult => ({ state: 'skipped', result: { reason } })

export function migrateTo(deps: SwapDeps, asked: MoveTarget): DoStep {
  return (step, journal) => {
    if (typeof step['skipped'] === 'string') return Promise.resolve(skippedResult(step['skipped']))
    return withNamedLease(deps, leaseOfStep(step), (lease) => moveItem(deps, asked, step, { journal, lease }))
  }
}

async function moveItem(
  deps: SwapDeps,
  asked: MoveTarget,
  step: MoveStep,
  { journal, lease }: { readonly journal: Journal; readonly lease: TenantLease },
): Promise<StepResult> {
  const signal = AbortSignal.any([lease.signal, journal.signal])
  const { tenant_id: tenantId, customer } = step
  await settleLateSwaps(
    deps,
    { tenantId: textOrNull(tenantId), customer: textOrNull(customer) },
    { token: lease.token, signal },
  )
  const book = await deps.priceBook()
  const target = processorId(String(step['to_processor_id']))
  // The price may have been renamed since the job was started, but its processor id is still the same. So find its current id by the
  // processor id.
  const priceId = book.idOf(target) ?? asked.priceId
  const replaced = replacedPrice(book, priceId)
  const { current } = replaced
  if (current === null || !(await movesAlong(deps, journal.jobId, book.history(priceId), target)))
    return skippedResult('The price has been replaced again. Start a new migration.')
  return askProcessor(signal, async () => {
    const subscription = await deps.processor.subscription(String(step['subscription']), signal)
    if (subscription === null || hasEnded(subscription)) return skippedResult('The subscription has ended.')
    const item = subscription.items.find(({ id }) => id === step['item'])
    if (item === undefined) return skippedResult('The subscription no longer has the item.')
    const coming = await comingPrices(deps.processor, subscription, signal)
    const planned = planMoves({ subscription, coming }, replaced, asked.to, deps.clock.now()).find(
      (one) => one.item.id === item.id,
    )
    const move: SwapStep = {
      subscription: subscription.id,
      effective: planned?.effective ?? 'now',
      moves: [
        {
          item: item.id,
          from: priceId,
          to: priceId,
          // The former price comes from the new plan, because the item may have moved from one former price to another since the dry run.
          fromProcessorId: planned?.from ?? processorId(String(step['from_processor_id'])),
          toProcessorId: current,
          quantity: item.quantity,
        },
      ],
    }
    const inPlace = planned === undefined ? item.price.id === current : planned.already
    // An earlier attempt made the change, but its process crashed or its response was lost.
    if (inPlace && journal.attempt > 1) return { state: 'succeeded', result: doneRecord(move, { effectiveAt: null }) }
    if (planned === undefined) return skippedResult('The item has been moved to another price.')
    if (planned.skipped !== null) return skippedResult(planned.skipped)
    if (!planned.due) return { state: 'waiting', until: item.currentPeriodEnd }
    await journal.sending(stepRecord(move))
    const key = idempotencyKey('job', journal.jobId, journal.index, journal.attempt)
    const done = await carryOut(swapAct(deps.processor), move, { idempotencyKey: key, signal })
    return { state: 'succeeded', result: doneRecord(move, done) }
  })
}

/**
 * True if the job may continue. Its target must still be the current price. Otherwise, every push that replaced the target must have been
 * approved with the notice that the waiting subscribers of this job move to the newer price.
 */
async function movesAlong(
  { store }: SwapDeps,
  jobId: string,
  history: readonly MappingEntry[],
  target: ProcessorId,
): Promise<boolean> {
  const at = history.findLastIndex((entry) => entry.processorId === target)
  if (at === -1) return false
  for (const { revision } of history.slice(at + 1)) {
    const pushId = (await store.versions.find(revision))?.pushId ?? null
    const push = pushId === null ? null : await store.pushes.find(pushId)
    const { movedAlong = [] } = push === null ? {} : (JSON.parse(push.plan) as { movedAlong?: readonly string[] })
    if (!movedAlong.includes(jobId)) return false
  }
  return true
}

function hasEnded({ status }: LiveSubscription): boolean {
  return status === 'canceled' || status === 'incomplete_expired'
}

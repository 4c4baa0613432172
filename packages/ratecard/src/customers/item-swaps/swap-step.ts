// Changes one subscription as one journalled step. The step makes at most one update or one schedule, under its own idempotency key. If the
// response is lost, the subscription is read to find the outcome.
import type { Act } from '../../acts/act.ts'
import { toRfc3339 } from '../../base/clock.ts'
import { processorId, type ProcessorId } from '../../catalog/resource.ts'
import type { LiveSubscription, CustomerProcessor } from '../../processor/customer-half.ts'
import type { WriteOptions } from '../../processor/processor.ts'
import type { Effective } from './compatibility.ts'

/** A price change of one item. `from` and `to` are configuration ids. */
export interface ItemMove {
  readonly item: string
  readonly from: string
  readonly to: string
  readonly fromProcessorId: ProcessorId
  readonly toProcessorId: ProcessorId
  /** Quantity of the item; null for metered items. */
  readonly quantity: number | null
}

export interface SwapStep {
  readonly subscription: string
  readonly effective: Effective
  readonly moves: readonly ItemMove[]
  /** Archived processor prices among the new prices. They are reactivated only while the step is executed. Absent if there are none. */
  readonly reopens?: readonly ProcessorId[]
  /** True if undoing a scheduled change does not bring the former prices back either. */
  readonly forGood?: true
}

/**
 * Returns the step in the form in which the journal stores it and users see it. It contains each item's previous price, so that an operator
 * can undo the change by hand.
 */
export function stepRecord(step: SwapStep): Readonly<Record<string, unknown>> {
  return {
    subscription: step.subscription,
    effective: step.effective,
    items: step.moves.map((move) => ({
      item: move.item,
      from: move.from,
      to: move.to,
      from_processor_id: move.fromProcessorId,
      to_processor_id: move.toProcessorId,
      quantity: move.quantity,
    })),
    ...(step.reopens === undefined ? {} : { reopens: step.reopens }),
    ...(step.forGood === undefined ? {} : { for_good: true }),
  }
}

/** Parses a step from its journal record. */
export function recordedStep(record: string): SwapStep {
  const {
    subscription,
    effective,
    items,
    reopens,
    for_good: forGood,
  } = JSON.parse(record) as {
    readonly subscription: string
    readonly effective: Effective
    readonly items: readonly {
      readonly item: string
      readonly from: string
      readonly to: string
      readonly from_processor_id: string
      readonly to_processor_id: string
      readonly quantity: number | null
    }[]
    readonly reopens?: readonly string[]
    readonly for_good?: true
  }
  const moves = items.map(({ item, from, to, from_processor_id: before, to_processor_id: after, quantity }) => ({
    ...{ item, from, to, quantity },
    fromProcessorId: processorId(before),
    toProcessorId: processorId(after),
  }))
  const opened = reopens === undefined ? {} : { reopens: reopens.map(processorId) }
  return { subscription, effective, moves, ...opened, ...(forGood === undefined ? {} : { forGood }) }
}

export interface StepDone {
  /** Time of the change (epoch milliseconds). null for `now`, or if the response with the time was lost. */
  readonly effectiveAt: number | null
}

export function doneRecord(step: SwapStep, done: StepDone): Readonly<Record<string, unknown>> {
  return { ...stepRecord(step), effective_at: done.effectiveAt === null ? null : toRfc3339(done.effectiveAt) }
}

/** The act that moves items of one subscription to other prices. */
export const swapAct = (processor: CustomerProcessor): Act<SwapStep, StepDone> => ({
  record: stepRecord,
  read: recordedStep,
  about: ({ subscription }) => `A change of the subscription ${subscription}`,
  // Archived prices are active only while the step is carried out.
  send: (step, options) =>
    whileActive(processor, step.reopens ?? [], options, () => sendMoves(processor, step, options)),
  find: async (step, signal) => ((await isInPlace(processor, step, signal)) ? { effectiveAt: null } : null),
  result: doneRecord,
})

/**
 * Activates archived prices, sends the write that needs them, and archives them again, each under an idempotency key derived from that of
 * the write. So a retry repeats all of them, and a price that a crash left active is archived then.
 */
export async function whileActive<Done>(
  processor: CustomerProcessor,
  archived: readonly ProcessorId[],
  options: WriteOptions,
  send: () => Promise<Done>,
): Promise<Done> {
  const setAll = async (active: boolean) => {
    for (const price of archived) {
      const idempotencyKey = `${options.idempotencyKey}-${active ? 'open' : 'close'}-${price}`
      await processor.setPriceActive(price, active, { ...options, idempotencyKey })
    }
  }
  await setAll(true)
  let done: Done
  try {
    done = await send()
  } catch (error) {
    // Only the change of the items decides if the step succeeded. If archiving a price fails, the next push archives it.
    await setAll(false).catch(() => undefined)
    throw error
  }
  await setAll(false)
  return done
}

async function sendMoves(processor: CustomerProcessor, step: SwapStep, options: WriteOptions): Promise<StepDone> {
  const { subscription, moves } = step
  if (step.effective === 'period_end') {
    const swaps = moves.map(({ fromProcessorId, toProcessorId }) => ({ from: fromProcessorId, to: toProcessorId }))
    return processor.scheduleSwaps({ subscription, swaps, forGood: step.forGood === true }, options)
  }
  const swaps = moves.map(({ item, toProcessorId, quantity }) => ({ item, price: toProcessorId, quantity }))
  await processor.swapItems(subscription, swaps, options)
  return { effectiveAt: null }
}

/** Returns true if every item of the step has its new price, or is scheduled for it. */
async function isInPlace(processor: CustomerProcessor, step: SwapStep, signal: AbortSignal): Promise<boolean> {
  const subscription = await processor.subscription(step.subscription, signal)
  if (subscription === null) return false
  const coming = await comingPrices(processor, subscription, signal)
  return step.moves.every((move) => {
    const item = subscription.items.find((one) => one.id === move.item)
    if (item === undefined) return false
    return step.effective === 'now'
      ? item.price.id === move.toProcessorId
      : (coming.get(item.price.id) ?? item.price.id) === move.toProcessorId
  })
}

/**
 * Returns the prices that the subscription's schedule switches to in the next period, keyed by current price. Empty, without a request, if
 * the subscription has no schedule.
 */
export function comingPrices(
  processor: CustomerProcessor,
  subscription: LiveSubscription,
  signal: AbortSignal,
): Promise<ReadonlyMap<ProcessorId, ProcessorId>> {
  if (subscription.schedule === null) return Promise.resolve(new Map())
  return processor.scheduledPrices(subscription, signal)
}

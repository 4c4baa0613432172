// A journalled write that changes, cancels or pauses one subscription.
import type { Act } from '../../acts/act.ts'
import type { ProcessorId } from '../../catalog/resource.ts'
import { camel, snake } from '../../api/notation/names.ts'
import type {
  Cancellation,
  ChangeableSubscription,
  ItemChange,
  ItemsSchedule,
  ItemsUpdate,
  PlannedItem,
  RequiredPayment,
  ScheduleRestoration,
  SubscriptionProcessor,
  SubscriptionSettings,
} from '../../processor/subscription-change.ts'
import type { LiveSubscription } from '../../processor/customer-half.ts'
import { ProcessorError } from '../../processor/processor-error.ts'
import type { WriteOptions } from '../../processor/write-options.ts'
import { whileActive, type ItemMove } from './swap-step.ts'

/**
 * A write of a change. `reopens`: archived prices among the new ones, which are active only while the step is carried out. `moves`: moves of
 * items under the tenant's deal that the schedule contains, from which the price before the deal is found later.
 */
export type ChangeStep =
  | ({ readonly op: 'update' } & ItemsUpdate)
  | ({
      readonly op: 'schedule'
      readonly reopens?: readonly ProcessorId[]
      readonly moves?: readonly ItemMove[]
    } & ItemsSchedule)
  | ({
      readonly op: 'restore'
      readonly reopens?: readonly ProcessorId[]
      readonly moves?: readonly ItemMove[]
    } & ScheduleRestoration)
  | ({ readonly op: 'settings' } & SubscriptionSettings)
  | { readonly op: 'release'; readonly subscription: string; readonly schedule: string }
  | { readonly op: 'void'; readonly subscription: string; readonly invoice: string }
  | ({ readonly op: 'cancel' } & Cancellation)
  | { readonly op: 'resume'; readonly subscription: string }

export interface ChangeDone {
  /** Payment that the change waits for; null if the change is in effect. */
  readonly payment: RequiredPayment | null
  /** Time at which the processor says that the subscription was cancelled. Absent for a step that cancels nothing. */
  readonly canceledAt?: number | null
}

type Json = Readonly<Record<string, unknown>>

/** Renames the members of all objects in a value with `name`, e.g. from camelCase to the snake_case of the journal. */
function renameMembers(value: unknown, name: (member: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => renameMembers(one, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([member, one]) => [name(member), renameMembers(one, name)]))
}

/** Returns an object as the journal stores it, with its members in snake_case. */
export const journalRecord = (value: object): Json => renameMembers(value, snake) as Json

/** Returns an object of the journal with its members in camelCase; null for null. */
export const fromJournal = (record: Json | null): unknown => renameMembers(record, camel)

/** Returns the step as it is stored in the journal and shown to users. */
export const changeRecord = (step: ChangeStep): Json => journalRecord(step)

/** Parses a step from its journal record. */
export const recordedChange = (record: string): ChangeStep => renameMembers(JSON.parse(record), camel) as ChangeStep

export const changeResult = (step: ChangeStep, done: ChangeDone): Json => ({
  ...changeRecord(step),
  ...(renameMembers(done, snake) as Json),
})

/** Parses the result of a step from its journal record. */
export const recordedResult = (record: string): ChangeDone => renameMembers(JSON.parse(record), camel) as ChangeDone

const inEffect: ChangeDone = { payment: null }

/** Sends the step once; the adapter may retry the request. */
async function sendChange(
  processor: SubscriptionProcessor,
  step: ChangeStep,
  options: WriteOptions,
): Promise<ChangeDone> {
  switch (step.op) {
    case 'update':
      return { payment: (await processor.updateItems(step, options)).payment }
    case 'schedule':
      await whileActive(processor, step.reopens ?? [], options, () => processor.scheduleItems(step, options))
      return inEffect
    case 'restore':
      await whileActive(processor, step.reopens ?? [], options, () => processor.restoreSchedule(step, options))
      return inEffect
    case 'release':
      await processor.releaseSchedule(step, options)
      return inEffect
    case 'void':
      await processor.voidInvoice(step, options)
      return inEffect
    case 'settings':
      return settledChange(step, await processor.changeSettings(step, options))
    case 'cancel':
      await cancel(processor, step, options)
      return inEffect
    case 'resume':
      await processor.resumeSubscription(step.subscription, options)
      return inEffect
  }
}

/**
 * Cancels a subscription. Stripe ignores the idempotency key of this request (DELETE), so that a retry is refused if the first attempt took
 * effect: the subscription has then ended.
 */
async function cancel(processor: SubscriptionProcessor, step: Cancellation, options: WriteOptions): Promise<void> {
  try {
    await processor.cancelSubscription(step, options)
  } catch (error) {
    if (!(error instanceof ProcessorError) || error.outcomeUnknown) throw error
    const found = await processor.subscription(step.subscription, options.signal).catch(() => null)
    if (found?.status !== 'canceled') throw error
  }
}

/** Reads the subscription and returns the result of the step; null if the step did not change the subscription. */
async function findChange(
  processor: SubscriptionProcessor,
  step: ChangeStep,
  signal: AbortSignal,
): Promise<ChangeDone | null> {
  const found = await processor.changeable(step.subscription, signal)
  if (found === null) return null
  if (step.op === 'update' && found.payment !== null) return { payment: found.payment }
  if (!isMade(step, found)) return null
  return step.op === 'settings' ? settledChange(step, found.subscription) : inEffect
}

/** The act that changes, cancels or pauses one subscription. */
export const changeAct = (processor: SubscriptionProcessor): Act<ChangeStep, ChangeDone> => ({
  record: changeRecord,
  read: recordedChange,
  about: ({ subscription }) => `A change of the subscription ${subscription}`,
  send: (step, options) => sendChange(processor, step, options),
  find: (step, signal) => findChange(processor, step, signal),
  result: changeResult,
})

/** A cancellation is told from a later one by the time at which the processor says that it was made. */
const settledChange = ({ cancellation }: SubscriptionSettings, { canceledAt }: LiveSubscription): ChangeDone =>
  cancellation === 'period_end' ? { ...inEffect, canceledAt } : inEffect

/** True if the subscription is as the step leaves it. */
export function isMade(
  step: ChangeStep,
  { subscription, phases, termEnd, payment, discounts }: ChangeableSubscription,
): boolean {
  switch (step.op) {
    case 'update':
      // Items prove the whole update. Without items it only adds a promotion code, which is a discount that was not there before.
      return step.items.length > 0
        ? step.items.every((change) => hasItem(subscription, change))
        : discounts.some((discount) => step.promotion?.beside.includes(discount) !== true)
    case 'schedule': {
      const then = phases?.findLast(({ start }) => start <= step.at)?.items ?? []
      const wanted = step.coming.every(({ price, quantity }) =>
        then.some((item) => item.price === price && item.quantity === quantity),
      )
      const gone = step.leaving.filter((price) => step.coming.every((item) => item.price !== price))
      if (step.cancelsAt !== undefined && step.cancelsAt !== termEnd) return false
      return wanted && gone.every((price) => then.every((item) => item.price !== price))
    }
    case 'restore': {
      const left = step.phases.filter(({ end }) => end !== 'now')
      const found = (phases ?? []).slice(-left.length)
      return (termEnd !== null) === step.cancels && entriesIn(found) === entriesIn(left)
    }
    case 'release':
      return subscription.schedule !== step.schedule
    case 'void':
      return payment?.invoice !== step.invoice
    case 'settings':
      return hasSettings(subscription, step)
    case 'cancel':
      return subscription.status === 'canceled'
    case 'resume':
      return subscription.status !== 'paused'
  }
}

/** Returns prices and quantities as text, so that two lists of items can be compared. */
export const entriesOf = (items: readonly PlannedItem[]) =>
  items
    .map(({ price, quantity }) => `${price}×${String(quantity)}`)
    .sort()
    .join()

const entriesIn = (phases: readonly { readonly items: readonly PlannedItem[] }[]) =>
  phases.map(({ items }) => entriesOf(items)).join(';')

function hasItem({ items }: ChangeableSubscription['subscription'], change: ItemChange): boolean {
  if (change.op === 'remove') return items.every(({ id }) => id !== change.item)
  return items.some(
    ({ id, price, quantity }) =>
      (change.op === 'add' || id === change.item) && price.id === change.price && quantity === change.quantity,
  )
}

function hasSettings(
  { cancelAt, cancelAtPeriodEnd, paused }: ChangeableSubscription['subscription'],
  { cancellation, pause }: SubscriptionSettings,
): boolean {
  const cancelled = cancellation === 'period_end' ? cancelAtPeriodEnd : cancelAt === null && !cancelAtPeriodEnd
  if (cancellation !== undefined && !cancelled) return false
  if (pause === undefined) return true
  if (pause === null || paused === null) return pause === paused
  return pause.behavior === paused.behavior && sameSecond(pause.until, paused.resumesAt)
}

/** The processor keeps whole seconds. */
function sameSecond(a: number | null, b: number | null): boolean {
  return a === null || b === null ? a === b : Math.floor(a / 1000) === Math.floor(b / 1000)
}

/** Returns the step that releases the schedule of a subscription; empty without a schedule. */
export const releaseOf = (subscription: string, schedule: string | null): readonly ChangeStep[] =>
  schedule === null ? [] : [{ op: 'release', subscription, schedule }]

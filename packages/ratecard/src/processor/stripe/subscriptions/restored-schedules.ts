// Puts a released schedule back. The processor keeps a released schedule with its phases and metadata, but cannot attach it again, so a new
// one is made like it.
import { processorId } from '../../../catalog/resource.ts'
import type {
  ReleasedSchedule,
  RestoredPhase,
  ScheduledChange,
  SchedulePhase,
  ScheduleRestoration,
} from '../../subscription-change.ts'
import type { WriteOptions } from '../../processor.ts'
import type { StripeContext } from '../catalog/context.ts'
import { knownWord } from '../connection/reading.ts'
import { itemText, readSchedule, readScheduled, rejectedError, writePlan, type Phases } from './schedules.ts'
import { changeMetadata, withoutChange } from './scheduled-change.ts'
import { priceIn, type Phase, type Schedule, type Segment } from './schedule-timeline.ts'

/** See {@link ReleasedSchedule}; null if the schedule was not released. */
export async function readReleased(
  context: StripeContext,
  id: string,
  signal: AbortSignal,
): Promise<ReleasedSchedule | null> {
  const { released, phases, endBehavior } = await readSchedule(context, id, signal)
  if (released === null) return null
  return {
    subscription: released.subscription,
    phases: phases.filter((phase) => phase.end_date > released.at).map(toSchedulePhase),
    cancels: endBehavior === 'cancel',
  }
}

const toSchedulePhase = ({ start_date: start, end_date: end, items }: Phase): SchedulePhase => ({
  start: start * 1000,
  end: end * 1000,
  items: items.map(({ price, quantity }) => ({ price: processorId(price), quantity: quantity ?? null })),
})

/** See `restoreSchedule` of the port. */
export async function restoreSchedule(
  context: StripeContext,
  { subscription, released: id, phases: wanted, cancels, change }: ScheduleRestoration,
  options: WriteOptions,
): Promise<void> {
  const former = await readSchedule(context, id, options.signal)
  if (former.released?.subscription !== subscription)
    throw rejectedError(`The schedule ${id} was not taken off ${subscription}.`)
  const { present, ...held } = await readScheduled(context, subscription, options.signal)
  if (present !== null && isOther(present, wanted))
    throw rejectedError(`The subscription ${subscription} has another schedule by now.`)
  const begun = wanted.find(({ start }) => start === 'now')
  const proration = knownWord(prorations, phaseOf(former, begun?.of ?? null)?.proration_behavior)
  await writePlan(
    context,
    {
      ...held,
      plan: (made, phases) =>
        isWhole(made, phases, { wanted, cancels }) ? null : segmentsOf(former, phases[0], wanted),
      metadata: change === undefined ? textsOf(former) : { ...withoutChange(textsOf(former)), ...metadataOf(change) },
      cancels,
      ...(begun === undefined || proration === null ? {} : { proration }),
    },
    present,
    options,
  )
}

const metadataOf = (change: ScheduledChange | null) => (change === null ? {} : filledTexts(changeMetadata(change)))

/** A new schedule has nothing that an empty value could delete. */
const filledTexts = (metadata: Record<string, string>) =>
  Object.fromEntries(Object.entries(metadata).filter(([, text]) => text !== ''))

const prorations = ['always_invoice', 'create_prorations', 'none'] as const

type Items = readonly { readonly price: string; readonly quantity?: number | null | undefined }[]

const entriesOf = (phases: readonly { readonly items: Items }[]) =>
  phases
    .map(({ items }) =>
      items
        .map(({ price, quantity }) => itemText(price, quantity))
        .sort()
        .join(),
    )
    .join(';')

/** True if an earlier attempt has written all phases. */
function isWhole(
  { endBehavior }: Schedule,
  remaining: Phases,
  { wanted, cancels }: Pick<ScheduleRestoration, 'cancels'> & { readonly wanted: readonly RestoredPhase[] },
): boolean {
  const left = wanted.filter(({ end }) => end !== 'now')
  return (endBehavior === 'cancel') === cancels && entriesOf(remaining) === entriesOf(left)
}

/** True if the schedule is not one of an earlier attempt: that has the present items alone, or all phases. */
function isOther(schedule: Schedule, wanted: readonly RestoredPhase[]): boolean {
  const { phases, endBehavior } = schedule
  const isNew = phases.length === 1 && endBehavior === 'release'
  return !isNew && !entriesOf(phases).endsWith(entriesOf(wanted.filter(({ end }) => end !== 'now')))
}

const phaseOf = ({ phases }: Schedule, start: number | null) =>
  start === null ? undefined : phases.find((phase) => phase.start_date * 1000 === start)

function segmentsOf(
  former: Schedule,
  running: Phases[0],
  [first, ...later]: readonly RestoredPhase[],
): readonly Segment[] {
  if (first === undefined) throw new TypeError('A restored schedule has a phase.')
  const present = phaseOf(former, first.of)
  // The running phase keeps the start of the new schedule, because the processor refuses another one.
  const begun = present === undefined ? running : { ...present, start_date: running.start_date }
  return [
    toSegment(begun, begun.start_date, first),
    ...later.map((one) => {
      const phase = phaseOf(former, one.of)
      if (phase === undefined)
        throw rejectedError(`The schedule ${former.id} has no phase that begins at ${String(one.of)}.`)
      const start = one.start === 'now' ? phase.start_date : one.start / 1000
      // A phase that begins later than planned begins nevertheless, with all that it does when it begins.
      return toSegment({ ...phase, start_date: start }, start, one)
    }),
  ]
}

const toSegment = (phase: Phase, start: number, { end, items }: RestoredPhase): Segment => {
  const moved = new Map(
    phase.items.flatMap(({ price }, index): [string, string][] => {
      const to = items[index]?.price
      return to === undefined || to === price ? [] : [[price, to]]
    }),
  )
  const wanted = new Map<string, number | null>(items.map(({ price, quantity }) => [price, quantity]))
  const counted = phase.items.map((item) => {
    const quantity = wanted.get(priceIn(item, moved)) ?? null
    return quantity === null ? item : { ...item, quantity }
  })
  return { phase, start, end: typeof end === 'number' ? end / 1000 : end, moved, items: counted }
}

/** Metadata as it is written: an empty schedule has none. */
const textsOf = ({ metadata }: Schedule): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata).filter((pair): pair is [string, string] => pair[1] !== undefined))

// Reads the account's events in chronological order. Event lists come newest first, so the page after a cursor is requested with
// `ending_before` and reversed.
import type { Stripe } from 'stripe'
import type { Processor, ProcessorEvent } from '../../processor.ts'
import type { StripeContext } from './context.ts'
import { translateReply } from '../customers/single-object.ts'
import { pageFlaw } from '../connection/pages.ts'
import { milliseconds, text } from '../connection/reading.ts'

const pageSize = 100

type Query = Parameters<Processor['events']>[0]

/**
 * Reads the events after the event `after`. Throws `rejected` with param `ending_before` if Stripe does not have that event (any more): it
 * keeps events for 30 days.
 */
export async function readEvents(context: StripeContext, { after, types }: Query, signal: AbortSignal) {
  const filter = types.length === 0 ? {} : { types: [...types] }
  if (after === null) {
    const [newest] = (await readPage(context, { limit: 1 }, signal)).data
    return { events: [], last: newest?.id ?? null, more: false }
  }
  if (after !== '') {
    const { data, has_more: more } = await readPage(
      context,
      { limit: pageSize, ending_before: after, ...filter },
      signal,
    )
    return { ...oldestFirst(data, after), more }
  }
  // An empty `after` means the oldest events. There is no cursor for them, so the list is read to its end.
  let { data, has_more: older } = await readPage(context, { limit: pageSize, ...filter }, signal)
  // The last page may be short although newer events follow: it is filled from the newest event on.
  let newer = false
  for (let oldest = data.at(-1); older && oldest !== undefined; oldest = data.at(-1)) {
    const page = { limit: pageSize, starting_after: oldest.id, ...filter }
    ;({ data, has_more: older } = await readPage(context, page, signal))
    newer = true
  }
  return { ...oldestFirst(data, null), more: newer }
}

function readPage({ caller, stripe }: StripeContext, params: Stripe.EventListParams, signal: AbortSignal) {
  return caller.call({
    operation: 'GET /v1/events',
    access: 'read',
    signal,
    send: () => stripe.events.list(params),
    flaw: (answer) => pageFlaw(answer, 'event'),
  })
}

function oldestFirst(newestFirst: readonly Stripe.Event[], after: string | null) {
  const events = newestFirst.map((event) => translateReply(event, eventOf)).reverse()
  return { events, last: events.at(-1)?.id ?? after }
}

function eventOf(event: Stripe.Event): ProcessorEvent {
  return {
    id: event.id,
    type: text(event.type, 'type'),
    createdAt: milliseconds(event.created, 'created'),
    body: JSON.parse(JSON.stringify(event)) as Readonly<Record<string, unknown>>,
  }
}

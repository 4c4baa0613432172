// Reads the account's events in chronological order. Stripe lists events newest first. So the page after a cursor is requested with
// `ending_before`, and then reversed.
import type { Stripe } from 'stripe'
import type { Processor, ProcessorEvent } from '../../processor.ts'
import type { StripeContext } from './context.ts'
import { translateReply } from '../customers/single-object.ts'
import { pageFlaw } from '../connection/pages.ts'
import { requireMilliseconds, text } from '../connection/reading.ts'

const pageSize = 100

type Query = Parameters<Processor['events']>[0]

/**
 * Reads the events after the event `after`. Stripe keeps events for 30 days. If it no longer has that event, throws `rejected` with the
 * param `ending_before`.
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
  // If `after` is empty, the oldest events are needed. No cursor leads to them, so all pages of the list are read.
  let { data, has_more: older } = await readPage(context, { limit: pageSize, ...filter }, signal)
  // The last page contains the oldest events of the account. It may be short although newer events follow, because these are on the pages
  // before it.
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
    createdAt: requireMilliseconds(event.created, 'created'),
    body: JSON.parse(JSON.stringify(event)) as Readonly<Record<string, unknown>>,
  }
}

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

/** Throws `rejected` with param `ending_before` if the cursor is unknown to Stripe, which keeps events for 30 days. */
export async function readEvents(context: StripeContext, { after, types }: Query, signal: AbortSignal) {
  const page = await context.caller.call({
    operation: 'GET /v1/events',
    access: 'read',
    signal,
    send: () =>
      context.stripe.events.list({
        ...(after === null
          ? { limit: 1 }
          : after === ''
            ? { limit: pageSize }
            : { limit: pageSize, ending_before: after }),
        ...(types.length === 0 || after === null ? {} : { types: [...types] }),
      }),
    flaw: (answer) => pageFlaw(answer, 'event'),
  })
  const found = page.data.map((event) => translateReply(event, eventOf)).reverse()
  const newest = found.at(-1)?.id ?? (after === '' ? null : after)
  return { events: after === null ? [] : found, last: newest }
}

function eventOf(event: Stripe.Event): ProcessorEvent {
  return {
    id: event.id,
    type: text(event.type, 'type'),
    createdAt: milliseconds(event.created, 'created'),
    body: JSON.parse(JSON.stringify(event)) as Readonly<Record<string, unknown>>,
  }
}

import { describe, expect, it } from 'vitest'
import {
  mirroredEventTypes,
  staleOfEvent,
} from '../../../../packages/ratecard/src/customers/mirror/feed/stale-of-event.ts'
import { eventTypes } from '../../../../packages/sandbox/src/protocol/api-values.generated.ts'

const named = (type: string, object: unknown) =>
  staleOfEvent({ type, body: { data: { object } } }).map(({ kind, id }) => `${kind} ${id}`)

const rows: readonly (readonly [type: string, object: Record<string, unknown>, stale: readonly string[]])[] = [
  ['customer.subscription.updated', { id: 'sub_1', customer: 'cus_1' }, ['subscription sub_1']],
  ['customer.subscription.deleted', { id: 'sub_1' }, ['subscription sub_1']],
  ['subscription_schedule.updated', { id: 'sub_sched_1', subscription: 'sub_1' }, ['subscription sub_1']],
  [
    'subscription_schedule.released',
    { id: 'sub_sched_1', subscription: null, released_subscription: 'sub_1' },
    ['subscription sub_1'],
  ],
  ['invoice.paid', { id: 'in_1', customer: 'cus_1' }, ['invoice in_1']],
  ['invoice_payment.paid', { id: 'inpay_1', invoice: 'in_1' }, ['invoice in_1']],
  ['invoiceitem.created', { id: 'ii_1', invoice: null }, []],
  [
    'credit_note.created',
    { id: 'cn_1', invoice: 'in_1', customer: 'cus_1' },
    ['credit_note cn_1', 'invoice in_1', 'customer cus_1'],
  ],
  ['refund.failed', { id: 're_1' }, ['refund re_1']],
  ['customer.updated', { id: 'cus_1' }, ['customer cus_1']],
  [
    'customer.discount.created',
    { id: 'di_1', subscription: 'sub_1', customer: { id: 'cus_1' } },
    ['subscription sub_1', 'customer cus_1'],
  ],
  [
    'checkout.session.completed',
    { id: 'cs_1', subscription: 'sub_1', invoice: null, customer: null },
    ['subscription sub_1'],
  ],
  ['price.created', { id: 'price_1' }, ['price price_1']],
  // A preview is an invoice without an id.
  ['invoice.upcoming', { customer: 'cus_1' }, []],
  ['invoice.updated', { id: null }, []],
  ['product.updated', { id: 'prod_1' }, []],
]

describe('staleOfEvent(), which selects the objects to read again,', () => {
  it.each(rows)('returns the objects that the event %s with %j makes stale', (type, object, stale) => {
    expect(named(type, object)).toEqual(stale)
  })

  it.each([undefined, null, 'text', 7, [], { data: null }, { data: { object: [] } }])(
    'returns no objects for a body of %j',
    (body) => {
      for (const type of mirroredEventTypes) expect(staleOfEvent({ type, body: body as never })).toEqual([])
    },
  )

  it('handles only event types that Stripe has', () => {
    expect(mirroredEventTypes.filter((type) => !(eventTypes as readonly string[]).includes(type))).toEqual([])
  })

  it('handles each event type of subscriptions, schedules, credit notes and refunds', () => {
    const prefixes = [
      'customer.subscription.',
      'subscription_schedule.',
      'credit_note.',
      'refund.',
      'customer.discount.',
    ]
    const relevant = eventTypes.filter((type) => prefixes.some((prefix) => type.startsWith(prefix)))
    expect(relevant.filter((type) => !mirroredEventTypes.includes(type))).toEqual([])
  })
})

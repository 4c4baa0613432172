// Events in the API version of their webhook endpoint. An event is stored in the sandbox's own version; this file converts its objects to
// the shapes of former versions, newest first. Members that only a later version has stay, because programs ignore them. Source: the
// changelog at docs.stripe.com/changelog, and the types of the SDK's major versions 17 to 23.
import type { EventBody } from '../objects/bodies.ts'
import { isRecord } from '../protocol/parameters/form.ts'
import { nothingExpanded, planOf, render, type Lookup } from '../protocol/responses/expand.ts'
import { previousAttributes } from './events.ts'

type Shape = Record<string, unknown>
type Convert = (shape: Shape, lookup: Lookup) => Shape

/** Oldest version of webhook endpoints that the sandbox can send events in. */
export const oldestEventVersion = '2024-04-10'

/** Conversions by the value of `object`. They apply to endpoints with a version before `before`. */
interface Change {
  readonly before: string
  readonly convert: Readonly<Record<string, Convert>>
}

/** Returns the object with a reference replaced by the whole object. */
function whole(lookup: Lookup, kind: 'coupon' | 'discount' | 'price' | 'tax_rate', id: unknown): Shape | null {
  const found = typeof id === 'string' ? lookup.find(kind, id) : undefined
  return found === undefined ? null : render(found, nothingExpanded, lookup)
}

function within(shape: unknown, ...names: readonly string[]): unknown {
  let at = shape
  for (const name of names) at = isRecord(at) ? at[name] : undefined
  return at
}

function records(list: unknown): Shape[] {
  return Array.isArray(list) ? list.filter(isRecord) : []
}

const beforeDahlia: Change = {
  before: '2026-03-25.dahlia',
  convert: {
    'checkout.session': (session) => ({ ...session, ui_mode: 'hosted' }),
  },
}

const beforeClover: Change = {
  before: '2025-09-30.clover',
  convert: {
    discount: ({ source, ...discount }, lookup) => ({
      ...discount,
      coupon: whole(lookup, 'coupon', within(source, 'coupon')),
    }),
    promotion_code: ({ promotion, ...code }, lookup) => ({
      ...code,
      coupon: whole(lookup, 'coupon', within(promotion, 'coupon')),
    }),
  },
}

/** Returns the first of the discounts as an object, as the singular member `discount` had it. */
function firstDiscount(discounts: unknown, lookup: Lookup): Shape | null {
  const [first] = Array.isArray(discounts) ? (discounts as unknown[]) : []
  const found = isRecord(first) ? first : whole(lookup, 'discount', first)
  return found === null ? null : converted(found, [beforeClover], lookup)
}

function taxAmounts(taxes: unknown): Shape[] {
  return records(taxes).map((tax) => ({
    amount: tax['amount'],
    inclusive: tax['tax_behavior'] === 'inclusive',
    tax_rate: within(tax, 'tax_rate_details', 'tax_rate'),
    taxability_reason: tax['taxability_reason'],
    taxable_amount: tax['taxable_amount'],
  }))
}

function sumOf(amounts: readonly Shape[]): number | null {
  return amounts.length === 0 ? null : amounts.reduce((sum, { amount }) => sum + Number(amount), 0)
}

/** Returns the members `price` and `plan` that lines and invoice items had. */
function pricesOf(pricing: unknown, lookup: Lookup): Shape {
  const id = within(pricing, 'price_details', 'price')
  const price = whole(lookup, 'price', id)
  return {
    plan: planOf(typeof id === 'string' ? lookup.find('price', id) : undefined),
    price: price === null ? null : converted(price, [beforeBasil], lookup),
  }
}

function invoiceBeforeBasil(shape: Shape, lookup: Lookup): Shape {
  const { amount_overpaid: _over, confirmation_secret: _secret, parent, total_taxes: taxes, ...invoice } = shape
  const [intent] = lookup.intentsOf(String(invoice['id']))
  const amounts = taxAmounts(taxes)
  const details = within(parent, 'subscription_details')
  return {
    ...invoice,
    application_fee_amount: null,
    charge: intent?.latest_charge ?? null,
    discount: firstDiscount(invoice['discounts'], lookup),
    paid: invoice['status'] === 'paid',
    paid_out_of_band: invoice['status'] === 'paid' && intent?.status === 'canceled',
    payment_intent: intent?.id ?? null,
    quote: null,
    subscription: within(details, 'subscription') ?? null,
    subscription_details: isRecord(details) ? { metadata: details['metadata'] } : null,
    tax: sumOf(amounts),
    total_tax_amounts: amounts,
    transfer_data: null,
  }
}

function lineBeforeBasil(shape: Shape, lookup: Lookup): Shape {
  const { parent, pricing, taxes, ...line } = shape
  const item = within(parent, 'invoice_item_details')
  const subscribed = within(parent, 'subscription_item_details')
  const details = isRecord(item) ? item : subscribed
  const amounts = taxAmounts(taxes)
  const included = amounts.filter((tax) => tax['inclusive'] === true)
  const invoiceItem = within(details, 'invoice_item')
  const subscriptionItem = within(subscribed, 'subscription_item')
  return {
    ...line,
    ...pricesOf(pricing, lookup),
    ...(typeof invoiceItem === 'string' ? { invoice_item: invoiceItem } : {}),
    ...(typeof subscriptionItem === 'string' ? { subscription_item: subscriptionItem } : {}),
    amount_excluding_tax: Number(line['amount']) - (sumOf(included) ?? 0),
    proration: within(details, 'proration') === true,
    proration_details: within(details, 'proration_details') ?? { credited_items: null },
    tax_amounts: amounts,
    tax_rates: amounts.map(({ tax_rate: rate }) => whole(lookup, 'tax_rate', rate)),
    type: typeof invoiceItem === 'string' ? 'invoiceitem' : 'subscription',
    unit_amount_excluding_tax: within(pricing, 'unit_amount_decimal') ?? null,
  }
}

function invoiceItemBeforeBasil({ parent, pricing, ...item }: Shape, lookup: Lookup): Shape {
  const decimal = within(pricing, 'unit_amount_decimal') ?? null
  const of = within(parent, 'subscription_details')
  const subscriptionItem = within(of, 'subscription_item')
  return {
    ...item,
    ...pricesOf(pricing, lookup),
    ...(typeof subscriptionItem === 'string' ? { subscription_item: subscriptionItem } : {}),
    subscription: within(of, 'subscription') ?? null,
    unit_amount: typeof decimal === 'string' && /^-?\d+$/.test(decimal) ? Number(decimal) : null,
    unit_amount_decimal: decimal,
  }
}

/** Returns a subscription with the period of its items, which it had itself. With several, the period is that of the first item. */
function subscriptionBeforeBasil(subscription: Shape, lookup: Lookup): Shape {
  const [first] = records(within(subscription, 'items', 'data'))
  const former = converted(subscription, [itemPeriods], lookup)
  return {
    ...former,
    current_period_end: first?.['current_period_end'] ?? null,
    current_period_start: first?.['current_period_start'] ?? null,
    discount: firstDiscount(subscription['discounts'], lookup),
  }
}

/** Removes the periods of items. Applied within a subscription, after it has taken them over, and to items alone. */
const itemPeriods: Change = {
  before: '2025-03-31.basil',
  convert: {
    subscription_item: ({ current_period_end: _end, current_period_start: _start, ...item }) => item,
  },
}

function creditNoteBeforeBasil({ refunds, total_taxes: taxes, ...note }: Shape): Shape {
  const [refund] = records(refunds)
  return { ...note, refund: refund?.['refund'] ?? null, tax_amounts: taxAmounts(taxes) }
}

function phaseBeforeBasil(phase: Shape): Shape {
  const [first] = records(phase['discounts'])
  return { ...phase, coupon: first?.['coupon'] ?? null }
}

const paymentOf =
  (intentIn: (shape: Shape) => unknown): Convert =>
  (shape, lookup) => {
    const id = intentIn(shape)
    const intent = typeof id === 'string' ? lookup.find('payment_intent', id) : undefined
    return { ...shape, invoice: intent?._invoice ?? null }
  }

const beforeBasil: Change = {
  before: '2025-03-31.basil',
  convert: {
    charge: paymentOf((charge) => charge['payment_intent']),
    credit_note: creditNoteBeforeBasil,
    credit_note_line_item: ({ taxes, ...line }) => ({ ...line, tax_amounts: taxAmounts(taxes) }),
    invoice: invoiceBeforeBasil,
    invoiceitem: invoiceItemBeforeBasil,
    line_item: lineBeforeBasil,
    payment_intent: paymentOf((intent) => intent['id']),
    plan: (plan) => ({ ...plan, aggregate_usage: null }),
    price: (price) =>
      isRecord(price['recurring']) ? { ...price, recurring: { ...price['recurring'], aggregate_usage: null } } : price,
    subscription: subscriptionBeforeBasil,
    subscription_schedule: (schedule) => ({ ...schedule, phases: records(schedule['phases']).map(phaseBeforeBasil) }),
  },
}

/** Returns the value with every object in it converted. Objects inside an object are converted first. */
function convertedValue(value: unknown, changes: readonly Change[], lookup: Lookup): unknown {
  if (Array.isArray(value)) return value.map((element) => convertedValue(element, changes, lookup))
  return isRecord(value) ? converted(value, changes, lookup) : value
}

function converted(shape: Shape, changes: readonly Change[], lookup: Lookup): Shape {
  let after: Shape = Object.fromEntries(
    Object.entries(shape).map(([name, value]) => [name, convertedValue(value, changes, lookup)]),
  )
  for (const { convert } of changes) {
    const own = typeof after['object'] === 'string' ? convert[after['object']] : undefined
    if (own !== undefined) after = own(after, lookup)
  }
  return after
}

/** Returns the object as it was before an update, from its new form and the event's `previous_attributes`. */
function formerForm(object: Shape, previous: Shape): Shape {
  const { metadata, ...others } = previous
  if (!isRecord(metadata) || !isRecord(object['metadata'])) return { ...object, ...previous }
  const kept = Object.entries({ ...object['metadata'], ...metadata }).filter(([, value]) => value !== null)
  return { ...object, ...others, metadata: Object.fromEntries(kept) }
}

/** Returns the event in a former version of the API. Null: in the sandbox's own version. */
export function inVersion(event: EventBody, version: string | null, lookup: Lookup): EventBody {
  if (version === null || version === event.api_version) return event
  const changes = [beforeDahlia, beforeClover, beforeBasil].filter(({ before }) => version < before)
  const { object, previous_attributes: previous } = event.data
  const now = converted(object, changes, lookup)
  if (previous === undefined) return { ...event, api_version: version, data: { object: now } }
  const before = converted(formerForm(object, previous), changes, lookup)
  const data = { object: now, previous_attributes: previousAttributes(before, now) }
  return { ...event, api_version: version, data }
}

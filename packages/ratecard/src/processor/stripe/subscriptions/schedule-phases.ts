// Converts an existing phase of a schedule to update parameters. All members are sent, because an update deletes members that it omits. A
// phase boundary that Ratecard adds causes no proration, and effects that happen once when a phase begins (e.g. added invoice items) are
// not repeated. The running phase gets the subscription's present values; otherwise the update would revert later changes of the
// subscription.
import { isDeepStrictEqual } from 'node:util'
import type { Stripe } from 'stripe'
import { endsKey, endsText } from '../../customer-half.ts'
import { formerId, formerObject, idIn, idOf, knownWord, listOf, text, type Untrusted } from '../connection/reading.ts'
import type { SubscriptionReply } from './live-subscription.ts'
import {
  priceIn,
  type Phase,
  type PhaseCodes,
  type PhaseItem,
  type Schedule,
  type Segment,
} from './schedule-timeline.ts'

type PhaseParams = Stripe.SubscriptionScheduleUpdateParams.Phase
type ItemParams = PhaseParams['items'][number]
type Duration = Stripe.SubscriptionScheduleUpdateParams.Phase.Duration
type DiscountReply = Untrusted<Stripe.SubscriptionSchedule.Phase.Discount>
type ExtraItemReply = Untrusted<Stripe.SubscriptionSchedule.Phase.AddInvoiceItem>
type InvoiceSettingsReply = Untrusted<Stripe.SubscriptionSchedule.Phase.InvoiceSettings>
type SubscriptionItemReply = Untrusted<Stripe.SubscriptionItem>
export type DiscountParams = { discount: string } | { promotion_code: string } | { coupon: string }
type Reference = NonNullable<Parameters<typeof idOf>[0]>
type Rates = readonly (Reference | null | undefined)[] | null | undefined

export interface PhaseSurroundings {
  readonly subscription: SubscriptionReply
  readonly running: Phase
  readonly usual: Schedule['usual']
  /** Duration of the last phase that Ratecard adds. */
  readonly period: Duration
}

export function phaseParams(
  { phase, start, end, moved, items = phase.items, codes, ends }: Segment,
  around: PhaseSurroundings,
): PhaseParams {
  const begins = phase !== around.running && start === phase.start_date
  return {
    ...(start === around.running.start_date ? { start_date: start } : {}),
    ...(end === null ? { duration: around.period } : { end_date: end }),
    items: items.map((item) => itemParams(item, priceIn(item, moved), heldItem(phase, item, around))),
    // A later phase that existed before keeps its own proration behavior.
    proration_behavior: begins
      ? (knownWord(['always_invoice', 'create_prorations', 'none'], phase.proration_behavior) ?? 'none')
      : 'none',
    ...discountParams(phase, around, codes),
    ...trialParams(phase, start, end, around),
    ...(begins ? beginningParams(phase) : {}),
    ...paymentParams(phase),
    ...descriptionParams(phase, ends),
    ...taxParams(phase),
    ...(phase === around.running ? presentParams(phase, around) : {}),
  }
}

/** Returns the subscription's item on the price of a phase item. Undefined if the phase is not the running one. */
function heldItem(
  phase: Phase,
  item: PhaseItem,
  { subscription, running }: PhaseSurroundings,
): SubscriptionItemReply | undefined {
  if (phase !== running) return undefined
  return listOf(subscription.items?.data).find((one) => one.price?.id === item.price)
}

function itemParams(item: PhaseItem, price: string, held: SubscriptionItemReply | undefined): ItemParams {
  const { quantity, metadata, billing_thresholds: thresholds } = item
  const rates = rateIds(held?.tax_rates ?? item.tax_rates)
  return {
    price,
    ...unlessNull('quantity', quantity),
    ...unlessNull('metadata', filledMetadata(metadata)),
    ...discountsOf(
      (held?.discounts ? listOf(held.discounts).map(ownDiscount) : null) ?? listOf(item.discounts).map(sameDiscount),
    ),
    ...(thresholds?.usage_gte ? { billing_thresholds: { usage_gte: thresholds.usage_gte } } : {}),
    ...unlessNull('tax_rates', rates),
  }
}

/**
 * Returns the discounts of a phase. For the running phase these are the subscription's discounts, because those in the schedule may be
 * missing or expired.
 */
function discountParams(
  phase: Phase,
  { subscription, running }: PhaseSurroundings,
  codes: PhaseCodes | undefined,
): Pick<PhaseParams, 'discounts'> {
  const own = (phase === running ? heldDiscounts(subscription) : null) ?? phaseDiscounts(phase)
  return discountsOf(codes === undefined ? own : withCodes(own, codes))
}

/** Returns the discounts without the former promotion codes and with the coming ones, each once. */
export function withCodes(own: readonly DiscountParams[], { coming, former }: PhaseCodes): DiscountParams[] {
  const gone = new Set([...former, ...coming])
  const left = own.filter((one) => !('promotion_code' in one) || !gone.has(one.promotion_code))
  return [...left, ...coming.map((code) => ({ promotion_code: code }))]
}

/** Returns the subscription's discounts; null if the reply has none. */
function heldDiscounts(subscription: SubscriptionReply): DiscountParams[] | null {
  if (subscription.discounts !== null && subscription.discounts !== undefined)
    return listOf(subscription.discounts).map(ownDiscount)
  // API versions before multiple discounts have a single `discount`.
  const one = formerObject(subscription, 'discount')
  return one === null ? null : [{ discount: idOf(one, 'discount') }]
}

/** Returns the discounts that a phase lists; empty if it lists none. */
export function phaseDiscounts(phase: Phase): DiscountParams[] {
  if (phase.discounts !== null && phase.discounts !== undefined) return listOf(phase.discounts).map(sameDiscount)
  const coupon = formerId(phase, 'coupon')
  return coupon === null ? [] : [{ coupon }]
}

function ownDiscount(said: Reference | null | undefined): DiscountParams {
  return { discount: idOf(said, 'discount') }
}

/** Returns parameters that refer to the existing discount, because a new discount from the same coupon would restart its duration. */
function sameDiscount(said: DiscountReply): DiscountParams {
  const [discount, code, coupon] = [idIn(said.discount), idIn(said.promotion_code), idIn(said.coupon)]
  if (discount !== null) return { discount }
  if (code !== null) return { promotion_code: code }
  if (coupon !== null) return { coupon }
  throw new TypeError('a discount of its phases is of no known kind')
}

function discountsOf(discounts: DiscountParams[]): { discounts?: DiscountParams[] } {
  return discounts.length === 0 ? {} : { discounts }
}

function trialParams(
  phase: Phase,
  start: number,
  end: Segment['end'],
  { subscription, running }: PhaseSurroundings,
): Pick<PhaseParams, 'trial_end'> {
  const trials = phase === running && subscription.status === 'trialing' ? subscription.trial_end : null
  const until = phase.trial_end ?? trials ?? null
  if (until === null || until <= start || end === 'now') return {}
  return { trial_end: end === null ? until : Math.min(until, end) }
}

/** Returns the parameters with effects that happen once, when a phase begins, e.g. added invoice items. */
function beginningParams(phase: Phase): Partial<PhaseParams> {
  const extras = listOf(phase.add_invoice_items).map(extraParams)
  return {
    ...unlessNull('billing_cycle_anchor', phase.billing_cycle_anchor),
    ...(extras.length === 0 ? {} : { add_invoice_items: extras }),
  }
}

function extraParams(extra: ExtraItemReply): NonNullable<PhaseParams['add_invoice_items']>[number] {
  return {
    price: idOf(extra.price, 'price of an added item'),
    ...unlessNull('period', periodParams(extra.period)),
    ...unlessNull('quantity', extra.quantity),
    ...unlessNull('discountable', extra.discountable),
    ...unlessNull('metadata', filledMetadata(extra.metadata)),
    ...discountsOf(listOf(extra.discounts).map(sameDiscount)),
    ...unlessNull('tax_rates', rateIds(extra.tax_rates)),
  }
}

type ExtraPeriod = NonNullable<NonNullable<PhaseParams['add_invoice_items']>[number]['period']>

function periodParams(said: ExtraItemReply['period']): ExtraPeriod | null {
  const [start, end] = [said?.start, said?.end]
  const startType = knownWord(['max_item_period_start', 'phase_start', 'timestamp'], start?.type)
  const endType = knownWord(['min_item_period_end', 'phase_end', 'timestamp'], end?.type)
  if (startType === null || endType === null) return null
  return {
    start: { type: startType, ...unlessNull('timestamp', start?.timestamp) },
    end: { type: endType, ...unlessNull('timestamp', end?.timestamp) },
  }
}

function paymentParams(phase: Phase): Partial<PhaseParams> {
  const { application_fee_percent: fee, collection_method: method, billing_thresholds: thresholds } = phase
  const { transfer_data: transfer } = phase
  return {
    ...unlessNull('currency', phase.currency),
    ...unlessNull('application_fee_percent', fee),
    ...unlessNull('collection_method', knownWord(['charge_automatically', 'send_invoice'], method)),
    ...unlessNull('default_payment_method', idIn(phase.default_payment_method)),
    ...unlessNull('on_behalf_of', idIn(phase.on_behalf_of)),
    ...(transfer === null || transfer === undefined
      ? {}
      : {
          transfer_data: {
            destination: idOf(transfer.destination, 'destination of transfers'),
            ...unlessNull('amount_percent', transfer.amount_percent),
          },
        }),
    ...(thresholds === null || thresholds === undefined
      ? {}
      : {
          billing_thresholds: {
            ...unlessNull('amount_gte', thresholds.amount_gte),
            ...unlessNull('reset_billing_cycle_anchor', thresholds.reset_billing_cycle_anchor),
          },
        }),
  }
}

/** Returns the metadata of a phase with the free subscriptions that end with it, in place of those of an earlier plan. */
export function phaseMetadata({ metadata }: Phase, ends: readonly string[] | undefined): Phase['metadata'] {
  if (ends === undefined) return metadata
  const { [endsKey]: _former, ...own } = metadata ?? {}
  return ends.length === 0 ? own : { ...own, [endsKey]: endsText(ends) }
}

function descriptionParams(phase: Phase, ends: readonly string[] | undefined): Partial<PhaseParams> {
  const { description, invoice_settings: settings } = phase
  const metadata = phaseMetadata(phase, ends)
  return {
    ...unlessNull('description', description),
    ...unlessNull('metadata', filledMetadata(metadata)),
    ...(settings === null || settings === undefined ? {} : { invoice_settings: invoiceParams(settings) }),
  }
}

function invoiceParams(settings: InvoiceSettingsReply): NonNullable<PhaseParams['invoice_settings']> {
  const { account_tax_ids: taxIds, custom_fields: fields, issuer } = settings
  return {
    ...unlessNull('account_tax_ids', taxIds && listOf(taxIds).map((id) => idOf(id, 'tax id'))),
    ...unlessNull(
      'custom_fields',
      fields && listOf(fields).map(({ name, value }) => ({ name: text(name, 'name'), value: text(value, 'value') })),
    ),
    ...unlessNull('days_until_due', settings.days_until_due),
    ...unlessNull('description', settings.description),
    ...unlessNull('footer', settings.footer),
    ...unlessNull('issuer', partyParams(issuer)),
  }
}

function taxParams(phase: Phase): Partial<PhaseParams> {
  return {
    ...unlessNull('default_tax_rates', rateIds(phase.default_tax_rates)),
    ...automaticTaxParams(phase.automatic_tax),
  }
}

function automaticTaxParams(said: Phase['automatic_tax']): Pick<PhaseParams, 'automatic_tax'> {
  if (said === null || said === undefined) return {}
  return { automatic_tax: { enabled: said.enabled === true, ...unlessNull('liability', partyParams(said.liability)) } }
}

/** Returns those present values of the subscription that differ from the running phase and from the schedule's defaults. */
function presentParams(phase: Phase, { subscription, usual }: PhaseSurroundings): Partial<PhaseParams> {
  const method = knownWord(['charge_automatically', 'send_invoice'], subscription.collection_method)
  const saidMethod = phase.collection_method ?? usual.collection_method ?? null
  const card = idIn(subscription.default_payment_method)
  const saidCard = idIn(phase.default_payment_method) ?? idIn(usual.default_payment_method)
  const tax = subscription.automatic_tax
  const saidTax = phase.automatic_tax ?? usual.automatic_tax
  const { description } = subscription
  return {
    ...(method === saidMethod ? {} : unlessNull('collection_method', method)),
    ...presentInvoiceSettings(phase, { subscription, usual }),
    ...(card === saidCard ? {} : unlessNull('default_payment_method', card)),
    ...((tax?.enabled ?? null) === (saidTax?.enabled ?? null) ? {} : automaticTaxParams(tax)),
    ...unlessNull('default_tax_rates', rateIds(subscription.default_tax_rates ?? phase.default_tax_rates)),
    ...(description === (phase.description ?? usual.description) ? {} : unlessNull('description', description)),
  }
}

/** Returns all invoice settings of a phase, because sending only one of them would reset the others. */
function presentInvoiceSettings(
  phase: Phase,
  { subscription, usual }: Pick<PhaseSurroundings, 'subscription' | 'usual'>,
): Pick<PhaseParams, 'invoice_settings'> {
  const said = invoiceParams(phase.invoice_settings ?? usual.invoice_settings ?? {})
  const own = invoiceParams(subscription.invoice_settings ?? {})
  const held = { ...said, ...own, ...unlessNull('days_until_due', subscription.days_until_due) }
  return isDeepStrictEqual(said, held) ? {} : { invoice_settings: held }
}

function partyParams(
  party:
    { readonly type?: string | null | undefined; readonly account?: Reference | null | undefined } | null | undefined,
): { type: 'account' | 'self'; account?: string } | null {
  const type = knownWord(['account', 'self'], party?.type)
  return type === null ? null : { type, ...unlessNull('account', idIn(party?.account)) }
}

function rateIds(rates: Rates): string[] | null {
  const ids = listOf(rates).map((rate) => idOf(rate, 'tax rate'))
  return ids.length === 0 ? null : ids
}

/** Returns the metadata; null for an empty map, which the SDK would not send. */
function filledMetadata(
  metadata: Readonly<Record<string, string | null | undefined>> | null | undefined,
): Record<string, string> | null {
  const entries = Object.entries(metadata ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return entries.length === 0 ? null : Object.fromEntries(entries)
}

/**
 * Returns an object with one member. Returns an empty object if the value is null, because Stripe treats an explicit null as a request to
 * clear the member.
 */
function unlessNull<K extends string, V>(name: K, value: V | null | undefined): { [key in K]?: V } {
  return value === null || value === undefined ? {} : ({ [name]: value } as { [key in K]?: V })
}

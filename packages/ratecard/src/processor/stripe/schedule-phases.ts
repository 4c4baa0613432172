// A phase as it was read, said again as parameters: what is left out of an update is lost, so everything is said.
// Never a proration at a border of ours, and never a second time what a phase does only as it begins.
import type { Stripe } from 'stripe'
import { idOf } from './kinds/kind.ts'
import { priceIn } from './schedule-timeline.ts'
import type { Phase, Segment } from './schedule-timeline.ts'

type PhaseParams = Stripe.SubscriptionScheduleUpdateParams.Phase
type ItemParams = PhaseParams['items'][number]
type Duration = Stripe.SubscriptionScheduleUpdateParams.Phase.Duration

export interface Around {
  readonly subscription: Stripe.Subscription
  /** The phase that runs now. */
  readonly running: Phase
  /** How long the last phase of ours lasts. */
  readonly period: Duration
}

export function phaseParams({ phase, start, end, moved }: Segment, around: Around): PhaseParams {
  const begins = phase !== around.running && start === phase.start_date
  return {
    ...(start === around.running.start_date ? { start_date: start } : {}),
    ...(end === null ? { duration: around.period } : { end_date: end }),
    items: phase.items.map((item) => itemParams(item, priceIn(item, moved))),
    // A later phase of somebody else begins as they want it to.
    proration_behavior: begins ? phase.proration_behavior : 'none',
    ...discountParams(phase, around),
    ...trialParams(phase, start, end, around),
    ...(begins ? beginningParams(phase) : {}),
    ...paymentParams(phase),
    ...descriptionParams(phase),
    ...taxParams(phase),
  }
}

function itemParams(item: Phase['items'][number], price: string): ItemParams {
  const { quantity, metadata, billing_thresholds: thresholds } = item
  return {
    price,
    ...present('quantity', quantity),
    ...present('metadata', filled(metadata)),
    ...(item.discounts.length === 0 ? {} : { discounts: item.discounts.map(sameDiscount) }),
    ...(thresholds?.usage_gte ? { billing_thresholds: { usage_gte: thresholds.usage_gte } } : {}),
    ...present('tax_rates', rateIds(item.tax_rates)),
  }
}

/** The running phase goes on with what the subscription has: its schedule may not say it, or name what is used up. */
function discountParams(phase: Phase, { subscription, running }: Around): Pick<PhaseParams, 'discounts'> {
  const held =
    phase === running
      ? subscription.discounts.map((discount) => ({ discount: idOf(discount) }))
      : phase.discounts.map(sameDiscount)
  return held.length === 0 ? {} : { discounts: held }
}

/** The discount that is there rather than a new one from its coupon, which would begin anew. */
function sameDiscount(
  said: Phase['discounts'][number],
): { discount: string } | { promotion_code: string } | { coupon: string } {
  if (said.discount !== null) return { discount: idOf(said.discount) }
  if (said.promotion_code !== null) return { promotion_code: idOf(said.promotion_code) }
  if (said.coupon !== null) return { coupon: idOf(said.coupon) }
  throw new TypeError('a discount of its phases is of no known kind')
}

function trialParams(
  phase: Phase,
  start: number,
  end: number | null,
  { subscription, running }: Around,
): Pick<PhaseParams, 'trial_end'> {
  const trials = phase === running && subscription.status === 'trialing' ? subscription.trial_end : null
  const until = phase.trial_end ?? trials
  return until === null || until <= start ? {} : { trial_end: end === null ? until : Math.min(until, end) }
}

/** What happens once, when a phase is entered. */
function beginningParams(phase: Phase): Partial<PhaseParams> {
  return {
    ...present('billing_cycle_anchor', phase.billing_cycle_anchor),
    ...(phase.add_invoice_items.length === 0 ? {} : { add_invoice_items: phase.add_invoice_items.map(extraParams) }),
  }
}

function extraParams(extra: Phase['add_invoice_items'][number]): NonNullable<PhaseParams['add_invoice_items']>[number] {
  const { start, end } = extra.period
  return {
    price: idOf(extra.price),
    period: { start, end },
    ...present('quantity', extra.quantity),
    ...present('discountable', extra.discountable),
    ...present('metadata', filled(extra.metadata)),
    ...(extra.discounts.length === 0 ? {} : { discounts: extra.discounts.map(sameDiscount) }),
    ...present('tax_rates', rateIds(extra.tax_rates)),
  }
}

function paymentParams(phase: Phase): Partial<PhaseParams> {
  const { application_fee_percent: fee, collection_method: method, billing_thresholds: thresholds } = phase
  const { default_payment_method: card, on_behalf_of: account, transfer_data: transfer } = phase
  return {
    currency: phase.currency,
    ...present('application_fee_percent', fee),
    ...present('collection_method', method),
    ...present('default_payment_method', card === null ? null : idOf(card)),
    ...present('on_behalf_of', account === null ? null : idOf(account)),
    ...(transfer === null
      ? {}
      : {
          transfer_data: {
            destination: idOf(transfer.destination),
            ...present('amount_percent', transfer.amount_percent),
          },
        }),
    ...(thresholds === null
      ? {}
      : {
          billing_thresholds: {
            ...present('amount_gte', thresholds.amount_gte),
            ...present('reset_billing_cycle_anchor', thresholds.reset_billing_cycle_anchor),
          },
        }),
  }
}

function descriptionParams(phase: Phase): Partial<PhaseParams> {
  const { description, metadata, invoice_settings: settings } = phase
  return {
    ...present('description', description),
    ...present('metadata', filled(metadata)),
    ...(settings === null ? {} : { invoice_settings: invoiceParams(settings) }),
  }
}

function invoiceParams(settings: NonNullable<Phase['invoice_settings']>): NonNullable<PhaseParams['invoice_settings']> {
  const { account_tax_ids: taxIds, custom_fields: fields, issuer } = settings
  return {
    ...present('account_tax_ids', taxIds?.map(idOf)),
    ...present(
      'custom_fields',
      fields?.map(({ name, value }) => ({ name, value })),
    ),
    ...present('days_until_due', settings.days_until_due),
    ...present('description', settings.description),
    ...present('footer', settings.footer),
    ...(issuer === null ? {} : { issuer: partyParams(issuer) }),
  }
}

function taxParams(phase: Phase): Partial<PhaseParams> {
  const { automatic_tax: automatic } = phase
  return {
    ...present('default_tax_rates', rateIds(phase.default_tax_rates)),
    ...(automatic === undefined
      ? {}
      : {
          automatic_tax: {
            enabled: automatic.enabled,
            ...(automatic.liability === null ? {} : { liability: partyParams(automatic.liability) }),
          },
        }),
  }
}

function partyParams<T extends string>(party: {
  readonly type: T
  readonly account?: string | { readonly id: string }
}): { type: T; account?: string } {
  return { type: party.type, ...(party.account === undefined ? {} : { account: idOf(party.account) }) }
}

function rateIds(rates: readonly { readonly id: string }[] | null | undefined): string[] | null {
  return rates === null || rates === undefined || rates.length === 0 ? null : rates.map(idOf)
}

/** An empty map says nothing, and Stripe’s SDK would not send it. */
function filled(metadata: Readonly<Record<string, string>> | null): Record<string, string> | null {
  return metadata === null || Object.keys(metadata).length === 0 ? null : { ...metadata }
}

/** The member, or none at all: Stripe would take an explicit null for a wish to clear it. */
function present<K extends string, V>(name: K, value: V | null | undefined): { [key in K]?: V } {
  return value === null || value === undefined ? {} : ({ [name]: value } as { [key in K]?: V })
}

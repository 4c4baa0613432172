// Decides what a checkout sells, and on which terms. Pure: takes the configuration, the tenant and the request, and returns the decision.
import { processorId, type ProcessorId } from '../../catalog/resource.ts'
import { isLocalPrice } from '../../document/schema/ids.ts'
import { presentId } from '../../document/rules/previous-ids.ts'
import { isPublic } from '../../document/schema/public-view.ts'
import { maxItemsTogether } from '../../document/schema/prices/items-together.ts'
import type { BillingConfig, Price } from '../../document/schema/schema.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { currenciesOf, inCurrency } from '../../document/pricing/calculate.ts'
import { refuseItems } from '../../document/pricing/refuse-items.ts'
import { itemsSold, type ItemSold, type RequestedItem } from '../../document/pricing/sold-together.ts'
import type { Deal } from '../../document/pricing/tenant-price.ts'
import { duplicateKey, soldPricesMetadata, type SaleTax } from '../../processor/customer-half.ts'
import { decidePromotion } from './decide-promotion.ts'
import { checkSessionQuantity } from './session-quantity.ts'
import { invalidCheckout, invalidAt } from './invalid.ts'
import type { NewCheckout } from '../../api/customers/checkout.ts'
import type { TenantRecord } from '../../store/records/tenants.ts'

/** The applied configuration; its items have their current processor ids. */
export interface AppliedConfig {
  readonly version: string
  readonly revision: number
  readonly config: BillingConfig
}

export interface CheckoutItem {
  /** Configuration id of the price that is sold: the tenant's negotiated price if there is one. */
  readonly priceId: string
  readonly price: ProcessorId
  readonly quantity: number | null
  readonly recurring: boolean
  /** True if the price is sold only because it is attached to another one. */
  readonly attached: boolean
}

export type CheckoutDecision =
  /** A free price is sold: the subscription is stored only in this service. */
  | { readonly kind: 'free'; readonly priceId: string }
  | {
      readonly kind: 'processor'
      /** The prices that are sold, attached ones included, in the order of the page. */
      readonly items: readonly CheckoutItem[]
      readonly mode: 'subscription' | 'payment'
      readonly trialPeriodDays: number | null
      /** `if_required`: a trial begins without a card. */
      readonly paymentMethodCollection: 'always' | 'if_required'
      /** What happens if a trial ends without a card. null means the processor's default: it creates an invoice. */
      readonly trialEnd: 'cancel' | 'pause' | null
      /** Currency of the sale; null lets the processor choose one of the price's currencies. */
      readonly currency: string | null
      readonly allowPromotionCodes: boolean
      readonly promotionCode: ProcessorId | null
      readonly tax: SaleTax
      readonly metadata: Readonly<Record<string, string>>
    }

type PageTerms = Extract<CheckoutDecision, { kind: 'processor' }>

export interface CheckoutSituation {
  readonly applied: AppliedConfig
  /** The tenant that buys; null if a service key named none. Then no deal applies. */
  readonly tenant: (Deal & Pick<TenantRecord, 'id'>) | null
  /** True if the caller may buy hidden prices, and may name promotion codes by their configuration id. */
  readonly hidden: boolean
  /** Current time in epoch milliseconds. */
  readonly now: number
  /**
   * Maximum trial (days) that a request with an end user's session may contain; 0 allows no trial. A request with a service key may contain
   * up to 730 days.
   */
  readonly sessionTrialDays: number
  /** Maximum quantity of a price that a request with an end user's session may contain. */
  readonly sessionMaxQuantity: number
}

type CheckoutChoice = Omit<NewCheckout, 'successUrl' | 'cancelUrl'>

const noDeal: Deal = { enterpriseTemplate: null, enterpriseId: null }
const maxTrialDays = 730
const maxQuantity = 1_000_000

/** Decides what a checkout sells. Throws `checkout_invalid`, `price_not_found`, `price_not_sellable` or `quantity_invalid`. */
export function decideCheckout(situation: CheckoutSituation, requested: CheckoutChoice): CheckoutDecision {
  checkAlone(requested)
  const { applied, tenant, hidden } = situation
  if (!hidden) {
    checkOwnTrial(requested, situation.sessionTrialDays)
    for (const { path, item } of wantedOf(requested))
      checkSessionQuantity(item.quantity, { most: situation.sessionMaxQuantity }, path)
  }
  const items = findItems(situation, requested)
  const prices = items.map(({ price }) => price)
  for (const price of prices) inCurrency(price, requested.currency)
  const recurring = items.filter(({ price }) => price.interval !== undefined)
  if (recurring.length === 0 && (requested.trialPeriodDays ?? 0) > 0)
    throw invalidCheckout(
      'trial_period_days',
      `The price "${items[0].price.id}" is paid once, so it cannot have a trial.`,
    )
  const free = prices.find(isLocalPrice)
  if (free !== undefined) return decideFree(free, items, requested)
  checkSameInterval(recurring, requested)
  const trialPeriodDays = trialOf(requested, recurring)
  const mode = recurring.length === 0 ? 'payment' : 'subscription'
  return {
    kind: 'processor',
    items: items.map(checkoutItem),
    mode,
    trialPeriodDays,
    ...termsOfTrial(recurring[0]?.price ?? items[0].price, trialPeriodDays, requested),
    currency: currencyOf(requested, prices),
    allowPromotionCodes: requested.allowPromotionCodes ?? false,
    promotionCode:
      requested.promotionCode === undefined
        ? null
        : decidePromotion(applied.config.promotion_codes ?? [], requested.promotionCode, {
            byId: hidden,
            present: presentId(applied.config, 'promotion_code', requested.promotionCode),
            now: situation.now,
          }),
    tax: saleTax(applied.config),
    metadata: {
      ratecard_version: applied.version,
      ratecard_revision: String(applied.revision),
      ...soldPricesMetadata((mode === 'payment' ? items : recurring).map(({ price }) => price.id)),
      ...(tenant === null ? {} : { ratecard_tenant_id: tenant.id }),
      ...(requested.allowDuplicate === true ? { [duplicateKey]: 'allowed' } : {}),
    },
  }
}

/** Returns the taxes of a sale: those of the document, whatever is sold. */
function saleTax({ tax = {}, tax_rates: known = [] }: BillingConfig): SaleTax {
  const rates = (tax.rates ?? []).map((id) => {
    const rate = known.find((one) => one.id === id)
    if (rate?.processor_id === undefined)
      throw new ServiceError('price_not_sellable', `The tax rate "${id}" does not exist at the processor yet.`)
    return processorId(rate.processor_id)
  })
  return { automatic: tax.automatic === true, collectTaxIds: tax.collect_tax_ids === true, rates }
}

/** Rejects options that are invalid whatever the price is. */
function checkAlone(requested: CheckoutChoice): void {
  const { priceId, items, quantity, trialPeriodDays, allowPromotionCodes, promotionCode } = requested
  if (items !== undefined && (priceId !== undefined || quantity !== undefined))
    throw invalidCheckout(
      'items',
      'A checkout must have either "price_id" (one price) or "items" (several prices), not both.',
    )
  if (items === undefined && priceId === undefined)
    throw invalidCheckout(
      'price_id',
      'A checkout must name what it sells: "price_id" for one price, or "items" for several.',
    )
  if (items !== undefined && !isWithin(items.length, 1, maxItemsTogether))
    throw invalidCheckout('items', `"items" must have 1 to ${maxItemsTogether} entries.`)
  for (const { path, item } of wantedOf(requested))
    if (item.quantity !== undefined && !isWithin(item.quantity, 1, maxQuantity))
      throw invalidAt({
        path: [...path, 'quantity'],
        detail: `"quantity" must be a whole number from 1 to ${maxQuantity}.`,
      })
  if (trialPeriodDays !== undefined && !isWithin(trialPeriodDays, 0, maxTrialDays))
    throw invalidCheckout('trial_period_days', `"trial_period_days" must be a whole number from 0 to ${maxTrialDays}.`)
  if (allowPromotionCodes === true && promotionCode !== undefined)
    throw invalidCheckout(
      'promotion_code',
      '"promotion_code" and "allow_promotion_codes" cannot be combined: either you apply a code, or the customer types one.',
    )
}

/** Returns the wanted items, each with its place in the request. */
function wantedOf({ priceId, quantity, items }: CheckoutChoice): readonly {
  readonly path: readonly (string | number)[]
  readonly item: RequestedItem
}[] {
  if (items !== undefined) return items.map((item, index) => ({ path: ['items', index], item }))
  return priceId === undefined ? [] : [{ path: [], item: { priceId, quantity } }]
}

/**
 * Finds all prices that are sold. With a session, hidden, negotiated and unknown prices all cause the same error, so that callers cannot
 * find out which price ids exist.
 */
function findItems(
  { applied, tenant, hidden }: CheckoutSituation,
  requested: CheckoutChoice,
): readonly [ItemSold, ...ItemSold[]] {
  const wanted = wantedOf(requested)
  const selling = {
    config: applied.config,
    deal: tenant ?? noDeal,
    mayBuy: (price: Price) => hidden || isPublic(price),
  }
  const { items, problems } = itemsSold(
    selling,
    wanted.map(({ item }) => item),
  )
  refuseItems(problems, 'checkout_invalid', (at) => wanted[at]?.path ?? [])
  const [first, ...others] = items
  if (first === undefined) throw new Error('A checkout without problems sells nothing')
  return [first, ...others]
}

function checkoutItem({ price, quantity, wantedAt }: ItemSold): CheckoutItem {
  if (price.processor_id === undefined)
    throw new ServiceError('price_not_sellable', `The price "${price.id}" does not exist at the processor.`)
  return {
    priceId: price.id,
    price: processorId(price.processor_id),
    quantity,
    recurring: price.interval !== undefined,
    attached: wantedAt === null,
  }
}

/**
 * Rejects recurring prices of different intervals. A subscription at the processor could have them, but the processor's checkout page
 * refuses them.
 */
function checkSameInterval([first, ...others]: readonly ItemSold[], requested: CheckoutChoice): void {
  const every = ({ price }: ItemSold) => `${price.interval_count ?? 1} ${String(price.interval)}`
  const other = first && others.find((one) => every(one) !== every(first))
  if (first === undefined || other === undefined) return
  throw invalidAt({
    path: [...(wantedOf(requested)[other.wantedAt ?? 0]?.path ?? []), 'price_id'],
    detail: `The prices "${first.listed.id}" and "${other.listed.id}" have different intervals: a checkout page sells recurring prices of one interval.`,
    hint: 'Sell them on two pages.',
  })
}

/**
 * Returns the currency to send to the processor. It is the requested currency, if there is one. If all prices have the same main currency,
 * it is null, so that the processor uses that one. Otherwise it is the first currency in which all prices are sold.
 */
function currencyOf({ currency }: CheckoutChoice, prices: readonly Price[]): string | null {
  if (currency !== undefined) return currency
  const [first, ...others] = prices
  if (first === undefined || others.every((price) => price.currency === first.currency)) return null
  const shared = currenciesOf(first).find((one) => others.every((price) => currenciesOf(price).includes(one)))
  if (shared !== undefined) return shared
  throw invalidCheckout('items', 'The prices have no currency in common.', 'Sell them on two pages.')
}

/** Limits the trial in a request with a session. Otherwise an end user could choose a trial of any length. */
function checkOwnTrial({ trialPeriodDays, paymentMethodCollection }: CheckoutChoice, longest: number): void {
  if (longest === 0 && paymentMethodCollection === 'if_required')
    throw invalidCheckout(
      'payment_method_collection',
      'A session cannot request a trial without a card for this price.',
    )
  if (trialPeriodDays === undefined || trialPeriodDays <= longest) return
  throw invalidCheckout(
    'trial_period_days',
    longest === 0
      ? 'A session cannot request a trial for this price.'
      : `A session can request a trial of at most ${String(longest)} days.`,
    'To give a longer trial, use a service key, or raise RATECARD_SESSION_TRIAL_DAYS.',
  )
}

/**
 * Returns the trial in days; null means no trial. It is the trial in the request or, without one, the longest trial of the wanted prices,
 * because a subscription has one trial for all its items. 0 in the request means no trial.
 */
function trialOf({ trialPeriodDays }: CheckoutChoice, recurring: readonly ItemSold[]): number | null {
  const given = recurring.flatMap(({ price, wantedAt }) => (wantedAt === null ? [] : (price.trial_period_days ?? 0)))
  const days = trialPeriodDays ?? Math.max(0, ...given)
  return days === 0 ? null : days
}

/**
 * Returns the settings for a trial: whether a card is required, and what happens at its end without a card. Throws if the request has such
 * a setting although there is no trial.
 */
function termsOfTrial(
  { id }: Pick<Price, 'id'>,
  days: number | null,
  { paymentMethodCollection = 'always', trialEnd }: CheckoutChoice,
): Pick<PageTerms, 'paymentMethodCollection' | 'trialEnd'> {
  const cardless = paymentMethodCollection === 'if_required'
  if (days === null && (cardless || trialEnd !== undefined))
    throw invalidCheckout(
      cardless ? 'payment_method_collection' : 'trial_end',
      cardless
        ? `The price "${id}" is sold without a trial here, so the customer needs a card immediately.`
        : `The price "${id}" is sold without a trial here, so "trial_end" has no effect.`,
      'Add a trial with "trial_period_days", or leave this member out.',
    )
  return { paymentMethodCollection, trialEnd: trialEnd ?? (cardless ? 'cancel' : null) }
}

/**
 * Decides on the sale of a free price. Rejects a quantity above 1, a trial and a promotion code, because nothing is paid.
 * `allow_promotion_codes` has no effect: it only offers a field on a page, and there is no page.
 */
function decideFree(price: Price, items: readonly ItemSold[], requested: CheckoutChoice): CheckoutDecision {
  if (price.interval === undefined)
    throw new ServiceError('price_not_sellable', `The price "${price.id}" is free and has no interval.`, {
      hint: 'Show a way to contact you instead, or give the price an interval.',
    })
  if (items.length > 1)
    throw invalidCheckout(
      'items',
      `The price "${price.id}" is free and exists only in Ratecard, so other prices cannot be sold in the same subscription.`,
      'Remove it, and sell the other prices alone.',
    )
  if ((items[0]?.quantity ?? 1) > 1)
    throw invalidCheckout(
      'quantity',
      `The price "${price.id}" is free: a tenant can have it once, so it has no quantity.`,
    )
  if (requested.promotionCode !== undefined)
    throw invalidCheckout('promotion_code', `The price "${price.id}" is free, so a promotion code cannot apply to it.`)
  if ((requested.trialPeriodDays ?? 0) > 0)
    throw invalidCheckout('trial_period_days', `The price "${price.id}" is free, so it cannot have a trial.`)
  return { kind: 'free', priceId: price.id }
}

function isWithin(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most
}

// Decides what a checkout sells, and on which terms. Pure: takes the configuration, the tenant and the request, and returns the decision.
import { processorId, type ProcessorId } from '../catalog/resource.ts'
import { isLocalPrice } from '../config/schema/ids.ts'
import { presentId } from '../config/schema/previous-ids.ts'
import { isPublic } from '../config/schema/public-view.ts'
import type { BillingConfig, Price, Product } from '../config/schema/schema.ts'
import { ServiceError } from '../errors/service-error.ts'
import { inCurrency } from '../pricing/calculate.ts'
import { duplicateKey, soldPriceKey } from '../processor/customer-half.ts'
import type { NewCheckout } from '../service/tenants.ts'
import type { TenantRecord } from '../store/tenant-store.ts'
import { decidePromotion } from './decide-promotion.ts'
import { invalid } from './invalid.ts'
import { priceForTenant, type Deal } from './tenant-price.ts'

/** The applied configuration; its items have their current processor ids. */
export interface AppliedConfig {
  readonly version: string
  readonly revision: number
  readonly config: BillingConfig
}

export type CheckoutDecision =
  /** A free price is sold: the subscription is stored only in this service. */
  | { readonly kind: 'free'; readonly priceId: string }
  | {
      readonly kind: 'processor'
      /** Configuration id of the price that is sold: the tenant's negotiated price if there is one. */
      readonly priceId: string
      readonly price: ProcessorId
      readonly mode: 'subscription' | 'payment'
      readonly quantity: number | null
      readonly trialPeriodDays: number | null
      /** `if_required`: a trial begins without a card. */
      readonly paymentMethodCollection: 'always' | 'if_required'
      /** Effect of the end of a trial without a card; null leaves it to the processor, which makes an invoice. */
      readonly trialEnd: 'cancel' | 'pause' | null
      /** Currency of the sale; null lets the processor choose one of the price's currencies. */
      readonly currency: string | null
      readonly allowPromotionCodes: boolean
      readonly promotionCode: ProcessorId | null
      readonly metadata: Readonly<Record<string, string>>
    }

type PageTerms = Extract<CheckoutDecision, { kind: 'processor' }>

export interface CheckoutSituation {
  readonly applied: AppliedConfig
  readonly tenant: Deal & Pick<TenantRecord, 'id'>
  /** True if the caller may buy hidden prices, and may name promotion codes by their configuration id. */
  readonly hidden: boolean
  /** Current time in epoch milliseconds. */
  readonly now: number
  /**
   * Maximum trial (days) that a request with an end user's session may ask for; 0 allows none. A request with a service key may ask for up
   * to 730 days.
   */
  readonly sessionTrialDays: number
}

type CheckoutChoice = Omit<NewCheckout, 'successUrl' | 'cancelUrl'>

const maxTrialDays = 730
const maxQuantity = 1_000_000

/** Decides what a checkout sells. Throws `checkout_invalid`, `price_not_found` or `price_not_sellable`. */
export function decideCheckout(situation: CheckoutSituation, wish: CheckoutChoice): CheckoutDecision {
  checkAlone(wish)
  const { applied, tenant, hidden } = situation
  if (!hidden) checkOwnTrial(wish, situation.sessionTrialDays)
  const asked = findSellable(applied.config, wish.priceId, hidden)
  const price = priceForTenant(asked.price, asked.product, tenant)
  checkAgainst(price, wish)
  if (isLocalPrice(price)) return decideFree(price, wish)
  if (price.processor_id === undefined)
    throw new ServiceError('price_not_sellable', `The price "${price.id}" has no price at the processor.`)
  const trialPeriodDays = trialOf(wish, price)
  return {
    kind: 'processor',
    priceId: price.id,
    price: processorId(price.processor_id),
    mode: price.interval === undefined ? 'payment' : 'subscription',
    quantity: isMetered(price) ? null : (wish.quantity ?? 1),
    trialPeriodDays,
    ...termsOfTrial(price, trialPeriodDays, wish),
    currency: wish.currency ?? null,
    allowPromotionCodes: wish.allowPromotionCodes ?? false,
    promotionCode:
      wish.promotionCode === undefined
        ? null
        : decidePromotion(applied.config.promotion_codes ?? [], wish.promotionCode, {
            byId: hidden,
            present: presentId(applied.config, 'promotion_code', wish.promotionCode),
            now: situation.now,
          }),
    metadata: {
      ratecard_version: applied.version,
      ratecard_revision: String(applied.revision),
      [soldPriceKey]: price.id,
      ratecard_tenant_id: tenant.id,
      ...(wish.allowDuplicate === true ? { [duplicateKey]: 'allowed' } : {}),
    },
  }
}

/** Rejects options that are invalid whatever the price is. */
function checkAlone({ quantity, trialPeriodDays, allowPromotionCodes, promotionCode }: CheckoutChoice): void {
  if (quantity !== undefined && !isWithin(quantity, 1, maxQuantity))
    throw invalid('quantity', `"quantity" is a whole number from 1 to ${maxQuantity}.`)
  if (trialPeriodDays !== undefined && !isWithin(trialPeriodDays, 0, maxTrialDays))
    throw invalid('trial_period_days', `"trial_period_days" is a whole number from 0 to ${maxTrialDays}.`)
  if (allowPromotionCodes === true && promotionCode !== undefined)
    throw invalid(
      'promotion_code',
      'A checkout applies "promotion_code" or lets the customer type one ("allow_promotion_codes"), not both.',
    )
}

/** Limits the trial in a request with a session, because the end user could otherwise choose a trial of any length. */
function checkOwnTrial({ trialPeriodDays, paymentMethodCollection }: CheckoutChoice, longest: number): void {
  if (longest === 0 && paymentMethodCollection === 'if_required')
    throw invalid('payment_method_collection', 'A session cannot ask for a trial without a card here.')
  if (trialPeriodDays === undefined || trialPeriodDays <= longest) return
  throw invalid(
    'trial_period_days',
    longest === 0
      ? 'A session cannot ask for a trial here.'
      : `A session can ask for a trial of at most ${String(longest)} days.`,
    'Give longer trials with a service key, or set RATECARD_SESSION_TRIAL_DAYS.',
  )
}

/**
 * Returns the trial in days: from the request, otherwise from the price; null means no trial. 0 in the request removes the price's trial.
 */
function trialOf({ trialPeriodDays }: CheckoutChoice, price: Price): number | null {
  const days = trialPeriodDays ?? price.trial_period_days ?? 0
  return days === 0 ? null : days
}

/** Returns how a trial begins and ends without a card. Throws if the request has such a choice although there is no trial. */
function termsOfTrial(
  price: Price,
  days: number | null,
  { paymentMethodCollection = 'always', trialEnd }: CheckoutChoice,
): Pick<PageTerms, 'paymentMethodCollection' | 'trialEnd'> {
  const cardless = paymentMethodCollection === 'if_required'
  if (days === null && (cardless || trialEnd !== undefined))
    throw invalid(
      cardless ? 'payment_method_collection' : 'trial_end',
      cardless
        ? `The price "${price.id}" is sold without a trial here, so a card is needed at once.`
        : `The price "${price.id}" is sold without a trial here, so none ends.`,
      'Give a trial with "trial_period_days", or leave this out.',
    )
  return { paymentMethodCollection, trialEnd: trialEnd ?? (cardless ? 'cancel' : null) }
}

function checkAgainst(price: Price, { quantity, trialPeriodDays, currency }: CheckoutChoice): void {
  inCurrency(price, currency)
  if (isMetered(price) && quantity !== undefined)
    throw invalid('quantity', `The price "${price.id}" is metered: it is billed by usage and has no quantity.`)
  if (price.interval === undefined && (trialPeriodDays ?? 0) > 0)
    throw invalid('trial_period_days', `The price "${price.id}" is paid once, so it cannot have a trial.`)
}

/**
 * Finds the price to sell. With a session, hidden, negotiated and unknown prices all throw the same error, so that callers cannot find out
 * which price ids exist.
 */
function findSellable(config: BillingConfig, id: string, hidden: boolean): { price: Price; product: Product } {
  const present = presentId(config, 'price', id)
  for (const product of config.products) {
    const price = product.prices?.find((candidate) => candidate.id === present)
    if (price !== undefined && (hidden || isPublic(price))) return { price, product }
  }
  throw new ServiceError('price_not_found', `There is no price "${id}".`)
}

/** Decides on the sale of a free price. Trials and promotion codes are ignored, because nothing is paid. A quantity above 1 is rejected. */
function decideFree(price: Price, { quantity = 1 }: CheckoutChoice): CheckoutDecision {
  if (price.interval === undefined)
    throw new ServiceError('price_not_sellable', `The price "${price.id}" is free and has no interval.`, {
      hint: 'Show a way to contact you instead, or give the price an interval.',
    })
  if (quantity > 1) throw invalid('quantity', `The price "${price.id}" is free: it is taken once, without a quantity.`)
  return { kind: 'free', priceId: price.id }
}

function isMetered(price: Price): boolean {
  return price.usage_type === 'metered'
}

function isWithin(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most
}

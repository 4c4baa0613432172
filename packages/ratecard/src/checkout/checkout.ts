// Sells prices to tenants: through a hosted checkout page, or immediately if the price is free. Also opens the customer portal.
// decide-checkout.ts decides what is sold. No function here charges a customer: the customer pays on the processor's page.
import { createHash } from 'node:crypto'
import { processorId, type ProcessorId } from '../catalog/resource.ts'
import type { Clock } from '../clock.ts'
import { ServiceError } from '../errors/service-error.ts'
import { askProcessor, despiteKeptFailure } from '../processor/failures.ts'
import { endsKey } from '../processor/customer-half.ts'
import type { Processor, ProcessorAccount } from '../processor/processor.ts'
import type { Checkout, NewCheckout, Principal, TenantOperations } from '../service/tenants.ts'
import type { Store } from '../store/store.ts'
import type { TenantRecord } from '../store/tenant-store.ts'
import type { PriceBook } from '../item-swaps/price-book.ts'
import { readSoldItems, soldPrice, type SoldItem } from '../item-swaps/sold-items.ts'
import { excludes, isOtherOfGroup, sharesTrial, subscriptionBeside } from '../item-swaps/duplicate-subscriptions.ts'
import { findTenant, tenantNotFound, type Customers } from '../tenants/customer-link.ts'
import { closePages, everySubscriptionOf, subscriptionsOf } from '../tenants/at-processor.ts'
import { endedByPaying, endReplaced, isRunning, settleFree } from '../tenants/free-subscriptions.ts'
import { withTenant } from '../tenants/lease.ts'
import { decideCheckout, type AppliedConfig, type CheckoutDecision } from './decide-checkout.ts'
import { refuseSecond, standingOf, trialLeft, type Standing, type Trial } from './decide-second.ts'
import { allowedOrigins, checkRedirect } from './redirects.ts'
import { countingRefusedCodes } from './refused-codes.ts'
import { ownPrices } from './tenant-price.ts'

export interface CheckoutDeps {
  readonly store: Pick<Store, 'tenants' | 'localSubscriptions' | 'exclusively' | 'versions' | 'mappings' | 'facts'>
  readonly processor: Pick<
    Processor,
    'createCheckout' | 'createPortal' | 'subscriptions' | 'everySubscription' | 'expireCheckouts'
  >
  readonly customers: Customers
  readonly clock: Clock
  readonly newId: () => string
  readonly shutdown: AbortSignal
  /** Returns the applied configuration; throws `config_not_found` if there is none. */
  readonly applied: () => Promise<AppliedConfig>
  readonly account: () => Promise<ProcessorAccount>
  /** Returns the prices of the applied configuration. Renamed prices have their current id. */
  readonly priceBook: () => Promise<PriceBook>
  readonly allowedRedirects: readonly string[]
  readonly publicUrl: string | null
  readonly sessionTrialDays: number
}

export type Checkouts = Pick<TenantOperations, 'sessionPrices' | 'createCheckout' | 'createPortal'>

export function createCheckouts(deps: CheckoutDeps): Checkouts {
  const origins = allowedOrigins(deps.allowedRedirects, deps.publicUrl)
  return {
    async sessionPrices(principal) {
      const tenant = await deps.customers.tenantOf(principal)
      const { config } = await deps.applied()
      return ownPrices(config, tenant)
    },
    async createCheckout(wish, principal, idempotencyKey) {
      checkRedirect(wish.successUrl, 'success_url', origins)
      checkRedirect(wish.cancelUrl, 'cancel_url', origins)
      if (principal.kind === 'session' && wish.allowSecondTrial === true)
        throw new ServiceError(
          'not_allowed',
          '"allow_second_trial" needs a service key: a session cannot grant a second trial.',
        )
      const tenant = await deps.customers.tenantOf(principal)
      const selling: SellableOffer = { wish, principal, idempotencyKey }
      const work = () => decideAndSell(deps, selling, tenant)
      return triesCode(selling) ? countingRefusedCodes(deps, tenant.id, work) : work()
    },
    async createPortal(returnUrl, principal) {
      checkRedirect(returnUrl, 'return_url', origins)
      const tenant = await deps.customers.tenantOf(principal)
      await deps.account()
      const customer = await deps.customers.customerOf(tenant)
      const options = { idempotencyKey: `ratecard-portal-${deps.newId()}`, signal: deps.shutdown }
      return askProcessor(deps.shutdown, () => deps.processor.createPortal({ customer, returnUrl }, options))
    },
  }
}

type PageDecision = Extract<CheckoutDecision, { kind: 'processor' }>

interface SellableOffer {
  readonly wish: NewCheckout
  readonly principal: Principal
  readonly idempotencyKey: string | null
}

/**
 * True if the promotion code comes from an end user, so that rejected codes are counted. A request that also has `allow_promotion_codes` is
 * rejected before its code is looked up, so it does not count.
 */
const triesCode = ({ wish, principal }: SellableOffer) =>
  principal.kind === 'session' && wish.promotionCode !== undefined && wish.allowPromotionCodes !== true

async function decideAndSell(deps: CheckoutDeps, selling: SellableOffer, tenant: TenantRecord): Promise<Checkout> {
  const decision = await decide(deps, selling, tenant)
  if (decision.kind === 'processor') {
    await deps.account()
    await deps.customers.customerOf(tenant)
  }
  return withTenant(deps, tenant.id, (signal) => sell(deps, selling, tenant, signal))
}

async function decide(
  deps: CheckoutDeps,
  { wish, principal }: SellableOffer,
  tenant: TenantRecord,
): Promise<CheckoutDecision> {
  const situation = {
    applied: await deps.applied(),
    tenant,
    hidden: principal.kind === 'key',
    now: deps.clock.now(),
    sessionTrialDays: deps.sessionTrialDays,
  }
  return decideCheckout(situation, wish)
}

/**
 * Sells under the tenant's lease. The decision is made again there, because the tenant may have been deleted or may have got negotiated
 * prices meanwhile.
 */
async function sell(
  deps: CheckoutDeps,
  selling: SellableOffer,
  { id, createdAt }: TenantRecord,
  signal: AbortSignal,
): Promise<Checkout> {
  const tenant = await findTenant(deps, id)
  if (tenant.createdAt !== createdAt) throw tenantNotFound(id)
  const decision = await decide(deps, selling, tenant)
  return decision.kind === 'free'
    ? sellFree(deps, selling, { tenant, priceId: decision.priceId }, signal)
    : sellPage(deps, selling, { tenant, decision }, signal)
}

/** Starts a free subscription. Nothing is billed, so only a subscription to another product of the same group prevents it. */
async function sellFree(
  deps: CheckoutDeps,
  { wish }: SellableOffer,
  { tenant, priceId }: { readonly tenant: TenantRecord; readonly priceId: string },
  signal: AbortSignal,
): Promise<Checkout> {
  const { id } = tenant
  const book = await deps.priceBook()
  const sold = soldPriceOf(priceId, book)
  const isGrouped = sold !== null && sold.product.group !== null
  const wanted = isGrouped && wish.allowDuplicate !== true ? sold : null
  const live = await liveOf(deps, tenant, wanted !== null, signal)
  if (wanted !== null) {
    const soldItem = await readSoldItems(deps.store, book, live)
    refuseSecond(wanted, { present: subscriptionBeside(wanted, live, soldItem, isOtherOfGroup) })
  }
  // First ends the free subscriptions that a paid subscription replaced. Otherwise `start` would return one of them instead of a new
  // subscription.
  const running = await settleFree(deps, id, live)
  const started = await deps.store.localSubscriptions.start({
    id: `sub_local_${deps.newId()}`,
    tenantId: id,
    priceId,
    createdAt: deps.clock.now(),
    endedAt: null,
  })
  const replaced = running.filter((one) => {
    const present = soldPriceOf(one.priceId, book)
    return wanted !== null && present !== null && isOtherOfGroup(present, wanted)
  })
  await endReplaced(deps, started, replaced)
  return { url: wish.successUrl, sessionId: null }
}

async function sellPage(
  deps: CheckoutDeps,
  { wish, idempotencyKey }: SellableOffer,
  { tenant, decision }: { readonly tenant: TenantRecord; readonly decision: PageDecision },
  signal: AbortSignal,
): Promise<Checkout> {
  if (tenant.processorCustomerId === null)
    throw new ServiceError('tenant_busy', 'The tenant’s customer was removed during this request.', { retryAfter: 1 })
  const { kind: _kind, priceId, ...sold } = decision
  const customer = processorId(tenant.processorCustomerId)
  const sale = { tenantId: tenant.id, customer, priceId, recurring: sold.mode === 'subscription' }
  const trial = await trialOf(deps, { ...sale, days: sold.trialPeriodDays }, wish, signal)
  const ends = sale.recurring ? await endedBy(deps, tenant.id) : {}
  const request = {
    ...sold,
    trialPeriodDays: trial.days,
    // Without the trial, e.g. because it was used, the first payment is due now and needs a card.
    ...(trial.days === null ? { paymentMethodCollection: 'always' as const, trialEnd: null } : {}),
    metadata: { ...sold.metadata, ...ends },
    customer,
    successUrl: wish.successUrl,
    cancelUrl: wish.cancelUrl,
  }
  const key = processorKey(idempotencyKey ?? deps.newId(), request)
  const send = (idempotencyKey: string) => deps.processor.createCheckout(request, { idempotencyKey, signal })
  const page = await askProcessor(signal, () =>
    despiteKeptFailure(send, key, () => processorKey(deps.newId(), request)),
  )
  const only = { purchase: wish.allowDuplicate !== true, trial: trial.days !== null && wish.allowSecondTrial !== true }
  if (sale.recurring && (only.purchase || only.trial))
    await closeOtherPages(deps, { ...sale, sessionId: page.sessionId }, only, signal)
  return { ...page, ...(trial.used ? { trial: 'used' } : {}) }
}

/** Returns checkout metadata with the ids of the free subscriptions that end when the page is paid; empty if there are none. */
async function endedBy(deps: CheckoutDeps, tenantId: string): Promise<Readonly<Record<string, string>>> {
  const ends = endedByPaying((await deps.store.localSubscriptions.list(tenantId)).filter(isRunning))
  return ends === null ? {} : { [endsKey]: ends }
}

/**
 * Returns the live subscriptions of the tenant's customer. They are read only if the product belongs to a group, or if a free subscription
 * may have to end.
 */
async function liveOf(
  deps: CheckoutDeps,
  { id, processorCustomerId: customer }: TenantRecord,
  grouped: boolean,
  signal: AbortSignal,
) {
  if (customer === null) return []
  if (!grouped && !(await deps.store.localSubscriptions.list(id)).some(isRunning)) return []
  await deps.account()
  return subscriptionsOf(deps.processor, processorId(customer), signal)
}

interface Sale {
  readonly tenantId: string
  readonly customer: ProcessorId
  readonly priceId: string
  readonly recurring: boolean
}

/**
 * Returns the trial that the tenant still has. It is read under the tenant's lease right before the page is created. Throws
 * `already_subscribed` or `trial_used`.
 */
async function trialOf(
  deps: CheckoutDeps,
  sale: Sale & { readonly days: number | null },
  wish: NewCheckout,
  signal: AbortSignal,
): Promise<Trial> {
  const needsTrial = sale.days !== null && wish.allowSecondTrial !== true
  if (!sale.recurring || (wish.allowDuplicate === true && !needsTrial)) return { days: sale.days, used: false }
  const found = await standing(deps, sale, needsTrial, signal)
  if (found === null) return { days: sale.days, used: false }
  if (wish.allowDuplicate !== true) refuseSecond(found.wanted, found)
  return trialLeft(found, sale.days, wish)
}

/**
 * Returns the existing subscriptions that affect the sale. Returns null for a price that a push has just removed; the processor will reject
 * such a sale.
 */
async function standing(
  deps: CheckoutDeps,
  { customer, priceId }: Pick<Sale, 'customer' | 'priceId'>,
  ended: boolean,
  signal: AbortSignal,
): Promise<(Standing & { readonly wanted: SoldItem }) | null> {
  const book = await deps.priceBook()
  const wanted = soldPriceOf(priceId, book)
  if (wanted === null) return null
  const read = ended ? everySubscriptionOf : subscriptionsOf
  const subscriptions = await read(deps.processor, customer, signal)
  const soldItem = await readSoldItems(deps.store, book, subscriptions)
  return { ...standingOf(wanted, subscriptions, { soldItem, book }), wanted }
}

/**
 * Expires the tenant's other open pages that would sell the same a second time, or start a second trial. If one of these pages was paid
 * after the subscriptions were read, the new page is expired too; a retry then finds the subscription.
 */
async function closeOtherPages(
  deps: CheckoutDeps,
  sale: Sale & { readonly sessionId: string },
  only: { readonly purchase: boolean; readonly trial: boolean },
  signal: AbortSignal,
): Promise<void> {
  const book = await deps.priceBook()
  const wanted = soldPriceOf(sale.priceId, book)
  if (wanted === null) return
  const sells = (priceId: string) => {
    const other = soldPriceOf(priceId, book)
    return other !== null && ((only.purchase && excludes(other, wanted)) || (only.trial && sharesTrial(other, wanted)))
  }
  const pages = { customer: sale.customer, tenantId: sale.tenantId, sells }
  await closePages(deps.processor, { ...pages, except: sale.sessionId }, signal)
  const now = await standing(deps, sale, only.trial, signal)
  if (now === null) return
  if (!(only.trial && now.firstTrial !== null) && !(only.purchase && now.present !== null)) return
  await closePages(deps.processor, pages, signal)
  throw new ServiceError('tenant_busy', 'Another checkout page of the tenant was paid during this request.', {
    retryAfter: 1,
  })
}

function soldPriceOf(priceId: string, book: PriceBook): SoldItem | null {
  const booked = book.find(priceId)
  return booked === undefined ? null : soldPrice(booked)
}

/**
 * Returns the idempotency key for the processor. It covers the whole request, because the processor rejects a key that is reused for a
 * different request, e.g. after a push in between. A second checkout page does no harm, because only one of them is paid.
 */
function processorKey(key: string, request: unknown): string {
  const text = JSON.stringify([key, request])
  return `ratecard-checkout-${createHash('sha256').update(text).digest('hex').slice(0, 40)}`
}

// Sells prices to tenants: through a hosted checkout page, or immediately if the price is free. Also opens the customer portal.
// decide-checkout.ts decides what is sold. No function here charges a customer: the customer pays on the processor's page.
import { createHash } from 'node:crypto'
import { processorId, type ProcessorId } from '../../catalog/resource.ts'
import type { Clock } from '../../base/clock.ts'
import type { BillingConfig } from '../../document/schema/schema.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { askProcessor, despiteKeptFailure } from '../../processor/failures.ts'
import { endsKey, type CheckoutRequest } from '../../processor/customer-half.ts'
import type { Processor, ProcessorAccount } from '../../processor/processor.ts'
import type { Store } from '../../store/store.ts'
import type { PriceBook } from '../item-swaps/price-book.ts'
import { readSoldItems, soldPrice, type SoldItem } from '../item-swaps/sold-items.ts'
import { withComing } from '../item-swaps/coming-items.ts'
import { excludes, isOtherOfGroup, sharesTrial, subscriptionBeside } from '../item-swaps/duplicate-subscriptions.ts'
import { findTenant, tenantNotFound, type Customers } from '../tenants/customer-link.ts'
import { closePages, everySubscriptionOf, subscriptionsOf } from '../tenants/at-processor.ts'
import { endedByPaying, endReplaced, isRunning, settleFree } from '../tenants/free-subscriptions.ts'
import { withTenant } from '../../acts/lease.ts'
import { decideCheckout, type AppliedConfig, type CheckoutDecision, type CheckoutItem } from './decide-checkout.ts'
import { decideFlow, decidePortal } from './decide-portal.ts'
import { refuseSecond, standingOf, trialLeft, type Standing, type Trial, type WantedItems } from './decide-second.ts'
import { invalidCheckout } from './invalid.ts'
import { closeTwins, isTaken, onceCouponOf, takenText, type OnceDeps, type OnceSale } from './once-per-tenant.ts'
import { checkRedirect, type redirectRules } from './redirects.ts'
import { countingRefusedCodes } from './refused-codes.ts'
import type { Checkout, NewCheckout, NewPortal, SessionPrices } from '../../api/customers/checkout.ts'
import type { Principal } from '../../api/customers/sessions.ts'
import type { TenantRecord } from '../../store/records/tenants.ts'
import { isPublic, publicPrice } from '../../document/schema/public-view.ts'
import { priceForTenant, type Deal } from '../../document/pricing/tenant-price.ts'

export interface CheckoutDeps {
  readonly store: Pick<Store, 'tenants' | 'localSubscriptions' | 'tryExclusively' | 'versions' | 'mappings' | 'facts'>
  readonly processor: Pick<
    Processor,
    'createCheckout' | 'createPortal' | 'subscriptions' | 'everySubscription' | 'schedulePhases'
  > &
    OnceDeps['processor']
  readonly customers: Customers
  readonly clock: Clock
  /** Real time, for rate limits; see {@link Clocks}. */
  readonly wallClock: Clock
  readonly newId: () => string
  readonly shutdown: AbortSignal
  /** Returns the applied configuration; throws `config_not_found` if there is none. */
  readonly applied: () => Promise<AppliedConfig>
  readonly account: () => Promise<ProcessorAccount>
  /** Returns the prices of the applied configuration. Renamed prices have their current id. */
  readonly priceBook: () => Promise<PriceBook>
  /** Where hosted pages may lead, for each kind of principal. */
  readonly redirects: ReturnType<typeof redirectRules>
  readonly sessionTrialDays: number
  readonly sessionMaxQuantity: number
}

export const checkouts = { sessionPrices, createCheckout, createPortal }

/** Returns the tenant's negotiated prices, each in place of a public price. They have only the members that are public. */
async function sessionPrices(deps: CheckoutDeps, principal: Principal) {
  const tenant = await deps.customers.tenantOf(principal)
  const { config } = await deps.applied()
  return ownPrices(config, tenant)
}

async function createCheckout(
  deps: CheckoutDeps,
  requested: NewCheckout,
  principal: Principal,
  idempotencyKey: string | null,
): Promise<Checkout> {
  const rule = deps.redirects[principal.kind]
  checkRedirect(requested.successUrl, 'success_url', rule)
  checkRedirect(requested.cancelUrl, 'cancel_url', rule)
  if (principal.kind === 'session' && requested.allowSecondTrial === true)
    throw new ServiceError(
      'not_allowed',
      '"allow_second_trial" needs a service key. A session cannot grant a second trial.',
    )
  const selling: SellableOffer = { requested, principal, idempotencyKey }
  if (principal.kind === 'key' && principal.tenantId === null) return sellToAnybody(deps, selling)
  const tenant = await deps.customers.tenantOf(principal)
  const work = () => decideAndSell(deps, selling, tenant)
  return triesCode(selling) ? countingRefusedCodes(deps, tenant.id, work) : work()
}

async function createPortal(deps: CheckoutDeps, requested: NewPortal, principal: Principal) {
  const { returnUrl, portalId, flow } = requested
  const isSession = principal.kind === 'session'
  const rule = deps.redirects[principal.kind]
  checkRedirect(returnUrl, 'return_url', rule)
  const after = flow?.afterCompletion?.redirect?.returnUrl
  if (after !== undefined) checkRedirect(after, 'flow.after_completion.redirect.return_url', rule)
  const tenant = await deps.customers.tenantOf(principal)
  const config = await appliedConfig(deps)
  const configuration = decidePortal(config, portalId, isSession)
  await deps.account()
  const customer = await deps.customers.customerOf(tenant)
  const signal = deps.shutdown
  const live = flow === undefined ? [] : await subscriptionsOf(deps.processor, customer, signal)
  const { sessionMaxQuantity } = deps
  const situation = { config, tenant, hidden: !isSession, now: deps.clock.now(), sessionMaxQuantity }
  const decideIt = async () => {
    const decided = flow === undefined ? null : decideFlow(situation, flow, live)
    for (const one of decided?.confirm?.discounts ?? [])
      if ('promotionCode' in one)
        await onceOffered(deps, principal, { tenantId: tenant.id, customer, code: one.promotionCode, signal })
    return decided
  }
  const tries = isSession && (flow?.subscriptionUpdateConfirm?.discounts ?? []).length > 0
  const request = {
    ...{ customer, returnUrl, configuration },
    flow: tries ? await countingRefusedCodes(deps, tenant.id, decideIt) : await decideIt(),
  }
  const options = { idempotencyKey: `ratecard-portal-${deps.newId()}`, signal }
  return deps.customers.livingFor(tenant, () =>
    askProcessor(signal, () => deps.processor.createPortal(request, options)),
  )
}

/**
 * Returns the applied configuration. If there is none, returns one without items, because the customer portal works without a configuration
 * too.
 */
async function appliedConfig({ applied }: CheckoutDeps): Promise<BillingConfig> {
  try {
    return (await applied()).config
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'config_not_found') return { version: '0.0.0', products: [] }
    throw error
  }
}

type PageDecision = Extract<CheckoutDecision, { kind: 'processor' }>

interface SellableOffer {
  readonly requested: NewCheckout
  readonly principal: Principal
  readonly idempotencyKey: string | null
}

/**
 * True if an end user (not a service key) sends a promotion code. Then a rejected code counts towards the limit of attempts. A request that
 * also has `allow_promotion_codes` is rejected before its code is looked up, so it does not count.
 */
const triesCode = ({ requested, principal }: SellableOffer) =>
  principal.kind === 'session' && requested.promotionCode !== undefined && requested.allowPromotionCodes !== true

async function decideAndSell(deps: CheckoutDeps, selling: SellableOffer, tenant: TenantRecord): Promise<Checkout> {
  const decision = await decide(deps, selling, tenant)
  const attempt = () =>
    deps.customers.livingFor(tenant, async () => {
      if (decision.kind === 'processor') {
        await deps.account()
        await deps.customers.customerOf(await findTenant(deps, tenant.id))
      }
      return withTenant(deps, tenant.id, (signal) => openCheckout(deps, selling, tenant, signal))
    })
  try {
    return await attempt()
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'customer_deleted') throw error
    await deps.customers.replaceDeleted(tenant)
    return attempt()
  }
}

async function decide(
  deps: CheckoutDeps,
  { requested, principal }: SellableOffer,
  tenant: TenantRecord | null,
): Promise<CheckoutDecision> {
  const situation = {
    applied: await deps.applied(),
    tenant,
    hidden: principal.kind === 'key',
    now: deps.clock.now(),
    sessionTrialDays: deps.sessionTrialDays,
    sessionMaxQuantity: deps.sessionMaxQuantity,
  }
  return decideCheckout(situation, requested)
}

/**
 * Opens a page for a customer that is not known yet: a service key named no tenant. The processor creates the customer when the page is
 * paid. Without a tenant there is no deal, no earlier purchase and no used trial.
 */
async function sellToAnybody(deps: CheckoutDeps, selling: SellableOffer): Promise<Checkout> {
  const decision = await decide(deps, selling, null)
  if (decision.kind === 'free')
    throw invalidCheckout(
      'tenant_id',
      `The price "${decision.priceId}" is free and exists only in Ratecard, so the checkout must name the tenant that gets it.`,
    )
  await deps.account()
  const { kind: _kind, items, ...sold } = decision
  return openPage(deps, selling, { ...sold, items: items.map(lineOf), customer: null }, deps.shutdown)
}

const lineOf = ({ price, quantity }: CheckoutItem) => ({ price, quantity })

/** Opens the page at the processor. A refusal that the processor only repeats for a known key is asked again under a new key. */
function openPage(
  deps: CheckoutDeps,
  { requested, idempotencyKey }: SellableOffer,
  page: Omit<CheckoutRequest, 'successUrl' | 'cancelUrl'>,
  signal: AbortSignal,
): Promise<{ url: string; sessionId: string }> {
  const request = { ...page, successUrl: requested.successUrl, cancelUrl: requested.cancelUrl }
  const key = processorKey(idempotencyKey ?? deps.newId(), request)
  const send = (idempotencyKey: string) => deps.processor.createCheckout(request, { idempotencyKey, signal })
  return askProcessor(signal, () => despiteKeptFailure(send, key, () => processorKey(deps.newId(), request)))
}

/**
 * Sells while holding the tenant's lease. Decides again under the lease, because the tenant may have been deleted, or may have got
 * negotiated prices, in the meantime.
 */
async function openCheckout(
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
  { requested }: SellableOffer,
  { tenant, priceId }: { readonly tenant: TenantRecord; readonly priceId: string },
  signal: AbortSignal,
): Promise<Checkout> {
  const { id } = tenant
  const book = await deps.priceBook()
  const sold = soldPriceOf(priceId, book)
  const isGrouped = sold !== null && sold.product.group !== null
  const wanted = isGrouped && requested.allowDuplicate !== true ? sold : null
  const live = await liveOf(deps, tenant, wanted !== null, signal)
  if (wanted !== null) {
    const soldItem = await readSoldItems(deps.store, book, live)
    const present = subscriptionBeside(wanted, live, soldItem, isOtherOfGroup)
    refuseSecond(present === null ? null : { present, wanted })
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
  return { url: requested.successUrl, sessionId: null }
}

async function sellPage(
  deps: CheckoutDeps,
  selling: SellableOffer,
  { tenant, decision }: { readonly tenant: TenantRecord; readonly decision: PageDecision },
  signal: AbortSignal,
): Promise<Checkout> {
  const { requested } = selling
  if (tenant.processorCustomerId === null)
    throw new ServiceError('tenant_busy', 'The tenant’s customer was removed during this request.', { retryAfter: 1 })
  const { kind: _kind, items, ...sold } = decision
  const customer = processorId(tenant.processorCustomerId)
  const sale = { tenantId: tenant.id, customer, items: items.filter(({ recurring }) => recurring) }
  const trial = await trialOf(deps, { ...sale, days: sold.trialPeriodDays }, requested, signal)
  const isRecurring = sold.mode === 'subscription'
  const ends = isRecurring ? await endedBy(deps, tenant.id) : {}
  const request = {
    ...sold,
    items: items.map(lineOf),
    trialPeriodDays: trial.days,
    // A subscription without a trial (e.g. because the tenant already had one) is paid for now, which needs a card.
    ...(trial.days === null ? { paymentMethodCollection: 'always' as const, trialEnd: null } : {}),
    metadata: { ...sold.metadata, ...ends },
    customer,
  }
  const once = await onceOffered(deps, selling.principal, {
    tenantId: tenant.id,
    customer,
    code: sold.promotionCode,
    signal,
  })
  const page = await openPage(deps, selling, request, signal)
  if (once !== null) await sellOnce(deps, once, page.sessionId)
  const only = {
    purchase: requested.allowDuplicate !== true,
    trial: trial.days !== null && requested.allowSecondTrial !== true,
  }
  if (isRecurring && (only.purchase || only.trial))
    await closeOtherPages(deps, { ...sale, sessionId: page.sessionId }, only, signal)
  return { ...page, ...(trial.used ? { trial: 'used' } : {}) }
}

/** Returns the coupon that a session takes with its code if it is for one purchase. Throws `checkout_invalid` if the tenant has taken it. */
async function onceOffered(
  deps: CheckoutDeps,
  principal: Principal,
  { tenantId, customer, code, signal }: Omit<OnceSale, 'once'> & { readonly code: ProcessorId | null },
): Promise<OnceSale | null> {
  if (principal.kind === 'key' || code === null) return null
  const once = onceCouponOf((await deps.applied()).config, code)
  if (once === null) return null
  const sale = { once, tenantId, customer, signal }
  if (await isTaken(deps, sale)) throw invalidCheckout('promotion_code', takenText)
  return sale
}

/** Leaves the page as the only one with the coupon. If another one was paid since, this one is expired, too. */
async function sellOnce(deps: CheckoutDeps, sale: OnceSale, sessionId: string): Promise<void> {
  await closeTwins(deps, sale, sessionId)
  if (!(await isTaken(deps, sale))) return
  await closeTwins(deps, sale)
  throw invalidCheckout('promotion_code', takenText)
}

/** Returns checkout metadata with the ids of the free subscriptions that end when the page is paid; empty if there are none. */
async function endedBy(deps: CheckoutDeps, tenantId: string): Promise<Readonly<Record<string, string>>> {
  const ends = endedByPaying((await deps.store.localSubscriptions.list(tenantId)).filter(isRunning))
  return ends === null ? {} : { [endsKey]: ends }
}

/**
 * Returns the live subscriptions of the tenant's customer. Reads them only if the sale depends on them: if the product belongs to a group,
 * or if a free subscription may have to end.
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
  /** Recurring prices of the page; empty if it only sells one-time prices. */
  readonly items: readonly CheckoutItem[]
}

/**
 * Returns the trial that the tenant can still get. It is determined under the tenant's lease right before the page is created. Throws
 * `already_subscribed` or `trial_used`.
 */
async function trialOf(
  deps: CheckoutDeps,
  sale: Sale & { readonly days: number | null },
  requested: NewCheckout,
  signal: AbortSignal,
): Promise<Trial> {
  const needsTrial = sale.days !== null && requested.allowSecondTrial !== true
  if (sale.items.length === 0 || (requested.allowDuplicate === true && !needsTrial))
    return { days: sale.days, used: false }
  const found = await standing(deps, sale, needsTrial, signal)
  if (requested.allowDuplicate !== true) refuseSecond(found.present)
  return trialLeft(found, sale.days, requested)
}

/**
 * Returns the tenant's subscriptions that affect the sale, e.g. one to the same product. Reads ended subscriptions too if `ended` is true.
 */
async function standing(
  deps: CheckoutDeps,
  { customer, items }: Pick<Sale, 'customer' | 'items'>,
  ended: boolean,
  signal: AbortSignal,
): Promise<Standing> {
  const book = await deps.priceBook()
  const read = ended ? everySubscriptionOf : subscriptionsOf
  const subscriptions = await read(deps.processor, customer, signal)
  const soldItem = await readSoldItems(deps.store, book, subscriptions)
  const scheduled = await withComing(deps.processor, subscriptions, book, signal)
  return standingOf(wantedItems(items, book), scheduled, { soldItem, book })
}

/** Finds the items to sell. Prices that a push has just removed are left out; the processor will reject their sale. */
function wantedItems(items: readonly CheckoutItem[], book: PriceBook): WantedItems {
  const found = items.flatMap(({ priceId, attached }) => {
    const item = soldPriceOf(priceId, book)
    return item === null ? [] : [{ item, attached }]
  })
  return {
    all: found.map(({ item }) => item),
    named: found.filter(({ attached }) => !attached).map(({ item }) => item),
  }
}

/**
 * Expires the tenant's other open checkout pages that would sell the same product a second time, or start a second trial. If one of these
 * pages was paid after the subscriptions were read, the new page is expired too. A retry then finds the new subscription.
 */
async function closeOtherPages(
  deps: CheckoutDeps,
  sale: Sale & { readonly sessionId: string },
  only: { readonly purchase: boolean; readonly trial: boolean },
  signal: AbortSignal,
): Promise<void> {
  const book = await deps.priceBook()
  const wanted = wantedItems(sale.items, book)
  const sells = (priceId: string) => {
    const other = soldPriceOf(priceId, book)
    if (other === null) return false
    return (
      (only.purchase && wanted.all.some((item) => excludes(other, item))) ||
      (only.trial && wanted.named.some((item) => sharesTrial(other, item)))
    )
  }
  const pages = { customer: sale.customer, tenantId: sale.tenantId, sells }
  await closePages(deps.processor, { ...pages, except: sale.sessionId }, signal)
  const now = await standing(deps, sale, only.trial, signal)
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
 * Returns the idempotency key for the processor. It depends on the whole request, because the processor rejects a key that is reused for a
 * different request, e.g. after a push in between. This may create a second checkout page, which does no harm, because only one of the two
 * gets paid.
 */
function processorKey(key: string, request: unknown): string {
  const text = JSON.stringify([key, request])
  return `ratecard-checkout-${createHash('sha256').update(text).digest('hex').slice(0, 40)}`
}

/** Returns the public prices for which the tenant has negotiated prices, in document order. */
function ownPrices(config: BillingConfig, deal: Deal): SessionPrices {
  return config.products.flatMap((product) =>
    (product.prices ?? []).filter(isPublic).flatMap((base) => {
      const own = priceForTenant(base, config, deal)
      return own === base ? [] : [{ basePriceId: base.id, price: publicPrice(own) }]
    }),
  )
}

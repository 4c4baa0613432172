// Reads all data that a change of a subscription depends on, and selects the subscription.
import { createHash } from 'node:crypto'
import { defaultProration } from '../../../api/server/limits.ts'
import { presentId } from '../../../document/rules/previous-ids.ts'
import { decidePromotion } from '../../checkout/decide-promotion.ts'
import { isTaken, onceCouponOf, takenText } from '../../checkout/once-per-tenant.ts'
import { checkSessionQuantity } from '../../checkout/session-quantity.ts'
import { processorId, type ProcessorId } from '../../../catalog/resource.ts'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { refuseBesideOthers, refuseBesideStaying, replacedFree, type Beside } from './beside.ts'
import { tariffOfItem, tariffOfPrice } from '../../item-swaps/monthly-money.ts'
import { withComing } from '../../item-swaps/coming-items.ts'
import { archivedIn, scopeOf, type PriceBook } from '../../item-swaps/price-book.ts'
import { readSoldItems, type SoldItemOf } from '../../item-swaps/sold-items.ts'
import type { LiveItem, LiveSubscription } from '../../../processor/customer-half.ts'
import { askProcessor } from '../../../processor/failures.ts'
import type { ChangeableSubscription, PlannedItem } from '../../../processor/subscription-change.ts'
import type { BillingConfig, Coupon } from '../../../document/schema/schema.ts'
import { canonicalDecimal } from '../../../base/money/decimal.ts'
import type { MirroredDiscount } from '../../../processor/mirrored.ts'
import { isRunning } from '../../tenants/free-subscriptions.ts'
import { subscriptionsOf } from '../../tenants/at-processor.ts'
import { type ChangeSituation, type PresentItem, invalidChange } from './decision.ts'
import type { ChangeDeps } from '../deps.ts'
import { priceForTenant } from '../../../document/pricing/tenant-price.ts'
import {
  attachedPricesOf,
  replacedItems,
  type ListedItem,
  withRemovedPrices,
  scopeIn,
  scopeOfItem,
  scopesOf,
  type Scopes,
} from './replaced-items.ts'
import { termsOf } from './monthly.ts'
import { isBegunBySession, isScheduledBySession, readDecided } from '../decisions.ts'
import { wantedItems, type KeptPrice, type Offer } from './wanted-items.ts'
import type { NewChange } from '../../../api/customers/subscription-changes.ts'
import type { TenantRecord } from '../../../store/records/tenants.ts'

/** Returns the tenant's subscriptions that have not ended, oldest first. Omits subscriptions whose first payment was never completed. */
export async function readLive(
  deps: Pick<ChangeDeps, 'processor' | 'assertAccount'>,
  { processorCustomerId: customer }: TenantRecord,
  signal: AbortSignal,
): Promise<readonly LiveSubscription[]> {
  if (customer === null) return []
  await deps.assertAccount('look')
  const found = await subscriptionsOf(deps.processor, processorId(customer), signal)
  return found.filter(({ status }) => status !== 'incomplete_expired' && status !== 'canceled')
}

/** Reads a subscription again, with its schedule and its pending payment. */
export async function readState(deps: ChangeDeps, id: string, signal: AbortSignal): Promise<ChangeableSubscription> {
  const state = await askProcessor(signal, () => deps.processor.changeable(id, signal))
  if (state === null) throw notFound(id)
  return state
}

export function notFound(id: string | undefined): ServiceError {
  if (id === undefined)
    return new ServiceError('subscription_not_found', 'The tenant has no subscription at the processor.', {
      hint: 'A subscription is bought by a checkout (POST /api/v1/billing/checkout).',
    })
  return new ServiceError('subscription_not_found', `The tenant has no subscription "${id}" at the processor.`, {
    hint: 'Leave "subscription" out if the tenant has only one; see GET admin/tenants/{id}/subscriptions.',
  })
}

/** Selects a subscription by its id, or the only one. */
export function selectSubscription(live: readonly LiveSubscription[], id: string | undefined): LiveSubscription {
  const chosen = id === undefined ? live : live.filter((one) => one.id === id)
  const [only, second] = chosen
  if (only === undefined) throw notFound(id)
  if (second === undefined) return only
  throw severalOf(live)
}

function severalOf(live: readonly LiveSubscription[]): ServiceError {
  const ids = live.map(({ id }) => id).join(', ')
  return invalidChange(
    'subscription',
    `The tenant has several subscriptions: ${ids}.`,
    'Set "subscription" to the id of one of them.',
  )
}

/** A change as far as it was read: `decideChange` decides it. */
export interface ReadChange {
  readonly situation: ChangeSituation
  readonly beside: Beside
  /** Digest of the request and of all data that the change depends on. A preview is stale if its digest differs. */
  readonly fingerprint: string
}

type Wish = Omit<NewChange, 'preview'>

/**
 * Reads the data of a change. Throws `subscription_not_found`, `change_invalid`, `price_not_found` and other errors of the request itself.
 */
export async function readChange(
  deps: ChangeDeps,
  tenant: TenantRecord,
  requestedChange: Wish,
  { session, signal }: { readonly session: boolean; readonly signal: AbortSignal },
): Promise<ReadChange> {
  const [{ config }, book, live] = await Promise.all([deps.applied(), deps.priceBook(), readLive(deps, tenant, signal)])
  const soldItem = await readSoldItems(deps.store, book, live)
  const sellable = requestedChange.toCurrent === true ? config : withRemovedPrices(config, live, { book, soldItem })
  const offered = { config: sellable, tenant, hidden: !session }
  const offer: Offer = { ...offered, has: hasIn(live, book) }
  const scopes = scopesOf(offer, requestedChange, { book, live })
  const id = idOf(live, requestedChange.subscription, scopes, soldItem)
  const state = await readState(deps, id, signal)
  if (session) checkQuantities(deps, requestedChange, state)
  const { subscription: chosen } = state
  const held = await Promise.all(chosen.items.map((item) => heldItem(deps, book, item, chosen.currency)))
  const own = { ...offered, has: hasIn([chosen], book) }
  const { present, wanted, isReplaced, listedOf } = replacementOf(own, requestedChange, {
    state,
    held,
    scopes,
    book,
    soldItem,
  })
  const beside = { wanted, isReplaced, state, book, soldItem }
  await refuseOthers(deps, beside, live, signal)
  refuseBesideStaying(beside)
  const planned = await readPlanned(deps, book, { state, present })
  const running = (await deps.store.localSubscriptions.list(tenant.id)).filter(isRunning)
  const endsFree = replacedFree(beside, running)
  const leaving = present.flatMap(({ live: item, replaced }) => (replaced ? [item] : []))
  const begunBySession = session && (await isBegunBySession(deps, id, leaving))
  const decided = await readDecided(deps, id)
  const scheduledBySession = isScheduledBySession(state, decided)
  const takenOff = isCancelled(state) && (decided.cancellation?.takenOff ?? null) !== null
  const promotionCode = promotionOf(deps, offer, requestedChange)
  if (promotionCode !== null) {
    refuseScheduled(config, { promotionCode, state, isReplaced })
    await refuseRunning(deps, config, { promotionCode, state, signal })
    if (session) await refuseTaken(deps, config, { tenantId: tenant.id, promotionCode, state, signal })
  }
  return {
    situation: {
      ...{ state, present, wanted, isReplaced, listedOf, planned, requestedChange, promotionCode, endsFree, session },
      promotionTerms: promotionTerms(config, promotionCode),
      productOf: productsOf(config, book, state),
      isArchived: archivedIn(book),
      ...{ begunBySession, scheduledBySession, takenOff },
    },
    beside,
    fingerprint: fingerprintOf(requestedChange, state, { present, wanted }),
  }
}

const isCancelled = ({ subscription: { cancelAt, cancelAtPeriodEnd } }: ChangeableSubscription) =>
  cancelAtPeriodEnd || cancelAt !== null

/** Throws `quantity_invalid` if a session asks for more of a price than it may, and than its subscription has. */
function checkQuantities(
  { sessionMaxQuantity: most }: ChangeDeps,
  { items }: Wish,
  { subscription }: ChangeableSubscription,
): void {
  const present = Math.max(0, ...subscription.items.map(({ quantity }) => quantity ?? 0))
  for (const [index, { quantity }] of items.entries())
    checkSessionQuantity(quantity, { most, present }, ['items', index])
}

/** Throws `already_subscribed` if another subscription of the tenant has, or will have by its schedule, what excludes a wanted item. */
async function refuseOthers(
  { processor }: ChangeDeps,
  beside: Beside,
  live: readonly LiveSubscription[],
  signal: AbortSignal,
): Promise<void> {
  const others = live.filter(({ id }) => id !== beside.state.subscription.id)
  refuseBesideOthers(beside, await withComing(processor, others, beside.book, signal))
}

/** Reads the tenant's subscriptions again. Throws `already_subscribed` if a checkout page sold one since, that excludes a wanted item. */
export async function refuseSoldSince(
  deps: ChangeDeps,
  tenant: TenantRecord,
  beside: Beside,
  signal: AbortSignal,
): Promise<void> {
  const live = await readLive(deps, tenant, signal)
  const soldItem = await readSoldItems(deps.store, beside.book, live)
  await refuseOthers(deps, { ...beside, soldItem }, live, signal)
}

/** An item of the subscription with its price. */
type HeldItem = Pick<PresentItem, 'live' | 'terms' | 'priceId'>

type Replacement = Pick<ChangeSituation, 'present' | 'wanted' | 'isReplaced' | 'listedOf'>

/** Finds the items that the change replaces, and the items that the tenant will have instead. */
function replacementOf(
  offer: Offer,
  requestedChange: Wish,
  {
    state: { subscription, phases },
    held,
    scopes,
    book,
    soldItem,
  }: {
    readonly state: ChangeableSubscription
    readonly held: readonly HeldItem[]
    readonly scopes: Scopes
    readonly book: PriceBook
    readonly soldItem: SoldItemOf
  },
): Replacement {
  const listedPlan = listedPlanOf(book)
  const items = held.map((item) => ({ item, listed: listedItem(item.live, book, soldItem) }))
  const before = items.map(({ listed }) => listed)
  const scope = scopeIn(subscription.id, scopes, before)
  const phased = (phases ?? []).flatMap(({ items: planned }) => planned.map(listedPlan))
  const replaced = replacedItems(scope, before, phased)
  const keptPrice = (asked: string): KeptPrice | null => {
    const [only, second] = items.filter(({ item, listed }) => [listed.listed, presentIdOf(item, book)].includes(asked))
    if (requestedChange.toCurrent === true || only === undefined || second !== undefined) return null
    const { live, priceId, terms } = only.item
    return { priceId: priceId ?? asked, processorId: live.price.id, terms, isMetered: live.quantity === null }
  }
  const wanted = wantedItems(offer, requestedChange.items, { currency: subscription.currency, replaced, keptPrice })
  const moved = new Set<string | null>([...replaced.prices, ...wanted.map(({ listed }) => listed)])
  const isMoved = (item: ListedItem) => item.scope === scope || moved.has(item.listed)
  const attached = attachedPricesOf(before)
  const ofPrice = (price: ProcessorId) =>
    items.find(({ item }) => item.live.price.id === price)?.listed ?? listedPlan({ price, quantity: null })
  return {
    present: items.map(({ item, listed }) => ({
      ...item,
      legacy: item.priceId !== null && soldNow(offer, book, listed.listed) !== item.live.price.id,
      replaced: isMoved(listed),
      attached: attached.has(listed.listed),
    })),
    wanted,
    isReplaced: (price) => isMoved(ofPrice(price)),
    listedOf: (price) => ofPrice(price).listed,
  }
}

/** Returns the processor price that the tenant would buy now for a listed price: under its deal, if it has one. */
function soldNow({ config, tenant }: Offer, book: PriceBook, listed: string | null): ProcessorId | null {
  const booked = listed === null ? undefined : book.find(listed)
  if (booked === undefined) return null
  return book.find(priceForTenant(booked.price, config, tenant).id)?.processorId ?? null
}

/** Returns a function that is true for a price of the configuration that a subscription has, under its own or its base price's id. */
function hasIn(live: readonly LiveSubscription[], book: PriceBook): Offer['has'] {
  const own = live.flatMap(({ items }) => items.flatMap(({ price }) => book.idOf(price.id) ?? []))
  const ids = own.flatMap((id) => [id, book.find(id)?.price.id, book.find(id)?.base])
  return (priceId) => ids.includes(priceId)
}

/** Returns the id that the price of an item has in the present configuration; the last one for a price that was removed from it. */
const presentIdOf = ({ priceId }: HeldItem, book: PriceBook) =>
  priceId === null ? null : (book.find(priceId)?.price.id ?? priceId)

function promotionOf({ clock }: ChangeDeps, { config, hidden }: Offer, { promotionCode }: Wish): ProcessorId | null {
  if (promotionCode === undefined) return null
  return decidePromotion(config.promotion_codes ?? [], promotionCode, {
    byId: hidden,
    present: presentId(config, 'promotion_code', promotionCode),
    now: clock.now(),
  })
}

/** Returns a function that finds the processor product of a price: that of an item that the subscription has, or of the configuration. */
function productsOf(
  { products }: BillingConfig,
  book: PriceBook,
  { subscription }: ChangeableSubscription,
): ChangeSituation['productOf'] {
  const known = new Map(
    subscription.items.flatMap(({ price: { product } }) =>
      product === null ? [] : [[book.productIdOf(product), product]],
    ),
  )
  const sold = new Map(products.map(({ id, processor_id: product }) => [id, product]))
  return (priceId) => {
    const booked = priceId === null ? undefined : book.find(priceId)
    const product = sold.get(booked?.productId ?? '')
    return known.get(booked?.product.id) ?? (product === undefined ? null : processorId(product))
  }
}

function promotionTerms(
  { promotion_codes: codes = [], coupons = [], products }: BillingConfig,
  promotionCode: ProcessorId | null,
): ChangeSituation['promotionTerms'] {
  const named = codes.find((one) => one.processor_id === promotionCode)?.coupon
  const coupon = promotionCode === null ? undefined : coupons.find(({ id }) => id === named)
  return {
    ...{ once: coupon?.duration === 'once', fixed: coupon?.amount_off !== undefined },
    discount: coupon === undefined ? null : discountOf(coupon, products),
  }
}

function discountOf(
  { duration, percent_off: percent, amount_off: amount, currency, currency_options: others = {}, ...coupon }: Coupon,
  products: BillingConfig['products'],
): MirroredDiscount {
  const { applies_to: limited, processor_id: id = '' } = coupon
  const ofProduct = (one: string) => products.find((product) => product.id === one)?.processor_id
  const beside = Object.entries(others).map(([code, { amount_off: off }]) => [code, off] as const)
  return {
    ...{ id: '', coupon: processorId(id), duration, endsAt: null },
    percentOff: percent === undefined ? null : canonicalDecimal(String(percent)),
    amountOff: amount === undefined ? {} : Object.fromEntries([[currency ?? '', amount], ...beside]),
    products: limited?.flatMap((one) => ofProduct(one) ?? []).map(processorId) ?? null,
  }
}

/**
 * Throws `conflict` if a scheduled change of other items will apply another code of the same coupon: both would apply. A scheduled change
 * that this one replaces does not count.
 */
function refuseScheduled(
  { promotion_codes: codes = [] }: BillingConfig,
  {
    promotionCode,
    state: { scheduled },
    isReplaced,
  }: Pick<ChangeSituation, 'isReplaced'> & {
    readonly promotionCode: ProcessorId
    readonly state: Pick<ChangeableSubscription, 'scheduled'>
  },
): void {
  if (scheduled === null) return
  const { coming, restores, promotionCodes } = scheduled
  if (![...coming, ...restores].some(({ price }) => !isReplaced(price))) return
  const couponOf = (id: ProcessorId) => codes.find((one) => one.processor_id === id)?.coupon
  const coupon = couponOf(promotionCode)
  const twin = promotionCodes.find((one) => one !== promotionCode && couponOf(one) === coupon)
  if (twin === undefined || coupon === undefined) return
  throw new ServiceError(
    'conflict',
    `A change that is scheduled for another item has a code of the coupon "${coupon}".`,
    {
      hint: 'Leave "promotion_code" out: the discount of the scheduled change is for the whole subscription.',
    },
  )
}

/** Throws `change_invalid` if a session names a code whose coupon is for one purchase, and its tenant has taken it already. */
async function refuseTaken(
  deps: ChangeDeps,
  config: BillingConfig,
  { tenantId, promotionCode, state, signal }: Parameters<typeof refuseRunning>[2] & { readonly tenantId: string },
): Promise<void> {
  const once = onceCouponOf(config, promotionCode)
  if (once === null) return
  // What this very subscription has scheduled is replaced by the change.
  const { customer } = state.subscription
  const isScheduled = state.scheduled?.promotionCodes.some((code) => once.codes.has(code)) === true
  if (!isScheduled && (await isTaken(deps, { once, tenantId, customer, signal })))
    throw invalidChange('promotion_code', takenText)
}

/** Throws `conflict` if the subscription has a discount of the code's coupon already: a change would add it a second time. */
async function refuseRunning(
  { processor }: ChangeDeps,
  { promotion_codes: codes = [], coupons = [] }: BillingConfig,
  {
    promotionCode,
    state: { subscription, discounts },
    signal,
  }: {
    readonly promotionCode: ProcessorId
    readonly state: ChangeableSubscription
    readonly signal: AbortSignal
  },
): Promise<void> {
  if (discounts.length === 0) return
  const { id, customer } = subscription
  const named = codes.find((one) => one.processor_id === promotionCode)?.coupon
  const coupon = coupons.find((one) => one.id === named)?.processor_id
  const discounted = await askProcessor(signal, () => processor.discountedSubscriptions(customer, signal))
  const twin = discounted.find((one) => one.subscription.id === id)?.discounts.find((one) => one.coupon === coupon)
  if (twin === undefined) return
  throw new ServiceError(
    'conflict',
    `The subscription ${id} has a discount of this code's coupon already: ${twin.id}.`,
    {
      hint: 'Leave "promotion_code" out: the discount stays.',
      extra: { discount: twin.id },
    },
  )
}

function idOf(
  live: readonly LiveSubscription[],
  named: string | undefined,
  { replaced, wanted }: Scopes,
  soldItem: SoldItemOf,
): string {
  if (named !== undefined || live.length <= 1) return selectSubscription(live, named).id
  const has = (one: LiveSubscription) =>
    one.items.some((item) => {
      const scope = scopeOfItem(item, soldItem)
      return scope !== null && (replaced === null ? wanted.includes(scope) : scope === replaced)
    })
  const fitting = live.filter(has)
  const [only, second] = fitting
  if (only === undefined || second !== undefined) throw severalOf(live)
  return only.id
}

/**
 * Returns an item of the subscription under its listed price (the base price of a negotiated price). Finds the product or group even if price or
 * product were removed from the configuration.
 */
function listedItem(live: LiveItem, book: PriceBook, soldItem: SoldItemOf): ListedItem {
  const item = listedPlanOf(book)({ price: live.price.id, quantity: live.quantity })
  return { ...item, listed: item.listed ?? book.idOf(live.price.id) ?? null, scope: scopeOfItem(live, soldItem) }
}

/** Returns a function that finds the listed price (the base price of a negotiated price) of an item in a phase of the schedule. */
function listedPlanOf(book: PriceBook): (item: PlannedItem) => ListedItem {
  return ({ price, quantity }) => {
    const id = book.idOf(price)
    const booked = id === undefined ? undefined : book.find(id)
    if (booked === undefined) return { listed: null, scope: null, attachedPrices: [], quantity }
    const { product, base } = booked
    const listed = base ?? booked.price.id
    const attachedPrices = booked.price.attached_prices ?? book.find(listed)?.price.attached_prices ?? []
    return { listed, scope: scopeOf(product), attachedPrices, quantity }
  }
}

async function heldItem({ store }: ChangeDeps, book: PriceBook, live: LiveItem, currency: string): Promise<HeldItem> {
  const { price } = live
  const tariff = await tariffOfItem(store.versions, book, live, currency)
  const { interval, intervalCount, usageType } = price
  return { live, priceId: book.idOf(price.id) ?? null, terms: { tariff, interval, intervalCount, usageType } }
}

/** Returns a function that finds id and terms of a price of the subscription's schedule. */
async function readPlanned(
  { store }: ChangeDeps,
  book: PriceBook,
  { state: { subscription, phases }, present }: Pick<ChangeSituation, 'state' | 'present'>,
): Promise<ChangeSituation['planned']> {
  const known = new Map<ProcessorId, Pick<PresentItem, 'priceId' | 'terms'>>(
    present.map(({ live, priceId, terms }) => [live.price.id, { priceId, terms }]),
  )
  for (const { price } of (phases ?? []).flatMap(({ items }) => items)) {
    if (known.has(price)) continue
    const priceId = book.idOf(price) ?? null
    const tariff = await tariffOfPrice(store.versions, book, price, subscription.currency)
    known.set(price, { priceId, terms: termsOf(priceId === null ? undefined : book.find(priceId)?.price, tariff) })
  }
  return (price) => known.get(price) ?? { priceId: null, terms: termsOf(undefined, null) }
}

function fingerprintOf(
  requestedChange: Wish,
  state: ChangeableSubscription,
  { present, wanted }: Pick<ChangeSituation, 'present' | 'wanted'>,
): string {
  const { clockTime: _now, payment: _payment, ...rest } = state
  const { subscription, items, replaces, when = 'auto', proration = defaultProration, promotionCode } = requestedChange
  const { toCurrent = false } = requestedChange
  // In an order of its own: the same request with its members in another order rests on the same preview.
  const asked = [
    subscription,
    items.map(({ priceId, quantity }) => [priceId, quantity]),
    replaces,
    when,
    proration,
    promotionCode,
    toCurrent,
  ]
  const prices = wanted.map(({ processorId: id, terms, quantity }) => [id, terms, quantity])
  const leaving = present.flatMap(({ live, replaced }) => (replaced ? [live.id] : []))
  return createHash('sha256')
    .update(JSON.stringify([asked, rest, prices, leaving]))
    .digest('hex')
}

// Lists, adds and removes discounts of running subscriptions. Each change is one journalled job of the tenant, under the tenant's lease.
import { createHash } from 'node:crypto'
import { processorId, type ResourceKind } from '../../catalog/resource.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { settleLateSwaps } from '../item-swaps/late-swaps.ts'
import { formatMinor } from '../../base/money/format.ts'
import type { DiscountedSubscription } from '../../processor/customer-half.ts'
import { askProcessor } from '../../processor/failures.ts'
import type { DiscountOffer, DiscountUpdate, RunningDiscount } from '../../processor/subscription-discounts.ts'
import { discountedSubscriptionsOf } from '../tenants/at-processor.ts'
import { findTenant } from '../tenants/customer-link.ts'
import { tenantLease, withNamedLease, type TenantLease } from '../../acts/lease.ts'
import type { DiscountDeps } from './deps.ts'
import { decideGift, decideRemoval, selectSubscription } from './decide-discount.ts'
import { findSource } from './find-source.ts'
import { resultOfEarlier, runDiscount, finishEarlier } from './run-discount.ts'
import type { Discount, DiscountPlan, NewDiscount } from '../../api/customers/discounts.ts'
import type { KeyedCaller } from '../../api/notation/callers.ts'
import type { TenantRecord } from '../../store/records/tenants.ts'

export const discounts = {
  tenantDiscounts: listDiscounts,
  /** Dry run of `addDiscount`: returns what it would change, and throws the same errors. */
  planDiscount: async (deps: DiscountDeps, id: string, wanted: NewDiscount) =>
    planOf(deps, await planDiscount(deps, id, (tenant) => giftOf(deps, tenant, wanted))),
  planDiscountRemoval: async (deps: DiscountDeps, id: string, discount: string) =>
    planOf(deps, await planDiscount(deps, id, (tenant) => removalOf(deps, tenant, discount))),
  addDiscount,
  removeDiscount,
}

/** A change of discounts with the terms that a dry run shows. */
interface PlannedDiscount {
  readonly update: DiscountUpdate
  readonly discounted: DiscountedSubscription
  readonly coupon: DiscountOffer['coupon'] | null
  readonly shown: Pick<Discount, 'couponId' | 'promotionCodeId'>
}

async function planDiscount<T>(deps: DiscountDeps, id: string, plan: (tenant: TenantRecord) => Promise<T>): Promise<T> {
  await deps.assertAccount('look')
  return plan(await findTenant(deps, id))
}

async function heldBy(
  { processor, shutdown }: DiscountDeps,
  { processorCustomerId: customer }: TenantRecord,
): Promise<readonly DiscountedSubscription[]> {
  if (customer === null) return []
  return discountedSubscriptionsOf(processor, processorId(customer), shutdown)
}

/** Returns the discounts of the tenant's subscriptions at the processor, sorted by subscription, oldest first. */
async function listDiscounts(deps: DiscountDeps, id: string): Promise<readonly Discount[]> {
  const discounted = await planDiscount(deps, id, (tenant) => heldBy(deps, tenant))
  const found: Discount[] = []
  for (const { subscription, discounts } of discounted)
    for (const one of discounts) found.push(await shownDiscount(deps, one, subscription.id))
  return found
}

async function shownDiscount(deps: DiscountDeps, discount: RunningDiscount, subscription: string): Promise<Discount> {
  return { id: discount.id, ...(await namesOf(deps, discount)), subscription, endsAt: discount.endsAt }
}

async function namesOf(
  deps: DiscountDeps,
  { coupon, promotionCode }: Pick<RunningDiscount, 'coupon' | 'promotionCode'>,
): Promise<Pick<Discount, 'couponId' | 'promotionCodeId'>> {
  return {
    couponId: await configIdOf(deps, 'coupon', coupon),
    promotionCodeId: promotionCode === null ? null : await configIdOf(deps, 'promotion_code', promotionCode),
  }
}

/**
 * Returns the last configuration id of a processor object, even if the object was replaced or removed; null if the object never belonged to
 * the configuration.
 */
async function configIdOf({ store }: DiscountDeps, kind: ResourceKind, id: string): Promise<string | null> {
  const entries = (await store.mappings.byProcessorId(processorId(id))).filter((entry) => entry.kind === kind)
  return entries.sort((a, b) => b.sequence - a.sequence)[0]?.configId ?? null
}

async function giftOf(deps: DiscountDeps, tenant: TenantRecord, wanted: NewDiscount): Promise<PlannedDiscount> {
  const { config } = await deps.applied()
  const source = findSource(config, wanted)
  const discounted = selectSubscription(await heldBy(deps, tenant), wanted.subscription)
  const offer = await askProcessor(deps.shutdown, () => deps.processor.discountOffer(source, deps.shutdown))
  if (offer === null)
    throw new ServiceError('conflict', 'The processor does not have the coupon any more.', {
      hint: 'See `ratecard billing drift`, then push again.',
    })
  const book = await deps.priceBook()
  const update = decideGift({
    discounted,
    offer,
    now: deps.clock.now(),
    productName: (id) => book.productIdOf(id) ?? id,
  })
  const shown = await namesOf(deps, { coupon: offer.coupon.id, promotionCode: offer.code?.id ?? null })
  return { update, discounted, coupon: offer.coupon, shown }
}

async function removalOf(deps: DiscountDeps, tenant: TenantRecord, id: string): Promise<PlannedDiscount> {
  for (const discounted of await heldBy(deps, tenant)) {
    const found = discounted.discounts.find((one) => one.id === id)
    if (found !== undefined)
      return { update: decideRemoval(discounted, found), discounted, coupon: null, shown: await namesOf(deps, found) }
  }
  throw new ServiceError('discount_not_found', `No subscription of the tenant has the discount "${id}".`, {
    hint: 'List the discounts with GET admin/tenants/{id}/discounts. Change a discount of the customer or of a single item at the processor.',
  })
}

/** Returns the result of a dry run: the terms of the discount, and the subscription's next invoice before and after the change. */
async function planOf(deps: DiscountDeps, { update, coupon, shown }: PlannedDiscount): Promise<DiscountPlan> {
  const { processor, shutdown } = deps
  const { subscription } = update
  const [before, after] = await askProcessor(shutdown, () =>
    Promise.all([processor.upcomingInvoice(subscription, shutdown), processor.previewDiscounts(update, shutdown)]),
  )
  return {
    dryRun: true,
    ...shown,
    subscription,
    duration: coupon?.duration ?? null,
    durationInMonths: coupon?.durationInMonths ?? null,
    nextInvoice:
      before === null || after === null
        ? null
        : {
            at: after.dueAt,
            currency: after.currency,
            before: before.total,
            beforeFormatted: formatMinor(before.total, before.currency),
            after: after.total,
            afterFormatted: formatMinor(after.total, after.currency),
          },
  }
}

/** Adds a discount to a running subscription. Throws `discount_invalid` if the coupon or the subscription does not allow it. */
async function addDiscount(
  deps: DiscountDeps,
  tenantId: string,
  wanted: NewDiscount,
  caller: KeyedCaller,
): Promise<Discount> {
  const done = await changeDiscounts(deps, { tenantId, action: 'discount_added', request: wanted, caller }, (tenant) =>
    giftOf(deps, tenant, wanted),
  )
  if (done.discount === null) throw new ServiceError('internal', 'The discount was given, and its result has none.')
  return shownDiscount(deps, done.discount, done.subscription)
}

async function removeDiscount(
  deps: DiscountDeps,
  tenantId: string,
  discount: string,
  caller: KeyedCaller,
): Promise<void> {
  await changeDiscounts(deps, { tenantId, action: 'discount_removed', request: { discount }, caller }, (tenant) =>
    removalOf(deps, tenant, discount),
  )
}

interface DiscountChange {
  readonly tenantId: string
  readonly action: 'discount_added' | 'discount_removed'
  readonly request: Readonly<Record<string, unknown>>
  readonly caller: KeyedCaller
}

/**
 * Changes discounts under the tenant's lease. First finds the outcome of late writes (requests without a response) and of interrupted
 * changes of the tenant, because each change sends the complete list of discounts. A retry with the same Idempotency-Key gets the result of
 * its first attempt.
 */
async function changeDiscounts(
  deps: DiscountDeps,
  asked: DiscountChange,
  plan: (tenant: TenantRecord) => Promise<PlannedDiscount>,
): Promise<{ readonly subscription: string; readonly discount: RunningDiscount | null }> {
  const { tenantId, caller, action } = asked
  await deps.assertAccount('write')
  return withNamedLease(deps, tenantLease(tenantId), async (lease) => {
    const held: TenantLease = { token: lease.token, signal: AbortSignal.any([lease.signal, deps.shutdown]) }
    const tenant = await findTenant(deps, tenantId)
    await settleLateSwaps(deps, { tenantId, customer: tenant.processorCustomerId }, held)
    await finishEarlier(deps, tenantId, held)
    const name = caller.idempotencyKey === null ? null : nameOf(tenant, asked)
    const earlier = name === null ? null : await resultOfEarlier(deps, name)
    if (earlier?.result !== undefined) return earlier.result
    const { update, shown } = await plan(tenant)
    const jobId = earlier?.freeId ?? deps.newId()
    const input = { tenant_id: tenantId, action, coupon_id: shown.couponId, promotion_code_id: shown.promotionCodeId }
    const done = await runDiscount(deps, { jobId, tenantId, input, update, caller }, held)
    return { subscription: update.subscription, ...done }
  })
}

/**
 * Name of the job for a request with an Idempotency-Key, so that a retry finds the job. It contains the tenant's creation time, because a
 * tenant that was deleted and re-created under the same id is another tenant.
 */
function nameOf({ id, createdAt }: TenantRecord, { action, request, caller }: DiscountChange): string {
  const text = JSON.stringify([id, createdAt, caller.by?.keyId ?? null, caller.idempotencyKey, action, request])
  return `discount-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
}

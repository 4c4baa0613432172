// Sells a price to a tenant: a hosted checkout, or at once when it is free; and the way into the customer portal.
// Decides nothing of what is sold (decide-checkout.ts) and charges nobody: the customer does, on the processor's page.
import { createHash } from 'node:crypto'
import { processorId } from '../catalog/resource.ts'
import type { ProcessorId } from '../catalog/resource.ts'
import type { Clock } from '../clock.ts'
import { ServiceError } from '../errors/service-error.ts'
import { askProcessor, despiteKeptFailure } from '../processor/failures.ts'
import { endsKey } from '../processor/customer-half.ts'
import type { Processor, ProcessorAccount } from '../processor/processor.ts'
import type { Checkout, NewCheckout, Principal, TenantOperations } from '../service/tenants.ts'
import type { Store } from '../store/store.ts'
import type { TenantRecord } from '../store/tenant-store.ts'
import type { PriceBook } from '../swaps/price-book.ts'
import { subscriptionTo } from '../swaps/twice.ts'
import type { Customers } from '../tenants/customers.ts'
import { subscriptionsOf } from '../tenants/at-processor.ts'
import { findTenant, tenantNotFound } from '../tenants/customers.ts'
import { endedByPaying, isRunning, settleFree } from '../tenants/free-subscriptions.ts'
import { withTenant } from '../tenants/lease.ts'
import { decideCheckout } from './decide-checkout.ts'
import type { AppliedConfig, CheckoutDecision } from './decide-checkout.ts'
import { allowedOrigins, checkRedirect } from './redirects.ts'
import { countingRefusedCodes } from './refused-codes.ts'
import { ownPrices } from './tenant-price.ts'

export interface CheckoutDeps {
  readonly store: Pick<Store, 'tenants' | 'localSubscriptions' | 'exclusively' | 'facts'>
  readonly processor: Pick<Processor, 'createCheckout' | 'createPortal' | 'subscriptions'>
  readonly customers: Customers
  readonly clock: Clock
  readonly newId: () => string
  readonly shutdown: AbortSignal
  /** The configuration as it is applied now; `config_not_found` without one. */
  readonly applied: () => Promise<AppliedConfig>
  readonly account: () => Promise<ProcessorAccount>
  /** The prices of what is applied now, former ones by their present name. */
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
      const tenant = await deps.customers.tenantOf(principal)
      const selling: Selling = { wish, principal, idempotencyKey }
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

interface Selling {
  readonly wish: NewCheckout
  readonly principal: Principal
  readonly idempotencyKey: string | null
}

/** Whether the customer chooses the code. With `allow_promotion_codes` beside it the request is refused before the code is looked up. */
const triesCode = ({ wish, principal }: Selling) =>
  principal.kind === 'session' && wish.promotionCode !== undefined && wish.allowPromotionCodes !== true

async function decideAndSell(deps: CheckoutDeps, selling: Selling, tenant: TenantRecord): Promise<Checkout> {
  const decision = await decide(deps, selling, tenant)
  if (decision.kind === 'processor') {
    await deps.account()
    await deps.customers.customerOf(tenant)
  }
  return withTenant(deps, tenant.id, (signal) => sell(deps, selling, tenant, signal))
}

async function decide(
  deps: CheckoutDeps,
  { wish, principal }: Selling,
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
 * Under the tenant's lease, and decided again there: a tenant that is removed at this moment leaves no page and no subscription
 * behind, and one that is given negotiated prices is sold these.
 */
async function sell(
  deps: CheckoutDeps,
  selling: Selling,
  { id, createdAt }: TenantRecord,
  signal: AbortSignal,
): Promise<Checkout> {
  const tenant = await findTenant(deps, id)
  if (tenant.createdAt !== createdAt) throw tenantNotFound(id)
  const decision = await decide(deps, selling, tenant)
  const { successUrl, cancelUrl } = selling.wish
  if (decision.kind === 'free') {
    const { priceId } = decision
    // One that was paid for in the meantime has ended: it must not be taken for this one.
    await settleFree(deps, id, await liveOf(deps, tenant, signal))
    const started = {
      id: `sub_local_${deps.newId()}`,
      tenantId: id,
      priceId,
      createdAt: deps.clock.now(),
      endedAt: null,
    }
    await deps.store.localSubscriptions.start(started)
    return { url: successUrl, sessionId: null }
  }
  if (tenant.processorCustomerId === null)
    throw new ServiceError('tenant_busy', 'The tenant’s customer was taken away at this moment.', { retryAfter: 1 })
  const { kind: _kind, priceId, ...sold } = decision
  const customer = processorId(tenant.processorCustomerId)
  if (sold.mode === 'subscription' && selling.wish.allowDuplicate !== true)
    await refuseSecond(deps, { customer, priceId }, signal)
  const ends = sold.mode === 'subscription' ? await endedBy(deps, id) : {}
  const request = { ...sold, metadata: { ...sold.metadata, ...ends }, customer, successUrl, cancelUrl }
  const key = processorKey(selling.idempotencyKey ?? deps.newId(), request)
  const send = (idempotencyKey: string) => deps.processor.createCheckout(request, { idempotencyKey, signal })
  return askProcessor(signal, () => despiteKeptFailure(send, key, () => processorKey(deps.newId(), request)))
}

/** What the tenant has for free ends with the first page that it pays. */
async function endedBy(deps: CheckoutDeps, tenantId: string): Promise<Readonly<Record<string, string>>> {
  const ends = endedByPaying((await deps.store.localSubscriptions.list(tenantId)).filter(isRunning))
  return ends === null ? {} : { [endsKey]: ends }
}

/** Asked only where something free could have ended. */
async function liveOf(deps: CheckoutDeps, tenant: TenantRecord, signal: AbortSignal) {
  const { id, processorCustomerId: customer } = tenant
  if (customer === null || !(await deps.store.localSubscriptions.list(id)).some(isRunning)) return []
  await deps.account()
  return subscriptionsOf(deps.processor, processorId(customer), signal)
}

/** Under the tenant's lease, right before the page is made. Two pages that are open at once can still both be paid. */
async function refuseSecond(
  deps: CheckoutDeps,
  { customer, priceId }: { readonly customer: ProcessorId; readonly priceId: string },
  signal: AbortSignal,
): Promise<void> {
  const book = await deps.priceBook()
  const live = await subscriptionsOf(deps.processor, customer, signal)
  const present = subscriptionTo(priceId, live, book)
  if (present === null) return
  throw new ServiceError(
    'already_subscribed',
    `The tenant has the subscription ${present.id} to "${priceId}" already; a second one would be billed beside it.`,
    {
      hint: 'Change the present one in the portal, or ask with "allow_duplicate": true where two are meant.',
      extra: { subscription: present.id, price_id: priceId },
    },
  )
}

/**
 * The customer and all that is sold are part of the key: the processor refuses a key that comes back with another request, for
 * example after a push in between. A second session costs nothing; only paying one does.
 */
function processorKey(key: string, request: unknown): string {
  const text = JSON.stringify([key, request])
  return `ratecard-checkout-${createHash('sha256').update(text).digest('hex').slice(0, 40)}`
}

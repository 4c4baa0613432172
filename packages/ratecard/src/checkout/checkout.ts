// Sells a price to a tenant: a hosted checkout, or at once when it is free; and the way into the customer portal.
// Decides nothing of what is sold (decide-checkout.ts) and charges nobody: the customer does, on the processor's page.
import { createHash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { askProcessor, despiteKeptFailure } from '../processor/asking.ts'
import type { Processor, ProcessorAccount } from '../processor/processor.ts'
import type { Checkout, NewCheckout, Principal, TenantOperations } from '../service-tenants.ts'
import type { Store } from '../store/store.ts'
import type { TenantRecord } from '../store/tenant-store.ts'
import type { Customers } from '../tenants/customers.ts'
import { findTenant } from '../tenants/customers.ts'
import { withTenant } from '../tenants/lease.ts'
import { decideCheckout } from './decide-checkout.ts'
import type { AppliedConfig, CheckoutDecision } from './decide-checkout.ts'
import { allowedOrigins, checkRedirect } from './redirects.ts'

export interface CheckoutDeps {
  readonly store: Pick<Store, 'tenants' | 'localSubscriptions' | 'exclusively'>
  readonly processor: Pick<Processor, 'createCheckout' | 'createPortal'>
  readonly customers: Customers
  readonly clock: Clock
  readonly newId: () => string
  readonly shutdown: AbortSignal
  /** The configuration as it is applied now; `config_not_found` without one. */
  readonly applied: () => Promise<AppliedConfig>
  readonly account: () => Promise<ProcessorAccount>
  readonly allowedRedirects: readonly string[]
  readonly publicUrl: string | null
  readonly sessionTrialDays: number
}

export type Checkouts = Pick<TenantOperations, 'createCheckout' | 'createPortal'>

export function createCheckouts(deps: CheckoutDeps): Checkouts {
  const origins = allowedOrigins(deps.allowedRedirects, deps.publicUrl)
  return {
    async createCheckout(wish, principal, idempotencyKey) {
      checkRedirect(wish.successUrl, 'success_url', origins)
      checkRedirect(wish.cancelUrl, 'cancel_url', origins)
      const tenant = await deps.customers.tenantOf(principal)
      const decision = await decide(deps, wish, principal, tenant)
      return decision.kind === 'free'
        ? startFree(deps, tenant.id, decision.priceId, wish.successUrl)
        : openCheckout(deps, { wish, tenant, decision, idempotencyKey })
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

async function decide(
  deps: CheckoutDeps,
  wish: NewCheckout,
  principal: Principal,
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

/** Under the lease, so that a tenant that is removed at this moment leaves no subscription to the next one of its id. */
async function startFree(deps: CheckoutDeps, tenantId: string, priceId: string, successUrl: string): Promise<Checkout> {
  await withTenant(deps, tenantId, async () => {
    await findTenant(deps, tenantId)
    const started = { id: `sub_local_${deps.newId()}`, tenantId, priceId, createdAt: deps.clock.now(), endedAt: null }
    await deps.store.localSubscriptions.start(started)
  })
  return { url: successUrl, sessionId: null }
}

interface Opening {
  readonly wish: NewCheckout
  readonly tenant: TenantRecord
  readonly decision: Extract<CheckoutDecision, { readonly kind: 'processor' }>
  readonly idempotencyKey: string | null
}

async function openCheckout(deps: CheckoutDeps, opening: Opening): Promise<Checkout> {
  const { wish, tenant, decision } = opening
  await deps.account()
  const customer = await deps.customers.customerOf(tenant)
  const { kind: _kind, priceId: _priceId, ...sold } = decision
  const request = { ...sold, customer, successUrl: wish.successUrl, cancelUrl: wish.cancelUrl }
  const key = processorKey(opening.idempotencyKey ?? deps.newId(), request)
  const send = (idempotencyKey: string) =>
    deps.processor.createCheckout(request, { idempotencyKey, signal: deps.shutdown })
  return askProcessor(deps.shutdown, () => despiteKeptFailure(send, key, () => processorKey(deps.newId(), request)))
}

/**
 * The customer and all that is sold are part of the key: the processor refuses a key that comes back with another request, for
 * example after a push in between. A second session costs nothing; only paying one does.
 */
function processorKey(key: string, request: unknown): string {
  const text = JSON.stringify([key, request])
  return `ratecard-checkout-${createHash('sha256').update(text).digest('hex').slice(0, 40)}`
}

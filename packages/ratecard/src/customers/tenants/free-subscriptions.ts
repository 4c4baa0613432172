// Ends free subscriptions, which exist only in this store. When a checkout page is paid, it ends the free subscriptions that the tenant had
// when the page was opened. The service detects the payment the next time it reads the tenant's subscriptions.
import { ServiceError } from '../../base/errors/service-error.ts'
import { endsText, type LiveSubscription } from '../../processor/customer-half.ts'
import { auditRow } from './audit.ts'
import { findTenant } from './customer-link.ts'
import type { TenantDeps } from './deps.ts'
import { withTenant } from '../../acts/lease.ts'
import type { Caller } from '../../api/notation/callers.ts'
import type { LocalSubscriptionRecord } from '../../store/records/tenants.ts'

export interface FreeSubscriptionDeps extends Pick<TenantDeps, 'clock' | 'newId'> {
  readonly store: Pick<TenantDeps['store'], 'localSubscriptions'>
}

/**
 * Returns the value for the metadata key `endsKey`: the ids of the free subscriptions that end when the customer pays. null if there are
 * none.
 */
export function endedByPaying(running: readonly LocalSubscriptionRecord[]): string | null {
  const value = endsText(running.map(({ id }) => id))
  return value === '' ? null : value
}

export const isRunning = ({ endedAt }: LocalSubscriptionRecord): boolean => endedAt === null

/** Ends the tenant's free subscriptions that a paid subscription replaced. Returns those that still run. */
export async function settleFree(
  deps: FreeSubscriptionDeps,
  tenantId: string,
  live: readonly LiveSubscription[],
): Promise<readonly LocalSubscriptionRecord[]> {
  return endPaid(deps, (await deps.store.localSubscriptions.list(tenantId)).filter(isRunning), live)
}

/** Statuses of a subscription whose first invoice was not paid: it replaces nothing. */
const neverPaid: ReadonlySet<string> = new Set(['incomplete', 'incomplete_expired'])

/** Ends those running free subscriptions that a paid subscription has replaced. Returns the ones that still run. */
export async function endPaid(
  deps: FreeSubscriptionDeps,
  running: readonly LocalSubscriptionRecord[],
  live: readonly LiveSubscription[],
): Promise<readonly LocalSubscriptionRecord[]> {
  const still: LocalSubscriptionRecord[] = []
  for (const free of running) {
    const paid = live.find(({ ends, status }) => !neverPaid.has(status) && ends.includes(free.id))
    if (paid === undefined) still.push(free)
    else await endFree(deps, free, { because: 'paid', by: paid.id, at: endOf(free, paid, deps) }, systemCaller)
  }
  return still
}

/** The paid subscription may be older than the free one: then a change of it brought the plan that replaces the free one. */
const endOf = (
  free: LocalSubscriptionRecord,
  paid: LiveSubscription,
  { clock }: Pick<FreeSubscriptionDeps, 'clock'>,
): number => (paid.createdAt >= free.createdAt ? paid.createdAt : clock.now())

const systemCaller: Caller = { author: null, by: null, requestId: null }

/** Ends the free subscriptions that another free subscription replaced. */
export async function endReplaced(
  deps: FreeSubscriptionDeps,
  { id, createdAt }: LocalSubscriptionRecord,
  replaced: readonly LocalSubscriptionRecord[],
): Promise<void> {
  for (const free of replaced) await endFree(deps, free, { because: 'replaced', by: id, at: createdAt }, systemCaller)
}

type EndReason =
  | { readonly because: 'paid' | 'replaced'; readonly by: string; readonly at: number }
  | { readonly because: 'cancelled' }

async function endFree(
  { store, clock, newId }: FreeSubscriptionDeps,
  { id, tenantId, priceId }: LocalSubscriptionRecord,
  ending: EndReason,
  caller: Caller,
): Promise<boolean> {
  const now = clock.now()
  const result = {
    subscription: id,
    price_id: priceId,
    because: ending.because,
    ...(ending.because === 'cancelled' ? {} : { replaced_by: ending.by }),
  }
  const row = { tenantId, action: 'subscription_ended', before: null, after: null, result } as const
  const audit = auditRow({ newId, now }, row, caller)
  return store.localSubscriptions.end(id, ending.because === 'cancelled' ? now : ending.at, audit)
}

/**
 * Ends a free subscription now. Throws `subscription_not_found`, or `conflict` for a subscription at the processor, which must be cancelled
 * there.
 */
export async function cancelFree(
  deps: TenantDeps,
  tenantId: string,
  subscriptionId: string,
  caller: Caller,
): Promise<void> {
  await withTenant(deps, tenantId, async () => {
    await findTenant(deps, tenantId)
    const running = (await deps.store.localSubscriptions.list(tenantId)).filter(isRunning)
    const found = running.find(({ id }) => id === subscriptionId)
    if (found !== undefined && (await endFree(deps, found, { because: 'cancelled' }, caller))) return
    if (subscriptionId.startsWith('sub_local_') || !subscriptionId.startsWith('sub_'))
      throw new ServiceError(
        'subscription_not_found',
        `The tenant "${tenantId}" has no running free subscription "${subscriptionId}".`,
        { hint: 'See GET admin/tenants/{id}/subscriptions.' },
      )
    throw new ServiceError('conflict', `"${subscriptionId}" is a paid subscription, which the processor bills.`, {
      hint: 'Cancel it with `POST subscription/cancel`.',
    })
  })
}

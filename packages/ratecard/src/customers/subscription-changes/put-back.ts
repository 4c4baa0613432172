// Schedules that cancellations took off. Undoing the cancellation puts its schedule back: POST subscription/resume does, and where somebody else
// has undone it (e.g. the customer in the customer portal), the service does as soon as its mirror shows it.
import { ServiceError } from '../../base/errors/service-error.ts'
import { entriesOf } from '../item-swaps/change-step.ts'
import type { SwapDeps } from '../item-swaps/deps.ts'
import { archivedIn } from '../item-swaps/price-book.ts'
import { askProcessor } from '../../processor/failures.ts'
import type { ChangeableSubscription } from '../../processor/subscription-change.ts'
import {
  withSettledTenant,
  dealOf,
  readReleased,
  runChange,
  putBackEveryMs,
  putBackSchedules,
  unfinishedSetAsides,
} from './run-change.ts'
import { holdCodes } from '../checkout/once-per-tenant.ts'
import { forgetCancellation, readDecided, takenOffList, type TakenOff } from './decisions.ts'
import { plannedItem } from './decide/scheduled-items.ts'
import { restorationStep, restoredPhases, type Restoration } from './decide/set-aside.ts'
import type { Store } from '../../store/store.ts'
import type { JobRecord } from '../../store/records/journal.ts'

/** How a schedule is put back; `why` says that it cannot be, and null that there is nothing to put back. */
export type Restored =
  | { readonly restores: Restoration; readonly sameDeal: boolean }
  | { readonly restores: null; readonly why: string | null }

const nothing = { restores: null, why: null } as const

/** Decides how the schedule that a cancellation took off is put back now. */
export async function restorationOf(
  deps: SwapDeps,
  { subscription, clockTime }: Pick<ChangeableSubscription, 'subscription' | 'clockTime'>,
  {
    tenantId,
    takenOff,
    signal,
  }: { readonly tenantId: string; readonly takenOff: TakenOff; readonly signal: AbortSignal },
): Promise<Restored> {
  const { id, items, schedule } = subscription
  if (schedule !== null) return nothing
  const released = await readReleased(deps, takenOff.released, signal)
  if (released === null || released.subscription !== id) return nothing
  const present = items.map(plannedItem)
  const now = clockTime ?? deps.clock.now()
  const phases = restoredPhases(released, { now, overdueAt: 'now', items: present })
  if (phases === 'nothing') return nothing
  if (phases === 'over') return { restores: null, why: 'Its term is over.' }
  if (entriesOf(present) !== entriesOf(takenOff.from)) return { restores: null, why: 'It has other items by now.' }
  const restoration = { subscription: id, released: takenOff.released, cancels: released.cancels, phases }
  return {
    restores: restorationStep(restoration, archivedIn(await deps.priceBook())),
    sameDeal: takenOff.deal === (await dealOf(deps, tenantId)),
  }
}

interface Deps extends SwapDeps {
  readonly store: SwapDeps['store'] & { readonly mirror: Pick<Store['mirror'], 'find'> }
}

/** Puts the schedules back whose cancellations somebody else has undone. The failure of one is passed to `report`, and tried again. */
export async function putBackUndone(deps: Deps, report: (error: unknown) => void): Promise<void> {
  const failed = (error: unknown) => {
    if (!(error instanceof ServiceError) || error.code !== 'tenant_busy') report(error)
    return false
  }
  for (const [tenantId, subscription] of await takenOffList(deps)) {
    if (deps.shutdown.aborted) return
    const shown = await deps.store.mirror.find('subscription', subscription)
    if (shown === null || (shown.endedAt === null && (shown.cancelAt !== null || shown.cancelAtPeriodEnd))) continue
    const done =
      shown.endedAt !== null || (await putBackTakenOff(deps, { tenantId, subscription, report }).catch(failed))
    if (!done) continue
    await forgetCancellation(deps, subscription)
    await holdCodes(deps, tenantId, subscription, [])
  }
}

interface ToPutBack {
  readonly tenantId: string
  readonly subscription: string
  readonly report: (error: unknown) => void
}

/** Returns true if there is nothing left to put back, also because it cannot be, which is reported. */
async function putBackTakenOff(deps: Deps, { tenantId, subscription, report }: ToPutBack): Promise<boolean> {
  await deps.assertAccount('write')
  const find = () => deps.store.tenants.find(tenantId)
  return withSettledTenant(deps, tenantId, find, async (_tenant, lease) => {
    const state = await askProcessor(lease.signal, () => deps.processor.changeable(subscription, lease.signal))
    const { cancellation } = await readDecided(deps, subscription)
    const takenOff = cancellation?.takenOff ?? null
    if (state === null || takenOff === null) return true
    // The mirror may be behind: it is cancelled again.
    if (state.subscription.cancelAtPeriodEnd || state.subscription.cancelAt !== null) return false
    const back = await restorationOf(deps, state, { tenantId, takenOff, signal: lease.signal })
    const why =
      back.restores === null ? back.why : back.sameDeal ? null : 'The deal of the tenant is another one by now.'
    const what = `What was planned for ${subscription} (tenant ${tenantId}) before its cancellation`
    if (why !== null) report(new ServiceError('conflict', `${what} was not put back. ${why}`))
    if (why !== null || back.restores === null) return true
    await runChange(deps, {
      ...{ tenantId, act: 'put_back', subscription, lease, bySession: false },
      about: { put_back: true },
      steps: [back.restores],
      caller: { author: null, by: null, requestId: null },
    })
    return true
  })
}

/**
 * Puts all schedules back that are due: those that were taken off for a change that was never made. Every replica looks for them; the tenant's
 * lease ensures that only one of them acts. The failure of one that cannot be put back is passed to `report`. It is tried again after five
 * minutes, unless it would fail again (e.g. because a promotion code has expired).
 */
export async function putBackDue(deps: SwapDeps, report: (error: unknown) => void): Promise<void> {
  const now = deps.clock.now()
  const due = (await unfinishedSetAsides(deps)).filter((job) => dueAt(job) <= now)
  if (due.length === 0) return
  await deps.assertAccount('write')
  for (const { subject: tenantId } of due) {
    if (deps.shutdown.aborted) return
    const find = () => deps.store.tenants.find(tenantId)
    const refused = withSettledTenant(deps, tenantId, find, (_tenant, lease) => putBackSchedules(deps, tenantId, lease))
    await refused
      .then((all) => all.forEach(report))
      .catch((error: unknown) => {
        // Another process changes the tenant now, or its last write may still take effect.
        if (!(error instanceof ServiceError) || error.code !== 'tenant_busy') report(error)
      })
  }
}

/** A job whose process died is left to a retry of its request for some minutes. */
const dueAt = ({ resumesAt, updatedAt }: JobRecord) => resumesAt ?? updatedAt + putBackEveryMs

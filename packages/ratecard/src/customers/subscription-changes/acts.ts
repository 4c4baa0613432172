// Cancels, resumes and pauses subscriptions. The steps are computed from the present state of the subscription (pure), and executed as a
// journalled job.
import { toRfc3339 } from '../../base/clock.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { type ChangeStep, releaseOf } from '../item-swaps/change-step.ts'
import type { ChangeableSubscription } from '../../processor/subscription-change.ts'
import { isRunning } from '../tenants/free-subscriptions.ts'
import type { ChangeDeps } from './deps.ts'
import { invalidChange } from './decide/decision.ts'
import { findAct, storeAct, type ActRequest, requestId } from './earlier-requests.ts'
import { readLive, readState, selectSubscription } from './decide/read-change.ts'
import { restoredPrices, resumptionSteps, withoutPending, type Undone } from './decide/resumption.ts'
import { storeDecided, readDecided, refuseUndoing, type SubscriptionDecisions } from './decisions.ts'
import { restorationOf } from './put-back.ts'
import { termEndOfPeriod } from './decide/scheduled-items.ts'
import { setAsideSchedule } from './decide/set-aside.ts'
import {
  withSettledTenant,
  finishJob,
  putBackAfterAct,
  putBackSchedules,
  runChange,
  type ChangeAct,
} from './run-change.ts'
import type { KeyedCaller, Caller } from '../../api/notation/callers.ts'
import type { NewCancellation, NewPause, NewResumption } from '../../api/customers/subscription-changes.ts'
import type { Principal } from '../../api/customers/sessions.ts'
import type { TenantSubscription } from '../../api/customers/tenants.ts'
import type { LocalSubscriptionRecord, TenantRecord } from '../../store/records/tenants.ts'

type State = ChangeableSubscription

/**
 * Returns the steps of a cancellation. A schedule is taken off first, because it decides how the subscription ends. A cancellation now voids
 * the invoice of a change that waits for its payment, because it could still be paid.
 */
export function cancellationSteps(state: State, { when, reason }: NewCancellation): readonly ChangeStep[] {
  const { subscription } = state
  const { id, schedule, items, status } = subscription
  const billsUsage = items.some(({ price }) => price.usageType === 'metered')
  const comment = reason === undefined ? {} : { comment: reason }
  if (when === 'now') return [...withoutPending(state), { op: 'cancel', subscription: id, billsUsage, ...comment }]
  if (subscription.cancelAtPeriodEnd) return []
  if (termEndOfPeriod(state) !== null) return []
  if (status === 'incomplete')
    throw new ServiceError(
      'conflict',
      `The first invoice of ${id} is not paid, so that no period has begun that could end.`,
      {
        hint: 'It ends by itself 23 hours after the checkout, or cancel it now with a service key ("when": "now").',
      },
    )
  if (status === 'paused')
    throw new ServiceError('conflict', `The subscription ${id} is paused and has no period that ends.`, {
      hint: 'Cancel it now ("when": "now"), or resume it first.',
    })
  return [...releaseOf(id, schedule), { op: 'settings', subscription: id, cancellation: 'period_end', ...comment }]
}

/**
 * Returns the steps of a pause. Throws `change_invalid` if the pause would end before it begins, and `conflict` if the subscription has no
 * invoices to collect (status `paused` or `incomplete`).
 */
export function pauseSteps(
  { subscription, clockTime }: State,
  { behavior = 'void', until = null }: { readonly behavior?: NewPause['behavior']; readonly until?: number | null },
  now: number,
): readonly ChangeStep[] {
  const { id, status } = subscription
  if (until !== null && until <= (clockTime ?? now))
    throw invalidChange('until', `"until" must be later than ${toRfc3339(clockTime ?? now)}.`)
  if (status === 'paused' || status === 'incomplete')
    throw new ServiceError('conflict', `The subscription ${id} is ${status}: it has no invoices to collect.`)
  return [{ op: 'settings', subscription: id, pause: { behavior, until } }]
}

export async function cancelOwnSubscription(
  deps: ChangeDeps,
  cancellation: NewCancellation,
  principal: Principal,
  caller: KeyedCaller,
): Promise<TenantSubscription> {
  if (principal.kind === 'session' && cancellation.when === 'now')
    throw new ServiceError('not_allowed', 'A session can cancel only at the end of the period.', {
      hint: 'Leave "when" out.',
    })
  const tenant = await deps.tenantOf(principal)
  const { id: tenantId } = tenant
  const id = requestId(caller, { principal, tenant, request: cancellation })
  const request: ActRequest = { act: 'cancel', tenantId, id }
  const before = (await findAct(deps, request))?.subscription ?? null
  const locals = await deps.store.localSubscriptions.list(tenantId)
  if (locals.some((one) => one.id === before && one.endedAt !== null))
    return deps.shownSubscription(tenantId, before ?? '')
  const running = locals.filter(isRunning)
  // A retry is about the subscription of its first request, even if a free one is now the tenant's only one.
  const free =
    before === null
      ? await freeOf(deps, cancellation, principal, running)
      : (running.find((one) => one.id === before) ?? null)
  if (free !== null) {
    await storeAct(deps, request, { subscription: free.id, job: null })
    return endFree(deps, free, caller)
  }
  return actOn(deps, {
    ...{ act: 'cancel', principal, caller, named: cancellation, request },
    decide: (state) => cancellationSteps(state, cancellation),
  })
}

/**
 * Returns the free subscription to cancel: the one that the request names, or the tenant's only free subscription if the tenant has no
 * other subscriptions. Returns null if the request concerns no free subscription.
 */
async function freeOf(
  deps: ChangeDeps,
  { subscription }: NewCancellation,
  principal: Principal,
  running: readonly LocalSubscriptionRecord[],
): Promise<LocalSubscriptionRecord | null> {
  const [only, second] = running
  if (only === undefined) return null
  if (subscription !== undefined) return running.find(({ id }) => id === subscription) ?? null
  const live = await readLive(deps, await deps.tenantOf(principal), deps.shutdown)
  return live.length === 0 && second === undefined ? only : null
}

/** Ends a free subscription at once, because it has no period that ends. */
async function endFree(
  deps: ChangeDeps,
  { id, tenantId }: LocalSubscriptionRecord,
  caller: Caller,
): Promise<TenantSubscription> {
  const shown = await deps.shownSubscription(tenantId, id)
  await deps.cancelFree(tenantId, id, caller)
  return { ...shown, status: 'canceled' }
}

export async function resumeSubscription(
  deps: ChangeDeps,
  resumption: NewResumption,
  principal: Principal,
  caller: KeyedCaller,
): Promise<TenantSubscription> {
  const tenant = await deps.tenantOf(principal)
  const id = requestId(caller, { principal, tenant, request: resumption })
  return actOn(deps, {
    ...{ act: 'resume', principal, caller, named: resumption },
    request: { act: 'resume', tenantId: tenant.id, id },
    decide: async (state, payer, signal) => {
      const decided = await readDecided(deps, state.subscription.id)
      if (principal.kind === 'session') refuseUndoing(state, decided)
      const back = await broughtBack(deps, state, { tenantId: payer.id, decided, principal, signal })
      return resumptionSteps(state, { ...back, dealPrices: await restoredPrices(deps, payer, state, back) })
    },
  })
}

/**
 * Returns what undoing the cancellation of the subscription brings back. Throws `conflict` to a session if its schedule cannot be put back; a
 * service key goes on without it.
 */
async function broughtBack(
  deps: ChangeDeps,
  state: State,
  { tenantId, decided: { cancellation }, principal, signal }: Resuming,
): Promise<Undone> {
  const { id, cancelAt, cancelAtPeriodEnd } = state.subscription
  const takenOff = cancellation?.takenOff ?? null
  const none = { restores: null, sameDeal: false }
  if (takenOff === null || (cancelAt === null && !cancelAtPeriodEnd)) return none
  const back = await restorationOf(deps, state, { tenantId, takenOff, signal })
  if (back.restores !== null) return back
  if (back.why === null || principal.kind === 'key') return none
  throw new ServiceError('conflict', `What was planned for ${id} before its cancellation cannot be put back.`, {
    hint: `${back.why} A service key can resume it without that (POST subscription/resume).`,
  })
}

interface Resuming {
  readonly tenantId: string
  readonly decided: SubscriptionDecisions
  readonly principal: Principal
  readonly signal: AbortSignal
}

export function pauseSubscription(
  deps: ChangeDeps,
  pause: NewPause,
  principal: Principal,
  caller: Caller,
): Promise<TenantSubscription> {
  if (principal.kind === 'session')
    throw new ServiceError('not_allowed', 'A session cannot pause a subscription.', { hint: 'Use a service key.' })
  return actOn(deps, {
    ...{ act: 'pause', principal, caller, named: pause },
    decide: (state) => pauseSteps(state, pause, deps.clock.now()),
  })
}

interface Act {
  readonly act: Exclude<ChangeAct, 'change' | 'put_back'>
  readonly principal: Principal
  readonly caller: Caller
  readonly named: { readonly subscription?: string | undefined; readonly reason?: string | undefined }
  /** Request whose retries find the act. Absent for a pause, which can be repeated. */
  readonly request?: ActRequest
  readonly decide: (
    state: State,
    tenant: TenantRecord,
    signal: AbortSignal,
  ) => readonly ChangeStep[] | Promise<readonly ChangeStep[]>
}

async function actOn(deps: ChangeDeps, asked: Act): Promise<TenantSubscription> {
  const { act, principal, caller, named, request, decide } = asked
  const { id: tenantId } = await deps.tenantOf(principal)
  await deps.assertAccount('write')
  const find = () => deps.tenantOf(principal)
  return withSettledTenant(deps, tenantId, find, async (tenant, lease, cancelled) => {
    const before = request === undefined ? null : await findAct(deps, request)
    const { job = null } = before ?? {}
    if (before !== null && job !== null && (await finishJob(deps, job, lease)) !== null)
      return deps.shownSubscription(tenantId, before.subscription)
    // Nothing may prevent a cancellation.
    await (act === 'cancel' ? putBackAfterAct : putBackSchedules)(deps, tenantId, lease)
    const live = await readLive(deps, tenant, lease.signal)
    const begun = before?.subscription ?? interruptedOf(asked, cancelled)
    if (begun !== undefined && live.every(({ id }) => id !== begun)) return deps.shownSubscription(tenantId, begun)
    const { id: subscription } = selectSubscription(live, named.subscription ?? before?.subscription)
    const state = await readState(deps, subscription, lease.signal)
    const steps = await decide(state, tenant, lease.signal)
    const setAside = act === 'cancel' && steps[0]?.op === 'release' ? setAsideSchedule(state) : null
    const about = named.reason === undefined ? {} : { reason: named.reason }
    const opened = async (id: string) => {
      if (request !== undefined) await storeAct(deps, request, { subscription, job: id })
    }
    const bySession = principal.kind === 'session'
    if (act === 'cancel' && !bySession && steps.length === 0) await takeOver(deps, subscription)
    if (steps.length > 0)
      await runChange(deps, { tenantId, act, subscription, about, steps, caller, bySession, lease, setAside, opened })
    // No free subscription begins after a cancellation by the tenant, and none after a resumption.
    else if (act !== 'pause') await deps.store.localSubscriptions.unplan(subscription)
    await putBackAfterAct(deps, tenantId, lease)
    return deps.shownSubscription(tenantId, subscription)
  })
}

/** A seller who cancels what a customer has cancelled decides it too: no session undoes it from then on. */
async function takeOver(deps: ChangeDeps, subscription: string): Promise<void> {
  const { cancellation } = await readDecided(deps, subscription)
  if (cancellation !== undefined)
    await storeDecided(deps, subscription, { cancellation: { ...cancellation, bySession: false } })
}

/**
 * Returns the subscription that an interrupted cancellation has ended, if this request may be its retry: it has no idempotency key, and names
 * the same subscription or none.
 */
function interruptedOf({ act, named, request }: Act, cancelled: readonly string[]): string | undefined {
  if (act !== 'cancel' || request?.id !== null) return undefined
  return cancelled.find((id) => id === (named.subscription ?? id))
}

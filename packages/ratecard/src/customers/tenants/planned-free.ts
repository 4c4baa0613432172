// Free subscriptions that begin when a paid subscription ends. A free price does not exist at the processor, so the paid subscription is
// cancelled there, and the free one is planned here. The processor decides when the paid subscription ends; the service begins the free one
// when it detects that.
import type { Clock } from '../../base/clock.ts'
import type { LiveSubscription } from '../../processor/customer-half.ts'
import { askProcessor } from '../../processor/failures.ts'
import type { Processor } from '../../processor/processor.ts'
import type { Store } from '../../store/store.ts'
import type { PlannedFreeRecord } from '../../store/records/tenants.ts'

export interface PlannedFreeDeps {
  readonly store: Pick<Store, 'localSubscriptions'>
  readonly processor: Pick<Processor, 'subscription'>
  readonly clock: Clock
  readonly shutdown: AbortSignal
}

/**
 * Tolerance (ms) between the planned and the actual end of the paid subscription, e.g. if the processor cancels an hour late. If it ends at
 * another time, it ended for another reason, and the plan does not apply.
 */
const toleranceMs = 24 * 60 * 60_000

/** Begins planned free subscriptions whose paid subscription has ended. `live` are the tenant's subscriptions that have not ended. */
export async function beginPlanned(
  deps: PlannedFreeDeps,
  planned: readonly PlannedFreeRecord[],
  live: readonly LiveSubscription[] = [],
): Promise<void> {
  for (const one of planned) if (live.every(({ id }) => id !== one.subscription)) await settle(deps, one)
}

async function settle({ store, processor, clock, shutdown }: PlannedFreeDeps, planned: PlannedFreeRecord) {
  const { subscription, beginsAt } = planned
  const found = await askProcessor(shutdown, () => processor.subscription(subscription, shutdown))
  const outcome = outcomeOf(found, beginsAt, clock.now())
  if (outcome === 'forget') await store.localSubscriptions.unplan(subscription)
  else if (outcome !== 'wait') await store.localSubscriptions.begin(planned, outcome.at)
}

/** Decides if a planned free subscription begins (at the time `at`), waits for the end of the paid subscription, or is dropped. */
export function outcomeOf(
  found: Pick<LiveSubscription, 'endedAt' | 'cancelAt' | 'cancelAtPeriodEnd' | 'testClock'> | null,
  beginsAt: number,
  now: number,
): { readonly at: number } | 'wait' | 'forget' {
  if (found === null) return 'forget'
  const { endedAt, cancelAt, cancelAtPeriodEnd, testClock } = found
  if (endedAt !== null) return Math.abs(endedAt - beginsAt) <= toleranceMs ? { at: endedAt } : 'forget'
  // The customer is on a test clock, so the service's time does not give the customer's time.
  const overdue = testClock === null && now > beginsAt
  const goesOn = cancelAt === null && !cancelAtPeriodEnd
  return overdue && (goesOn || now > beginsAt + toleranceMs) ? 'forget' : 'wait'
}

/**
 * Begins planned free subscriptions that are due by the service's clock. If one cannot begin now, its error is passed to `report`, and it
 * is tried again the next time.
 */
export async function beginDue(deps: PlannedFreeDeps, report: (error: unknown) => void): Promise<void> {
  for (const planned of await deps.store.localSubscriptions.plannedBy(deps.clock.now())) {
    if (deps.shutdown.aborted) return
    await settle(deps, planned).catch(report)
  }
}

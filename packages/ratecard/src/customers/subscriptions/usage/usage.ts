import { createHash } from 'node:crypto'
import { presentId } from '../../../document/rules/previous-ids.ts'
import type { Meter } from '../../../document/schema/schema.ts'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { askProcessor, despiteKeptFailure } from '../../../processor/failures.ts'
import type { UsageEvent } from '../../../processor/customer-half.ts'
import { countUsage, type SendUsage } from './counted-usage.ts'
import type { SubscriberDeps } from '../deps.ts'
import { meteredAllowances, storedHoldings } from '../features/entitlements.ts'
import type { FeatureSourceDeps } from '../features/feature-sources.ts'
import { isAllowance, isBilled, requireItem, type BilledDeps } from './billed-usage.ts'
import { decideUsage } from './decide-usage.ts'
import type { NewUsage, RecordedUsage } from '../../../api/customers/checkout.ts'
import type { Principal } from '../../../api/customers/sessions.ts'
import type { TenantHoldings } from '../../../store/records/features.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Records usage. Idempotent per tenant, meter and identifier: only the first report with an identifier counts. */
export async function recordUsage(deps: BilledDeps, usage: NewUsage, principal: Principal): Promise<RecordedUsage> {
  const tenant = await storedHoldings(deps, deps.tenantIdOf(principal))
  const meter = await findMeter(deps, usage.meter)
  const { livemode } = await deps.account()
  const identifier = usage.identifier ?? deps.newId()
  const situation = {
    meter,
    tenantId: tenant.tenantId,
    now: deps.clock.now(),
    livemode,
    byKey: principal.kind === 'key',
    identifier,
    countedFrom:
      principal.kind === 'session' && usage.timestamp !== undefined ? await countedFrom(deps, tenant, meter) : 0,
  }
  // Validate the report before a customer is created for the tenant, so that a rejected report has no effect.
  const eventOf = decideUsage(situation, usage)
  if (usage.strict === true) await requireItem(deps, meter, tenant)
  const billed = usage.strict === true || (await isBilled(deps, meter, tenant))
  const event = eventOf(await deps.customerOf({ id: tenant.tenantId, processorCustomerId: tenant.customer }))
  const toCount = { tenant, meter, event, value: valueOf(event, meter), enforce: usage.enforce === true }
  const owner = { id: tenant.tenantId, processorCustomerId: tenant.customer }
  const counted = await deps.livingFor(owner, () =>
    askProcessor(deps.shutdown, () => countUsage(deps, toCount, sendUsageBy(deps))),
  )
  // What is not known yet is looked at again later; see unbilled-usage.ts.
  if (counted && billed !== true && !(await isAllowance(deps, meter, tenant)))
    await deps.store.unbilledUsage.add(tenant.tenantId, meter.id, Math.floor(deps.clock.now() / dayMs))
  return { meter: meter.id, tenantId: tenant.tenantId, identifier, alreadyCounted: !counted, billed }
}

/** Returns the latest start of a period in which usage of the meter counts, or that is billed: of the month or of a subscription item. */
async function countedFrom(deps: FeatureSourceDeps, tenant: TenantHoldings, meter: Meter): Promise<number> {
  const windows = (await meteredAllowances(deps, tenant, meter.id)).flatMap(({ counted }) => counted?.from ?? [])
  const periods = tenant.subscriptions.flatMap(({ items }) => items.map(({ currentPeriodStart: start }) => start))
  return Math.max(0, ...windows, ...periods)
}

const valueOf = ({ payload }: UsageEvent, meter: Meter) =>
  payload[meter.value_settings?.event_payload_key ?? 'value'] ?? '0'

/**
 * Returns the function that sends usage. The processor may replay an earlier failure for the idempotency key. A retry under a new key is
 * safe, because the processor counts each identifier once.
 */
export function sendUsageBy(deps: Pick<SubscriberDeps, 'processor' | 'shutdown' | 'newId'>): SendUsage {
  return (event) =>
    despiteKeptFailure(
      (idempotencyKey) => deps.processor.recordUsage(event, { idempotencyKey, signal: deps.shutdown }),
      usageKey(event),
      () => `ratecard-usage-${deps.newId()}`,
    )
}

async function findMeter({ applied }: SubscriberDeps, id: string): Promise<Meter> {
  const { config } = await applied()
  const present = presentId(config, 'meter', id)
  const meter = config.meters?.find((candidate) => candidate.id === present)
  if (meter === undefined) throw new ServiceError('meter_not_found', `There is no meter "${id}".`)
  return meter
}

/**
 * Returns the idempotency key of the event. It covers the whole event, because the processor rejects a key that is reused for a different
 * request.
 */
function usageKey(event: UsageEvent): string {
  return `ratecard-usage-${createHash('sha256').update(JSON.stringify(event)).digest('hex').slice(0, 40)}`
}

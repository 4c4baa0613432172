// Grants: features that a tenant gets by hand, in addition to the features it buys or in place of them.
import { presentId } from '../../../document/rules/previous-ids.ts'
import type { BillingConfig } from '../../../document/schema/schema.ts'
import { pointerOf } from '../../../base/errors/issue.ts'
import { ServiceError } from '../../../base/errors/service-error.ts'
import type { Store } from '../../../store/store.ts'
import { auditRow } from '../../tenants/audit.ts'
import type { FeatureGrant, Limit } from './allowances.ts'
import type { SubscriberDeps } from '../deps.ts'
import { featureOf } from './feature-offers.ts'
import { currentConfig } from '../price-names.ts'
import type { Caller } from '../../../api/notation/callers.ts'
import type { Grant, NewGrant } from '../../../api/customers/tenants.ts'
import type { FeatureGrantRecord, GivenFeature } from '../../../store/records/features.ts'

export interface GrantDeps extends Pick<SubscriberDeps, 'clock' | 'newId' | 'applied' | 'findTenant'> {
  readonly store: Pick<Store, 'grants'>
}

export async function listGrants(deps: GrantDeps, tenantId: string): Promise<readonly Grant[]> {
  await deps.findTenant(tenantId)
  const config = await currentConfig(deps.applied)
  return (await deps.store.grants.list(tenantId)).map((record) => grantOf(record, config))
}

/** Gives a feature to a tenant (a grant). Replaces an earlier grant of the same feature. Throws `feature_not_found`. */
export async function putGrant(
  deps: GrantDeps,
  { tenantId, feature: named }: { readonly tenantId: string; readonly feature: string },
  wanted: NewGrant,
  caller: Caller,
): Promise<Grant> {
  await deps.findTenant(tenantId)
  const { config } = await deps.applied()
  const feature = featureOf(config, named)
  const now = deps.clock.now()
  requireEffect(wanted, feature.type ?? 'switch', now)
  const record: FeatureGrantRecord = {
    tenantId,
    feature: feature.id,
    granted: wanted.limit === undefined ? null : String(wanted.limit),
    switched: wanted.enabled === undefined ? null : wanted.enabled ? 'on' : 'off',
    mode: wanted.replace === true ? 'replace' : 'add',
    endsAt: wanted.endsAt ?? null,
    note: wanted.note ?? null,
    createdAt: now,
  }
  const former = await formerGrant(deps, tenantId, feature.id, config)
  const result = {
    before: former === undefined ? null : auditedGrant(former, config),
    after: auditedGrant(record, config),
  }
  const row = { tenantId, action: 'grant_given', before: null, after: null, result } as const
  await deps.store.grants.put(record, auditRow({ newId: deps.newId, now }, row, caller))
  // Remove a grant that was stored under a former id of the feature. Otherwise both grants would count.
  if (former !== undefined && former.feature !== feature.id)
    await deps.store.grants.remove(tenantId, former.feature, auditRow({ newId: deps.newId, now }, row, caller))
  return grantOf(record, config)
}

/** Removes a grant. Throws `grant_not_found`. */
export async function removeGrant(
  deps: GrantDeps,
  { tenantId, feature }: { readonly tenantId: string; readonly feature: string },
  caller: Caller,
): Promise<void> {
  await deps.findTenant(tenantId)
  const config = await currentConfig(deps.applied)
  const former = await formerGrant(deps, tenantId, feature, config)
  const now = deps.clock.now()
  const result = { before: former === undefined ? null : auditedGrant(former, config), after: null }
  const row = { tenantId, action: 'grant_removed', before: null, after: null, result } as const
  const audit = auditRow({ newId: deps.newId, now }, row, caller)
  if (former === undefined || !(await deps.store.grants.remove(tenantId, former.feature, audit)))
    throw new ServiceError('grant_not_found', `The tenant "${tenantId}" has no grant of the feature "${feature}".`, {
      hint: `See \`ratecard tenants grants ${tenantId}\`.`,
    })
}

/** Returns a tenant's grants by the present id of their feature. */
export function grantsByFeature(
  given: readonly GivenFeature[],
  config: BillingConfig,
): ReadonlyMap<string, FeatureGrant> {
  return new Map(given.map((one) => [presentIdOf(config, one.feature), givenOf(one, config)]))
}

async function formerGrant({ store }: GrantDeps, tenantId: string, feature: string, config: BillingConfig | null) {
  const present = presentIdOf(config, feature)
  return (await store.grants.list(tenantId)).find((record) => presentIdOf(config, record.feature) === present)
}

const presentIdOf = (config: BillingConfig | null, id: string) =>
  config === null ? id : presentId(config, 'feature', id)

function grantOf(record: FeatureGrantRecord, config: BillingConfig | null): Grant {
  return { ...givenOf(record, config), note: record.note, createdAt: record.createdAt }
}

function givenOf(
  { feature, granted, switched, mode, endsAt }: GivenFeature,
  config: BillingConfig | null,
): FeatureGrant {
  return {
    feature: presentIdOf(config, feature),
    limit: limitOf(granted),
    enabled: switched === null ? null : switched === 'on',
    replace: mode === 'replace',
    endsAt,
  }
}

/** Returns a grant in the form of the audit trail, with the field names and time format of the API. */
function auditedGrant(record: FeatureGrantRecord, config: BillingConfig | null) {
  const { feature, limit, enabled, replace, endsAt, note } = grantOf(record, config)
  const ends_at = endsAt === null ? null : new Date(endsAt).toISOString()
  return { feature, limit, enabled, replace, ends_at, note }
}

const limitOf = (granted: string | null): Limit | null =>
  granted === null || granted === 'unlimited' ? granted : Number(granted)

function requireEffect({ limit, enabled, endsAt }: NewGrant, type: 'switch' | 'limit' | 'metered', now: number): void {
  if (type === 'switch' && limit !== undefined)
    throw invalidGrant('limit', 'The feature is of type `switch`, so it has no limit.', 'Give "enabled" instead.')
  if (limit === undefined && enabled === undefined)
    throw invalidGrant(
      'limit',
      'The grant changes nothing: it has neither "limit" nor "enabled".',
      'Set one of the two.',
    )
  if (typeof endsAt === 'number' && endsAt <= now)
    throw invalidGrant(
      'ends_at',
      'The grant would have ended already.',
      'Set `ends_at` to a time in the future, or leave it out.',
    )
}

function invalidGrant(member: string, detail: string, hint: string): ServiceError {
  const issue = { code: 'value_invalid', pointer: pointerOf([member]), severity: 'error', detail, hint } as const
  return new ServiceError('request_invalid', detail, { hint, issues: [issue] })
}

// Grants: features that a tenant is given by hand, in addition to what it buys or in place of it.
import { aliasesOf, presentId } from '../config/schema/previous-ids.ts'
import type { BillingConfig } from '../config/schema/schema.ts'
import { pointerOf } from '../errors/issue.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { Caller, Grant, NewGrant } from '../service/tenants.ts'
import type { FeatureGrantRecord } from '../store/feature-store.ts'
import type { Store } from '../store/store.ts'
import { auditRow } from '../tenants/audit.ts'
import type { FeatureGrant, Limit } from './allowances.ts'
import type { SubscriberDeps } from './deps.ts'
import { featureOf } from './feature-offers.ts'
import { currentConfig } from './price-names.ts'

export interface GrantDeps extends Pick<SubscriberDeps, 'clock' | 'newId' | 'applied' | 'findTenant'> {
  readonly store: Pick<Store, 'grants'>
}

export async function listGrants(deps: GrantDeps, tenantId: string): Promise<readonly Grant[]> {
  await deps.findTenant(tenantId)
  const config = await currentConfig(deps.applied)
  return (await deps.store.grants.list(tenantId)).map((record) => grantOf(record, config))
}

/** Gives a tenant a grant, which replaces an earlier one of the same feature. Throws `feature_not_found`. */
export async function putGrant(
  deps: GrantDeps,
  { tenantId, feature: named }: { readonly tenantId: string; readonly feature: string },
  wanted: NewGrant,
  caller: Caller,
): Promise<Grant> {
  await deps.findTenant(tenantId)
  const { config } = await deps.applied()
  const feature = featureOf(config, named)
  requireEffect(wanted, feature.type ?? 'switch')
  const now = deps.clock.now()
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
  const result = { before: former === undefined ? null : audited(former, config), after: audited(record, config) }
  const row = { tenantId, action: 'grant_given', before: null, after: null, result } as const
  await deps.store.grants.put(record, auditRow({ newId: deps.newId, now }, row, caller))
  // An earlier grant under a former id of the feature would count beside this one.
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
  const result = { before: former === undefined ? null : audited(former, config), after: null }
  const row = { tenantId, action: 'grant_removed', before: null, after: null, result } as const
  const audit = auditRow({ newId: deps.newId, now }, row, caller)
  if (former === undefined || !(await deps.store.grants.remove(tenantId, former.feature, audit)))
    throw new ServiceError('grant_not_found', `The tenant "${tenantId}" has no grant of the feature "${feature}".`, {
      hint: `See \`ratecard tenants grants ${tenantId}\`.`,
    })
}

/** Returns the tenant's grants by the present id of their feature. */
export async function grantsByFeature(
  { store }: Pick<GrantDeps, 'store'>,
  tenantId: string,
  config: BillingConfig,
): Promise<ReadonlyMap<string, FeatureGrant>> {
  const grants = (await store.grants.list(tenantId)).map((record) => grantOf(record, config))
  return new Map(grants.map((grant) => [grant.feature, grant]))
}

async function formerGrant({ store }: GrantDeps, tenantId: string, feature: string, config: BillingConfig | null) {
  const present = presentIdOf(config, feature)
  return (await store.grants.list(tenantId)).find((record) => presentIdOf(config, record.feature) === present)
}

const presentIdOf = (config: BillingConfig | null, id: string) =>
  config === null || aliasesOf(config).length === 0 ? id : presentId(config, 'feature', id)

function grantOf(record: FeatureGrantRecord, config: BillingConfig | null): Grant {
  const { feature, granted, switched, mode, endsAt, note, createdAt } = record
  return {
    feature: presentIdOf(config, feature),
    limit: limitOf(granted),
    enabled: switched === null ? null : switched === 'on',
    replace: mode === 'replace',
    endsAt,
    note,
    createdAt,
  }
}

/** Returns a grant for the audit trail, with the names and the times of the API. */
function audited(record: FeatureGrantRecord, config: BillingConfig | null) {
  const { feature, limit, enabled, replace, endsAt, note } = grantOf(record, config)
  const ends_at = endsAt === null ? null : new Date(endsAt).toISOString()
  return { feature, limit, enabled, replace, ends_at, note }
}

const limitOf = (granted: string | null): Limit | null =>
  granted === null || granted === 'unlimited' ? granted : Number(granted)

function requireEffect({ limit, enabled }: NewGrant, type: 'switch' | 'limit' | 'metered'): void {
  if (type === 'switch' && limit !== undefined)
    throw refused('limit', 'The feature is a switch, so it has no limit.', 'Give "enabled" instead.')
  if (limit === undefined && enabled === undefined)
    throw refused('limit', 'The grant changes nothing: it has neither "limit" nor "enabled".', 'Give one of the two.')
}

function refused(member: string, detail: string, hint: string): ServiceError {
  const issue = { code: 'value_invalid', pointer: pointerOf([member]), severity: 'error', detail, hint } as const
  return new ServiceError('request_invalid', detail, { hint, issues: [issue] })
}

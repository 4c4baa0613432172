// Entitlements of a tenant: the features that it may use, and how much of each, by configuration id. If the mirror (the local copy of
// subscriptions) is complete, they are computed from it without a request to the processor. Otherwise they are read from the processor.
import { processorId } from '../../../catalog/resource.ts'
import type { Feature } from '../../../document/schema/feature-schema.ts'
import type { BillingConfig } from '../../../document/schema/schema.ts'
import { decimalFromInteger, parseDecimal, type Decimal } from '../../../base/money/decimal.ts'
import type { ActiveEntitlement } from '../../../processor/customer-half.ts'
import { entitlementsOf } from '../../tenants/at-processor.ts'
import { tenantNotFound } from '../../tenants/customer-link.ts'
import { allowanceOf, checkAllowance, type Allowance, type FeatureGrant, type FeatureSource } from './allowances.ts'
import { creditBalance } from '../credit-balance.ts'
import { countedFormulaOf } from '../usage/decide-usage.ts'
import { amountText, featureOf, offersOf } from './feature-offers.ts'
import { featureSources, type FeatureSourceDeps } from './feature-sources.ts'
import { grantsByFeature } from './grants.ts'
import { currentConfig } from '../price-names.ts'
import { liveSubscriptions } from '../subscriptions.ts'
import type { CheckedFeature, Entitlements, FeatureQuestion } from '../../../api/customers/tenants.ts'
import type { TenantHoldings } from '../../../store/records/features.ts'

/** Data that a tenant's allowances are computed from, as of one time. */
interface Holdings extends Pick<TenantHoldings, 'tenantId' | 'customer'> {
  readonly config: BillingConfig
  readonly sources: readonly FeatureSource[]
  readonly grants: ReadonlyMap<string, FeatureGrant>
  /** Age of the mirror; empty if the processor was asked. */
  readonly age: { readonly asOf?: number; readonly stale?: true }
  /** Time when the data was read. */
  readonly readAt: number
}

/**
 * Returns the tenant's active features, sorted by id. Features of free prices are added, because the processor does not know free
 * subscriptions. Features without a configuration id are omitted.
 */
export async function readEntitlements(deps: FeatureSourceDeps, tenantId: string): Promise<Entitlements> {
  const config = await currentConfig(deps.applied)
  // After a reset there is no document that says which features a product has, so the entitlements are read from the processor.
  if (config === null) {
    const { processorCustomerId } = await deps.findTenant(tenantId)
    return { features: (await liveFeatures(deps, processorCustomerId)).map(givenFeature) }
  }
  const held = await holdingsOf(deps, await storedHoldings(deps, tenantId), config)
  const live = held.age.asOf === undefined ? await liveFeatures(deps, held.customer) : []
  const given = new Set(live.map(({ id }) => id).filter((id) => held.grants.get(id)?.enabled !== false))
  const features: Entitlements['features'][number][] = []
  for (const feature of config.features ?? []) {
    const own = allowanceIn(deps, held, feature)
    const allowance = given.has(feature.id) ? { ...own, included: true } : own
    if (!allowance.included) continue
    const { asOf: _, stale: __, ...check } = await answerOf(deps, held, allowance, { feature: feature.id })
    features.push({ id: feature.id, name: feature.name, ...check })
  }
  const credits = held.age.asOf === undefined ? {} : { credits: await balanceOf(deps, held.customer) }
  return { ...held.age, features: features.sort((a, b) => (a.id < b.id ? -1 : 1)), ...credits }
}

/** Returns what is left of the tenant's credits, from the mirror. */
async function balanceOf({ store, clock }: FeatureSourceDeps, customer: Holdings['customer']) {
  return customer === null ? [] : creditBalance(await store.credits.grantsOf(processorId(customer)), clock.now())
}

/**
 * Checks for each requested feature whether the tenant may use more of it. Throws `feature_not_found` for a feature that is not in the
 * document.
 */
export async function checkFeatures(
  deps: FeatureSourceDeps,
  tenantId: string,
  questions: readonly FeatureQuestion[],
): Promise<readonly CheckedFeature[]> {
  const { config } = await deps.applied()
  const asked = questions.map((question) => ({ question, feature: featureOf(config, question.feature) }))
  const held = await holdingsOf(deps, await storedHoldings(deps, tenantId), config)
  return Promise.all(
    asked.map(({ question, feature }) => answerOf(deps, held, allowanceIn(deps, held, feature), question)),
  )
}

/** Like {@link checkFeatures}, for a single feature. */
export async function checkFeature(
  deps: FeatureSourceDeps,
  tenantId: string,
  question: FeatureQuestion,
): Promise<CheckedFeature> {
  const { config } = await deps.applied()
  const feature = featureOf(config, question.feature)
  const held = await holdingsOf(deps, await storedHoldings(deps, tenantId), config)
  return answerOf(deps, held, allowanceIn(deps, held, feature), question)
}

/** Returns the allowances of the tenant for all features that this meter counts. */
export async function meteredAllowances(
  deps: FeatureSourceDeps,
  stored: TenantHoldings,
  meter: string,
): Promise<readonly Allowance[]> {
  const { config } = await deps.applied()
  const features = (config.features ?? []).filter((feature) => feature.meter === meter)
  if (features.length === 0) return []
  const held = await holdingsOf(deps, stored, config)
  return features.map((feature) => allowanceIn(deps, held, feature))
}

/** Reads what a tenant holds. Throws `tenant_not_found`. */
export async function storedHoldings(
  { store }: Pick<FeatureSourceDeps, 'store'>,
  tenantId: string,
): Promise<TenantHoldings> {
  const stored = await store.holdings.of(tenantId)
  if (stored === null) throw tenantNotFound(tenantId)
  return stored
}

async function holdingsOf(deps: FeatureSourceDeps, stored: TenantHoldings, config: BillingConfig): Promise<Holdings> {
  const { tenantId, customer } = stored
  const { asOf, stale } = deps.mirror.statusOf(stored.mirror)
  const readAt = deps.clock.now()
  const subscriptions =
    asOf === null ? await liveSubscriptions(deps, { processorCustomerId: customer }) : stored.subscriptions
  return {
    tenantId,
    customer,
    config,
    sources: await featureSources(deps, config, stored, subscriptions),
    grants: grantsByFeature(stored.grants, config),
    age: asOf === null ? {} : { asOf, ...(stale && { stale }) },
    readAt,
  }
}

const allowanceIn = ({ clock }: FeatureSourceDeps, { sources, grants }: Holdings, feature: Feature): Allowance =>
  allowanceOf(feature, sources, grants.get(feature.id), clock.now())

async function answerOf(
  deps: FeatureSourceDeps,
  held: Holdings,
  allowance: Allowance,
  question: FeatureQuestion,
): Promise<CheckedFeature> {
  const { feature, limit, beyond, counted } = allowance
  const { requested = 1 } = question
  const known = await usedOf(deps, held, allowance, question)
  const { allowed, reason, used, remaining } = checkAllowance(allowance, known, requested)
  const grant = held.grants.get(feature.id)
  const wanted = { feature, sources: held.sources, grant, used: known, requested, now: deps.clock.now() }
  return {
    allowed,
    reason,
    feature: feature.id,
    type: feature.type ?? 'switch',
    limit,
    used: amountText(used),
    remaining: remaining === 'unlimited' ? remaining : amountText(remaining),
    resetsAt: counted?.to ?? null,
    beyond,
    offeredBy: allowed ? [] : offersOf(held.config, wanted),
    asOf: held.readAt,
    ...held.age,
  }
}

/**
 * Returns the used amount of a feature. For a metered feature it is the usage reported in the current period, for any other feature it is
 * the amount in the request.
 */
async function usedOf(
  { store }: FeatureSourceDeps,
  { tenantId, config }: Holdings,
  { feature, counted }: Allowance,
  { used }: FeatureQuestion,
): Promise<Decimal | null> {
  if (counted === null) return used === undefined ? null : decimalFromInteger(used)
  const meter = config.meters?.find(({ id }) => id === feature.meter)
  if (meter === undefined) return null
  return parseDecimal(await store.usage.used(tenantId, meter.event_name, countedFormulaOf(meter), counted))
}

/** Creates a feature that is known only from the processor's entitlements, so that its limits are unknown. */
const givenFeature = ({ id, name }: { readonly id: string; readonly name: string }) => ({
  id,
  name,
  allowed: true,
  reason: null,
  feature: id,
  type: 'switch' as const,
  limit: null,
  used: null,
  remaining: null,
  resetsAt: null,
  beyond: null,
  offeredBy: [],
})

/** Returns the features of the customer's entitlements at the processor. */
async function liveFeatures(deps: FeatureSourceDeps, customer: string | null) {
  const { processor, shutdown } = deps
  const active = customer === null ? [] : await entitlementsOf(processor, processorId(customer), shutdown)
  const found = new Map<string, { readonly id: string; readonly name: string }>()
  for (const one of active) {
    const id = await configIdOf(deps, one)
    if (id !== null) found.set(id, { id, name: one.name })
  }
  return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Returns the configuration id of a feature. Searches the mapping history, because the feature may have been re-created or renamed. */
async function configIdOf({ store }: FeatureSourceDeps, { feature }: ActiveEntitlement): Promise<string | null> {
  const entries = (await store.mappings.byProcessorId(feature)).filter(({ kind }) => kind === 'feature')
  return entries.sort((a, b) => b.sequence - a.sequence)[0]?.configId ?? null
}

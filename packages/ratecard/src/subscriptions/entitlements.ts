// Entitlements of a tenant: what it may use of which feature, by configuration id. If the mirror (the local copy of subscriptions) is
// complete, they are computed from it without a request to the processor. Otherwise the processor is asked.
import { processorId } from '../catalog/resource.ts'
import type { Feature } from '../config/schema/feature-schema.ts'
import { presentId } from '../config/schema/previous-ids.ts'
import type { BillingConfig } from '../config/schema/schema.ts'
import { ServiceError } from '../errors/service-error.ts'
import { decimalFromInteger, type Decimal } from '../money/decimal.ts'
import type { ActiveEntitlement } from '../processor/customer-half.ts'
import type { CheckedFeature, Entitlements, FeatureQuestion } from '../service/tenants.ts'
import type { TenantRecord } from '../store/tenant-store.ts'
import { entitlementsOf } from '../tenants/at-processor.ts'
import { allowanceOf, checkAllowance, type Allowance, type FeatureSource } from './allowances.ts'
import { amountText, offersOf } from './feature-offers.ts'
import { featureSources, type FeatureSourceDeps } from './feature-sources.ts'
import { currentConfig } from './price-names.ts'
import { liveSubscriptions } from './subscriptions.ts'

/**
 * Returns the tenant's active features, sorted by id. They include the features of products of which the tenant has a free price, because
 * the processor does not know free subscriptions. Features without a configuration id are omitted.
 */
export async function readEntitlements(deps: FeatureSourceDeps, tenant: TenantRecord): Promise<Entitlements> {
  const config = await currentConfig(deps.applied)
  // After a reset no document contains the features of a product, so the processor is asked for the entitlements.
  if (config === null) return { features: (await liveFeatures(deps, tenant)).map(givenFeature) }
  const { asOf, stale, sources } = await readSources(deps, tenant, config)
  const included = asOf === null ? new Set((await liveFeatures(deps, tenant)).map(({ id }) => id)) : null
  const features = (config.features ?? []).flatMap((feature) => {
    const allowance = allowanceOf(feature, sources, undefined, deps.clock.now())
    if (!allowance.included && included?.has(feature.id) !== true) return []
    return [
      { id: feature.id, name: feature.name, ...answerOf(config, { ...allowance, included: true }, null, 1, sources) },
    ]
  })
  return { ...age({ asOf, stale }), features: features.sort((a, b) => (a.id < b.id ? -1 : 1)) }
}

/** Answers whether the tenant may use more of each feature. Throws `feature_not_found` for a feature that the document does not have. */
export async function checkFeatures(
  deps: FeatureSourceDeps,
  tenant: TenantRecord,
  questions: readonly FeatureQuestion[],
): Promise<readonly CheckedFeature[]> {
  const { config } = await deps.applied()
  const asked = questions.map((question) => ({ question, feature: featureOf(config, question.feature) }))
  const { asOf, stale, sources } = await readSources(deps, tenant, config)
  return asked.map((one) => ({ ...checkOf(deps, config, one, sources), ...age({ asOf, stale }) }))
}

/** Like {@link checkFeatures}, for one question. */
export async function checkFeature(
  deps: FeatureSourceDeps,
  tenant: TenantRecord,
  question: FeatureQuestion,
): Promise<CheckedFeature> {
  const { config } = await deps.applied()
  const feature = featureOf(config, question.feature)
  const { asOf, stale, sources } = await readSources(deps, tenant, config)
  return { ...checkOf(deps, config, { question, feature }, sources), ...age({ asOf, stale }) }
}

function checkOf(
  { clock }: FeatureSourceDeps,
  config: BillingConfig,
  { question, feature }: { readonly question: FeatureQuestion; readonly feature: Feature },
  sources: readonly FeatureSource[],
) {
  const { used, requested = 1 } = question
  const known = used === undefined ? null : decimalFromInteger(used)
  return answerOf(config, allowanceOf(feature, sources, undefined, clock.now()), known, requested, sources)
}

function featureOf(config: BillingConfig, id: string): Feature {
  const present = presentId(config, 'feature', id)
  const feature = config.features?.find((candidate) => candidate.id === present)
  if (feature === undefined)
    throw new ServiceError('feature_not_found', `There is no feature "${id}".`, {
      hint: 'List the features with `ratecard billing show`.',
    })
  return feature
}

async function readSources(deps: FeatureSourceDeps, tenant: TenantRecord, config: BillingConfig) {
  const { asOf, stale } = await deps.mirror.status()
  const customer = tenant.processorCustomerId
  const subscriptions =
    asOf === null
      ? await liveSubscriptions(deps, tenant)
      : customer === null
        ? []
        : await deps.store.mirror.subscriptionsOf(processorId(customer))
  return { asOf, stale, sources: await featureSources(deps, tenant, config, subscriptions) }
}

const age = ({ asOf, stale }: { readonly asOf: number | null; readonly stale: boolean }) =>
  asOf === null ? {} : { asOf, ...(stale ? { stale } : {}) }

function answerOf(
  config: BillingConfig,
  allowance: Allowance,
  known: Decimal | null,
  requested: number,
  sources: readonly FeatureSource[],
): Omit<CheckedFeature, 'asOf' | 'stale'> {
  const { feature, limit, beyond, counted } = allowance
  const { allowed, reason, used, remaining } = checkAllowance(allowance, known, requested)
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
    offeredBy: allowed ? [] : offersOf(config, { feature, sources, used: known, requested }),
  }
}

/** A feature of which only the processor's word is known: it has no limits. */
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

/** Returns the features that the processor says the customer has. */
async function liveFeatures(deps: FeatureSourceDeps, tenant: TenantRecord) {
  const { processor, shutdown } = deps
  const customer = tenant.processorCustomerId
  const active = customer === null ? [] : await entitlementsOf(processor, processorId(customer), shutdown)
  const found = new Map<string, { readonly id: string; readonly name: string }>()
  for (const one of active) {
    const id = await configIdOf(deps, one)
    if (id !== null) found.set(id, { id, name: one.name })
  }
  return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Returns the configuration id of a feature. It is found in the mapping history, so that recreated and renamed features are found too. */
async function configIdOf({ store }: FeatureSourceDeps, { feature }: ActiveEntitlement): Promise<string | null> {
  const entries = (await store.mappings.byProcessorId(feature)).filter(({ kind }) => kind === 'feature')
  return entries.sort((a, b) => b.sequence - a.sequence)[0]?.configId ?? null
}

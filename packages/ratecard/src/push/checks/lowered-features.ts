// Check for products whose features a plan removes or lowers. Counts the affected tenants.
import { ownersOf } from '../../catalog/owners.ts'
import type { Planned } from './planned.ts'
import type { ProcessorId } from '../../catalog/resource.ts'
import { featureIdOf, type ProductFeature } from '../../document/schema/feature-schema.ts'
import { aliasesOf } from '../../document/rules/previous-ids.ts'
import type { BillingConfig, Product } from '../../document/schema/schema.ts'
import type { Issue } from '../../base/errors/issue.ts'
import { readUses, type UseDeps } from './price-uses.ts'

export interface LoweredFeatures {
  /** One warning for each product through which a tenant loses features or gets lower limits, with the number of affected tenants. */
  readonly issues: readonly Issue[]
  /** Number of distinct tenants who get less. */
  readonly tenants: number
}

export async function loweredFeatures(deps: UseDeps, input: Planned, signal: AbortSignal): Promise<LoweredFeatures> {
  const { config, previous, place } = input
  if (previous === null) return { issues: [], tenants: 0 }
  const issues: Issue[] = []
  const all = new Set<string>()
  for (const { product, before } of continuedProducts(config, previous)) {
    const lowered = loweredOf(before, product, config)
    if (lowered.length === 0) continue
    const concerned = await tenantsOn(deps, input, product, before, signal)
    if (concerned.size === 0) continue
    for (const tenant of concerned) all.add(tenant)
    const tenants = concerned.size
    issues.push({
      code: 'features_lowered',
      pointer: place('product', product.id, 'features'),
      severity: 'warning',
      detail: `The product "${product.id}" gives less than before (${lowered.join(', ')}), which concerns ${String(tenants)} ${tenants === 1 ? 'tenant' : 'tenants'}.`,
      hint:
        product.grandfather_features === true
          ? 'Subscribers to an earlier price keep what they have.'
          : 'To let existing subscribers keep what they have, set `grandfather_features: true` and replace the price.',
    })
  }
  return { issues, tenants: all.size }
}

function continuedProducts(config: BillingConfig, previous: BillingConfig) {
  const renamed = new Map(
    aliasesOf(config).flatMap(({ kind, from, to }) => (kind === 'product' ? [[from, to] as const] : [])),
  )
  const present = new Map(config.products.map((product) => [product.id, product]))
  return previous.products.flatMap((before) => {
    const product = present.get(before.id) ?? present.get(renamed.get(before.id) ?? '')
    return product === undefined ? [] : [{ product, before }]
  })
}

/** Returns the features that the plan removes from the product or lowers, e.g. `projects: 10 → 5` and `sso: removed`. */
function loweredOf(before: Product, after: Product, config: BillingConfig): string[] {
  const renamed = new Map(
    aliasesOf(config).flatMap(({ kind, from, to }) => (kind === 'feature' ? [[from, to] as const] : [])),
  )
  const present = new Map((after.features ?? []).map((entry) => [featureIdOf(entry), entry]))
  return (before.features ?? []).flatMap((entry) => {
    const id = renamed.get(featureIdOf(entry)) ?? featureIdOf(entry)
    const now = present.get(id)
    if (now === undefined) return [`${id}: removed`]
    const less = lessOf(entry, now)
    return less === null ? [] : [`${id}: ${less}`]
  })
}

function lessOf(entry: ProductFeature, after: ProductFeature): string | null {
  if (typeof after === 'string') return null
  // The use of a switch is not limited.
  const before = typeof entry === 'string' ? { id: entry, limit: 'unlimited' as const } : entry
  const [had, has] = [before.limit, after.limit].map((limit) => (limit === 'unlimited' ? Infinity : limit))
  if ((has ?? 0) < (had ?? 0)) return `${String(before.limit)} → ${String(after.limit)}`
  if (before.per_quantity === true && after.per_quantity !== true && after.limit !== 'unlimited')
    return 'no longer for each unit'
  if (before.beyond === 'allow' && after.beyond !== 'allow' && after.limit !== 'unlimited')
    return 'nothing beyond the limit'
  return null
}

/**
 * Returns the tenants on the product's prices. With `grandfather_features`, only tenants on current processor prices are counted, because
 * the others keep their features.
 */
async function tenantsOn(
  deps: UseDeps,
  { plan, mappings }: Planned,
  product: Product,
  before: Product,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const ids = new Set([...(before.prices ?? []), ...(product.prices ?? [])].map(({ id }) => id))
  const generations = [...ownersOf('price', mappings)].filter(([id, owner]) => ids.has(owner) && String(id) !== owner)
  const concerned =
    product.grandfather_features === true
      ? stayingPrices(generations, { mappings, plan })
      : generations.map(([id]) => id)
  const { uses } = await readUses(deps, concerned, signal)
  const paid = [...uses.values()].flat().flatMap(({ tenantId }) => tenantId ?? [])
  const free: string[] = []
  for (const id of ids) for (const { tenantId } of await deps.store.localSubscriptions.running(id)) free.push(tenantId)
  return new Set([...paid, ...free])
}

/**
 * Returns the current processor price of each price that the plan does not replace. It is the one of the last mapping, not of the newest
 * generation: after a rollback, an earlier generation is sold again.
 */
function stayingPrices(
  generations: readonly (readonly [ProcessorId, string])[],
  { mappings, plan }: Pick<Planned, 'mappings' | 'plan'>,
): readonly ProcessorId[] {
  const prices = mappings.filter(({ kind }) => kind === 'price').sort((a, b) => a.sequence - b.sequence)
  const current = new Map<string, ProcessorId>(prices.map(({ configId, processorId }) => [configId, processorId]))
  for (const { kind, action, configId } of plan.changes)
    if (kind === 'price' && action === 'replace') current.delete(configId)
  return generations.flatMap(([id, owner]) => (current.get(owner) === id ? [id] : []))
}

// Reads usage that the processor accepted and later dropped, and adds the configuration ids.
import { presentId } from '../../../document/rules/previous-ids.ts'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { ProcessorError } from '../../../processor/processor-error.ts'
import type { UsageError } from '../../../processor/customer-half.ts'
import { isDigest, readIdentifier } from './decide-usage.ts'
import type { SubscriberDeps } from '../deps.ts'
import { currentConfig } from '../price-names.ts'
import type { RecentUsageErrors } from './recent-usage-errors.ts'
import type { DroppedUsage, DroppedUsageQuery } from '../../../api/customers/usage.ts'

type Deps = SubscriberDeps & { readonly usageErrors: RecentUsageErrors }

/**
 * Returns dropped usage, newest first. With a filter for a tenant, the result also includes usage whose tenant is unknown. Throws
 * `meter_not_found` or `tenant_not_found` for an unknown id in the filter. Otherwise a mistyped id would return an empty list.
 */
export async function readDroppedUsage(
  deps: Deps,
  { meter, tenantId }: DroppedUsageQuery,
): Promise<readonly DroppedUsage[]> {
  if (tenantId !== undefined) await deps.findTenant(tenantId)
  const wanted = meter === undefined ? null : await meterId(deps, meter)
  await deps.account()
  const all = await nameUsageErrors(deps, await deps.usageErrors.read())
  return all.filter(
    (one) =>
      (wanted === null || one.meter === wanted) &&
      (tenantId === undefined || isOf(one, tenantId) || isOfSomebodyUnknown(one)),
  )
}

/** Implements `TenantOperations.droppedUsageOf`. */
export async function readDroppedUsageOf(deps: Deps, tenantId: string): Promise<readonly DroppedUsage[] | null> {
  const [tenant, config] = await Promise.all([deps.findTenant(tenantId), currentConfig(deps.applied)])
  if (tenant.processorCustomerId === null || (config?.meters ?? []).length === 0) return []
  try {
    await deps.account()
    const errors = await deps.usageErrors.recent()
    return errors === null ? null : (await nameUsageErrors(deps, errors)).filter((one) => isOf(one, tenantId))
  } catch (error) {
    if (error instanceof ServiceError && error.cause instanceof ProcessorError) return null
    throw error
  }
}

/** Adds the configuration id of the meter to each usage error: its current id, or its last id if the meter was removed. */
async function nameUsageErrors(
  { store }: Pick<SubscriberDeps, 'store'>,
  errors: readonly UsageError[],
): Promise<readonly DroppedUsage[]> {
  const meters = [...new Set(errors.flatMap(({ meter }) => (meter === null ? [] : [meter])))]
  const renames = meters.length === 0 ? [] : await store.mappings.renames()
  /** Configuration ids of each meter, current and former, latest first. */
  const names = new Map(
    await Promise.all(
      meters.map(async (id) => {
        const entries = (await store.mappings.byProcessorId(id)).filter(({ kind }) => kind === 'meter')
        const rows = new Set(entries.map(({ sequence }) => sequence))
        const latest = entries.sort((a, b) => b.sequence - a.sequence).map(({ configId }) => configId)
        const former = renames.filter((rename) => rename.rows.some((row) => rows.has(row))).map(({ from }) => from)
        return [id, new Set<string>([...latest, ...former])] as const
      }),
    ),
  )
  return errors.map(({ at, meter, code, count, message, identifiers }) => {
    const ids = (meter === null ? undefined : names.get(meter)) ?? new Set<string>()
    const [latest = null] = ids
    return {
      at,
      meter: latest,
      processorMeterId: meter,
      code,
      count,
      message,
      examples: identifiers.map((whole) => readIdentifier(whole, ids)),
    }
  })
}

const isOf = ({ examples }: DroppedUsage, tenantId: string) => examples.some((example) => example.tenantId === tenantId)

/**
 * True for usage of a meter of this configuration whose tenant is unknown: this service reported it, but its identifier is a digest, from
 * which the tenant cannot be read.
 */
const isOfSomebodyUnknown = ({ meter, examples }: DroppedUsage) =>
  meter !== null && examples.some(({ tenantId, identifier }) => tenantId === null && isDigest(identifier))

async function meterId(deps: SubscriberDeps, id: string): Promise<string> {
  const { config } = await deps.applied()
  const present = presentId(config, 'meter', id)
  if (config.meters?.some((meter) => meter.id === present) === true) return present
  throw new ServiceError('meter_not_found', `There is no meter "${id}".`)
}

// Usage that the processor took and found out later that it does not count, in the words of the configuration.
import { presentId } from '../config/document/previous-ids.ts'
import { ServiceError } from '../errors/service-error.ts'
import { askProcessor } from '../processor/failures.ts'
import { ProcessorError } from '../processor/processor-error.ts'
import type { UsageError } from '../processor/customer-half.ts'
import type { DroppedUsage, DroppedUsageQuery } from '../service/tenants.ts'
import { readIdentifier } from './decide-usage.ts'
import type { SubscriberDeps } from './deps.ts'
import { currentConfig } from './price-names.ts'

/** Newest first. `meter_not_found`, `tenant_not_found`: a mistyped filter would look as if nothing was dropped. */
export async function readDroppedUsage(
  deps: SubscriberDeps,
  { meter, tenantId }: DroppedUsageQuery,
): Promise<readonly DroppedUsage[]> {
  if (tenantId !== undefined) await deps.findTenant(tenantId)
  const wanted = meter === undefined ? null : await meterId(deps, meter)
  const all = await readAll(deps)
  return all.filter((one) => (wanted === null || one.meter === wanted) && isOf(one, tenantId))
}

/** See `TenantOperations.droppedUsageOf`. */
export async function readDroppedUsageOf(
  deps: SubscriberDeps,
  tenantId: string,
): Promise<readonly DroppedUsage[] | null> {
  const [tenant, config] = await Promise.all([deps.findTenant(tenantId), currentConfig(deps.applied)])
  if (tenant.processorCustomerId === null || (config?.meters ?? []).length === 0) return []
  try {
    return (await readAll(deps)).filter((one) => isOf(one, tenantId))
  } catch (error) {
    if (error instanceof ServiceError && error.cause instanceof ProcessorError) return null
    throw error
  }
}

async function readAll(deps: SubscriberDeps): Promise<readonly DroppedUsage[]> {
  await deps.account()
  const errors = await askProcessor(deps.shutdown, () => deps.processor.usageErrors(deps.shutdown))
  return nameUsageErrors(deps, errors)
}

/** Meters by what they stand for now, or stood for last. */
export async function nameUsageErrors(
  { store }: Pick<SubscriberDeps, 'store'>,
  errors: readonly UsageError[],
): Promise<readonly DroppedUsage[]> {
  const meters = [...new Set(errors.flatMap(({ meter }) => (meter === null ? [] : [meter])))]
  const names = new Map(
    await Promise.all(
      meters.map(async (id) => {
        const entries = (await store.mappings.byProcessorId(id)).filter(({ kind }) => kind === 'meter')
        return [id, entries.sort((a, b) => b.sequence - a.sequence)[0]?.configId ?? null] as const
      }),
    ),
  )
  return errors.map(({ at, meter, code, count, message, identifiers }) => ({
    at,
    meter: meter === null ? null : (names.get(meter) ?? null),
    processorMeterId: meter,
    code,
    count,
    message,
    examples: identifiers.map((whole) => readIdentifier(whole) ?? { tenantId: null, identifier: whole }),
  }))
}

const isOf = ({ examples }: DroppedUsage, tenantId: string | undefined) =>
  tenantId === undefined || examples.some((example) => example.tenantId === tenantId)

async function meterId(deps: SubscriberDeps, id: string): Promise<string> {
  const { config } = await deps.applied()
  const present = presentId(config, 'meter', id)
  if (config.meters?.some((meter) => meter.id === present) === true) return present
  throw new ServiceError('meter_not_found', `There is no meter "${id}".`)
}

import { processorId, type MappingEntry, type ProcessorId } from '../../catalog/resource.ts'
import type { BillingConfig, Price } from '../../document/schema/schema.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import type { SubscriberDeps } from './deps.ts'

export interface PriceName {
  readonly configId: string | null
  /** True if the configuration has replaced or removed the price. */
  readonly legacy: boolean
  /** The price in the current configuration; null if it was removed. */
  readonly price: Price | null
}

export type PriceNames = (id: ProcessorId) => PriceName

/**
 * Returns a function that finds the configuration id of a processor price in the mapping history. If renames mapped the price to several
 * ids, it returns the present one. If the price is not mapped at present, it returns an id that still exists, otherwise the last id.
 */
export function namePrices(config: BillingConfig | null, history: readonly MappingEntry[]): PriceNames {
  const current = new Map(
    (config?.products ?? []).flatMap(({ prices = [] }) => prices.map((price) => [price.id, price] as const)),
  )
  return (id) => {
    const rank = ({ configId }: MappingEntry) =>
      current.get(configId)?.processor_id === id ? 0 : current.has(configId) ? 1 : 2
    const [entry] = history
      .filter(({ kind, processorId: mapped }) => kind === 'price' && mapped === id)
      .sort((a, b) => rank(a) - rank(b) || b.sequence - a.sequence)
    if (entry === undefined) return { configId: null, legacy: false, price: null }
    return { configId: entry.configId, legacy: rank(entry) > 0, price: current.get(entry.configId) ?? null }
  }
}

/**
 * Reads the configuration ids of the given processor prices from their mapping history and the current configuration. After a reset there
 * is no current configuration.
 */
export async function readPriceNames(
  { store, applied }: Pick<SubscriberDeps, 'store' | 'applied'>,
  ids: Iterable<string>,
): Promise<PriceNames> {
  const [config, ...histories] = await Promise.all([
    currentConfig(applied),
    ...[...new Set(ids)].map((id) => store.mappings.byProcessorId(processorId(id))),
  ])
  return namePrices(config, histories.flat())
}

/** Returns the applied configuration; null before the first push and after a reset. */
export async function currentConfig(applied: SubscriberDeps['applied']): Promise<BillingConfig | null> {
  try {
    return (await applied()).config
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'config_not_found') return null
    throw error
  }
}

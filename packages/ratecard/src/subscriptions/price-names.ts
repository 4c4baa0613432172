import { processorId } from '../catalog/resource.ts'
import type { MappingEntry, ProcessorId } from '../catalog/resource.ts'
import type { BillingConfig, Price } from '../config/schema/schema.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { SubscriberDeps } from './deps.ts'

export interface PriceName {
  /** null when the price is not ours. */
  readonly configId: string | null
  /** Ours, but replaced or removed since. */
  readonly legacy: boolean
  /** As it is in the configuration now. */
  readonly price: Price | null
}

export type PriceNames = (id: ProcessorId) => PriceName

/**
 * Names prices by the mapping history. One that stood for several configuration ids (a rename) goes by the one it stands for now,
 * else by one that still exists, else by the last.
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

/** The names of these prices, by the history of each and the configuration as it is now (after a reset: none). */
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

/** null before the first push and after a reset. */
export async function currentConfig(applied: SubscriberDeps['applied']): Promise<BillingConfig | null> {
  try {
    return (await applied()).config
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'config_not_found') return null
    throw error
  }
}

// Configuration ids of processor objects by the mapping history.
import type { MappingEntry, ProcessorId } from './resource.ts'

/**
 * Configuration id by processor id. If a processor object was mapped to several ids, the id of its current mapping wins, otherwise the
 * latest.
 */
export function ownersOf(
  of: 'price' | 'product' | 'meter',
  mappings: readonly MappingEntry[],
): ReadonlyMap<ProcessorId, string> {
  const entries = mappings.filter(({ kind }) => kind === of).sort((a, b) => a.sequence - b.sequence)
  const current = new Map(entries.map(({ configId, processorId }) => [configId, processorId]))
  const owners = new Map<ProcessorId, string>()
  for (const { processorId, configId } of entries) owners.set(processorId, configId)
  for (const { processorId, configId } of entries)
    if (current.get(configId) === processorId) owners.set(processorId, configId)
  return owners
}

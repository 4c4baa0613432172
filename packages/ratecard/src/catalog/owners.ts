// Finds the configuration ids of processor objects in the mapping history.
import type { MappingEntry, ProcessorId, ResourceKind } from './resource.ts'

/**
 * Returns the configuration ids by processor id. If an object was mapped to several ids, it is the id that is mapped to the object now,
 * otherwise the last one.
 */
export function ownersOf(of: ResourceKind, mappings: readonly MappingEntry[]): ReadonlyMap<ProcessorId, string> {
  const entries = mappings.filter(({ kind }) => kind === of).sort((a, b) => a.sequence - b.sequence)
  const current = new Map(entries.map(({ configId, processorId }) => [configId, processorId]))
  const owners = new Map<ProcessorId, string>()
  for (const { processorId, configId } of entries) owners.set(processorId, configId)
  for (const { processorId, configId } of entries)
    if (current.get(configId) === processorId) owners.set(processorId, configId)
  return owners
}

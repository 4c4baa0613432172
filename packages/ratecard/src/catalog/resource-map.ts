import { resourceKinds, type ResourceKind } from './kinds.ts'

/** Map by kind and id. It has one inner map per kind, because building combined keys would take longer than all decisions of a plan. */
export class ResourceMap<V> {
  readonly #byKind = Object.fromEntries(resourceKinds.map((kind) => [kind, new Map<string, V>()])) as Readonly<
    Record<ResourceKind, Map<string, V>>
  >

  get(kind: ResourceKind, id: string): V | undefined {
    return this.#byKind[kind].get(id)
  }

  has(kind: ResourceKind, id: string): boolean {
    return this.#byKind[kind].has(id)
  }

  set(kind: ResourceKind, id: string, value: V): void {
    this.#byKind[kind].set(id, value)
  }

  /** Returns the entries of one kind, in insertion order. */
  ofKind(kind: ResourceKind): ReadonlyMap<string, V> {
    return this.#byKind[kind]
  }

  /** Iterates over all entries, with kinds in creation order. */
  *entries(): Generator<readonly [ResourceKind, string, V]> {
    for (const kind of resourceKinds) for (const [id, value] of this.#byKind[kind]) yield [kind, id, value]
  }
}

/** Read-only view of a ResourceMap. */
export type ReadonlyResourceMap<V> = Pick<ResourceMap<V>, 'get' | 'has' | 'ofKind' | 'entries'>

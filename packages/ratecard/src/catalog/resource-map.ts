import { resourceKinds } from './kinds.ts'
import type { ResourceKind } from './kinds.ts'

/** A map by kind and id: one map for each kind, because to join the two into one key costs a plan more than all its decisions. */
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

  /** The ids of one kind in the order in which they were first set. */
  ofKind(kind: ResourceKind): ReadonlyMap<string, V> {
    return this.#byKind[kind]
  }

  /** Kinds in creation order. */
  *entries(): Generator<readonly [ResourceKind, string, V]> {
    for (const kind of resourceKinds) for (const [id, value] of this.#byKind[kind]) yield [kind, id, value]
  }
}

/** Somebody else's map, to look things up. */
export type ReadonlyResourceMap<V> = Pick<ResourceMap<V>, 'get' | 'has' | 'ofKind' | 'entries'>

// Where a document holds its resources.
import type { BillingConfig } from '../config/schema/schema.ts'
import { pointerOf } from '../errors/issue.ts'
import { idOfItem, itemsOf, resourceKinds } from './kinds.ts'
import type { ResourceKind } from './kinds.ts'
import { ResourceMap } from './resource-map.ts'

/** The JSON pointer of a resource, or of one of its members; `#` for what the document does not hold. */
export type PlaceOf = (kind: ResourceKind, id: string, member?: string) => string

/** The places are looked for once, when the first one is asked. */
export function placesOf(config: BillingConfig): PlaceOf {
  let places: ResourceMap<readonly (string | number)[]> | undefined
  const find = () => {
    const found = new ResourceMap<readonly (string | number)[]>()
    for (const kind of resourceKinds)
      for (const { item, path } of itemsOf(config, kind).reverse()) found.set(kind, idOfItem(kind, item), path)
    return found
  }
  return (kind, id, member) => {
    const path = (places ??= find()).get(kind, id)
    return path === undefined ? '#' : pointerOf([...path, ...(member === undefined ? [] : [member])])
  }
}

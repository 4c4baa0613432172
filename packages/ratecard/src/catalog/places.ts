// Finds the positions of resources in a document.
import type { BillingConfig } from '../document/schema/schema.ts'
import { pointerOf } from '../base/errors/issue.ts'
import { idOfItem, itemsOf, resourceKinds, type ResourceKind } from './kinds.ts'
import { ResourceMap } from './resource-map.ts'

/**
 * Returns the JSON pointer of a resource or of one of its members, e.g. `#/products/0/prices/1/amount`. Returns `#` if the document does
 * not contain the resource.
 */
export type PlaceOf = (kind: ResourceKind, id: string, member?: string) => string

/** Returns a function that finds positions of resources. It builds its index at the first call. */
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

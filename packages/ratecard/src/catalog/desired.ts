// The document as a catalog of canonical resources: what should exist. Pure; knows nothing of the processor.
import { createHash } from 'node:crypto'
import { canonicalJson } from '../config/document/canonical.ts'
import { isLocalPrice } from '../config/document/ids.ts'
import { atOnce } from '../turns.ts'
import type { Turns } from '../turns.ts'
import type { BillingConfig, Price } from '../config/document/schema.ts'
import { fieldRows, ownMembers } from './fields/tables.ts'
import { configId, idOfItem, itemsOf, processorId, resourceKinds } from './kinds.ts'
import type { PlacedItem, ResourceKind } from './kinds.ts'
import type { Catalog, DesiredResource } from './resource.ts'

export const emptyCatalog: Catalog = {
  meter: [],
  feature: [],
  product: [],
  price: [],
  coupon: [],
  promotion_code: [],
  webhook: [],
}

/** Every resource of a valid document, each kind in document order. */
export function desiredCatalog(config: BillingConfig): Catalog {
  return atOnce(desiredCatalogTurns(config))
}

/** {@link desiredCatalog}, with a pause after each resource. */
export function* desiredCatalogTurns(config: BillingConfig): Turns<Catalog> {
  const catalog: Partial<Record<ResourceKind, DesiredResource[]>> = {}
  for (const kind of resourceKinds) {
    const resources: DesiredResource[] = (catalog[kind] = [])
    for (const placed of itemsOf(config, kind)) {
      resources.push(desiredResource(kind, placed))
      yield
    }
  }
  return catalog as unknown as Catalog
}

/**
 * Two documents of one fingerprint mean the same, in the same order, whatever way they are written (explicit defaults, tier
 * amounts of zero, `$schema`, `processor_id`). The version is not part of it. It pauses after each resource.
 */
export function* catalogFingerprintTurns(config: BillingConfig): Turns<string> {
  const catalog = yield* desiredCatalogTurns(config)
  const hash = createHash('sha256')
  for (const kind of resourceKinds)
    for (const { adopt: _adopt, ...rest } of catalog[kind] as readonly DesiredResource[]) {
      hash.update(`${canonicalJson(rest)}\n`)
      yield
    }
  return hash.digest('hex')
}

function desiredResource(kind: ResourceKind, { item, product }: PlacedItem<ResourceKind>): DesiredResource {
  const [given, parent] = [item as never, product as never]
  const fields: Record<string, unknown> = {}
  for (const [field, row] of fieldRows[kind]) fields[field] = row.canonical(given, parent)
  const ours: Record<string, unknown> = {}
  for (const [member, own] of Object.entries(ownMembers[kind])) {
    const value = own.value(given, parent)
    if (value !== undefined) ours[member] = value
  }
  return {
    kind,
    configId: configId(idOfItem(kind, item)),
    home: kind === 'price' && isLocalPrice(item as Price) ? 'local' : 'processor',
    fields,
    adopt: item.processor_id === undefined ? null : processorId(item.processor_id),
    ours,
  }
}

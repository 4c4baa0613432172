// Collects from a plan and its documents what the rules look at.
import type { PlannedChange } from '../change.ts'
import { itemsOf, idOfItem, resourceKey, resourceKinds, type ResourceKind } from '../kinds.ts'
import { priceMoves } from '../price-moves.ts'
import type { Rename } from '../renames.ts'
import type { BillingConfig, Coupon, Price, Product, PromotionCode } from '../../document/schema/schema.ts'
import { configWithAmounts } from '../../document/schema/prices/percent-off.ts'
import { currenciesOf } from '../../document/pricing/calculate.ts'
import type { ChangedItem } from './decide.ts'

interface ChangedDocument {
  readonly changes: readonly PlannedChange[]
  readonly renames: readonly Pick<Rename, 'kind' | 'from' | 'to'>[]
  readonly config: BillingConfig | null
  readonly previous: BillingConfig | null
}

/** Actions after which a resource has an id that it did not have before. */
const newIds: ReadonlySet<PlannedChange['action']> = new Set(['create', 'adopt', 'rename'])

/** Returns the items that a plan changes and the prices that rise or fall. `config` is null if everything is archived. */
export function documentFacts({ changes, renames, config, previous }: ChangedDocument) {
  const described = describedItems(config)
  const known = describedItems(previous)
  const items = changes
    .filter(({ action }) => action !== 'keep')
    .map(({ kind, configId, action }): ChangedItem => ({
      kind,
      configId,
      action,
      ...(described.get(resourceKey(kind, configId)) ?? { metadata: null, currencies: [] }),
      // What is switched on again is added, if the document has not had it meanwhile.
      isNew: newIds.has(action) || (action === 'reactivate' && !known.has(resourceKey(kind, configId))),
    }))
  return { items, prices: config === null ? [] : priceMoves(previous, config, renames) }
}

type Described = Pick<ChangedItem, 'metadata' | 'currencies'>

function describedItems(config: BillingConfig | null): ReadonlyMap<string, Described> {
  const found = new Map<string, Described>()
  if (config === null) return found
  const read = configWithAmounts(config)
  for (const kind of resourceKinds)
    for (const { item, product } of itemsOf<ResourceKind>(read, kind))
      found.set(resourceKey(kind, idOfItem(kind, item)), describe(kind, item, product))
  return found
}

function describe(kind: ResourceKind, item: object, product: Product | undefined): Described {
  const keys = (of: { readonly metadata?: object } | undefined) => Object.keys(of?.metadata ?? {})
  switch (kind) {
    case 'product':
      return { metadata: keys(item), currencies: [] }
    case 'price':
      return { metadata: [...keys(item), ...keys(product)], currencies: currenciesOf(item as Price) }
    case 'coupon': {
      const { currency, currency_options: options = {} } = item as Coupon
      return { metadata: null, currencies: [...(currency === undefined ? [] : [currency]), ...Object.keys(options)] }
    }
    case 'promotion_code': {
      const { minimum_amount_currency: currency, currency_options: options = {} } = item as PromotionCode
      return { metadata: null, currencies: [...(currency === undefined ? [] : [currency]), ...Object.keys(options)] }
    }
    case 'meter':
    case 'feature':
    case 'tax_rate':
    case 'portal':
    case 'webhook':
      return { metadata: null, currencies: [] }
  }
}

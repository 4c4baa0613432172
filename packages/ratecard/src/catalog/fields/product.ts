import { isLocalPrice } from '../../config/ids.ts'
import type { Product } from '../../config/schema.ts'
import { configId } from '../kinds.ts'
import type { ConfigId } from '../kinds.ts'
import { rowsFor } from './field.ts'

const { field, required, text, metadata, table } = rowsFor<Product>('products')

export const product = table<'prices'>()(
  {
    name: required('name', 'in_place'),
    description: text('description', 'in_place'),
    type: field({
      name: 'type',
      members: ['type'],
      mutability: 'fixed',
      parameter: 'type',
      absent: 'service',
      canonical: (product) => product.type ?? 'service',
      document: (type) => ({ type }),
    }),
    taxCode: text('tax_code', 'in_place'),
    metadata: metadata('metadata'),
    // The prices themselves say which of them is the default.
    defaultPrice: field({
      name: 'default_price',
      members: [],
      mutability: 'apart',
      parameter: 'default_price',
      reference: 'price',
      absent: null,
      canonical: defaultPriceOf,
      document: () => ({}),
    }),
  },
  {
    ui: { value: (product) => product.ui, pulled: 'kept' },
  },
)

function defaultPriceOf(product: Product): ConfigId | null {
  const chosen = (product.prices ?? []).find((price) => price.default === true && !isLocalPrice(price))
  return chosen === undefined ? null : configId(chosen.id)
}

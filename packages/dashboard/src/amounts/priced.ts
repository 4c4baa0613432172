import type { BillingDocument, ProductDocument } from '@ratecard/client'
import type { Product } from '../../../ratecard/src/document/schema/schema.ts'
import { withAmounts } from '../../../ratecard/src/document/schema/prices/percent-off.ts'

/**
 * Returns the products of a document with amounts for their percentage prices (prices in per cent below a base price). The casts are needed
 * because the client's type allows currencies that this build does not know.
 */
export const pricedProducts = ({ products }: Pick<BillingDocument, 'products'>): readonly ProductDocument[] =>
  withAmounts(products as Product[]) as readonly ProductDocument[]

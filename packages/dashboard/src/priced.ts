import type { ProductDocument } from '@ratecard/client'
import type { Product } from '../../ratecard/src/config/schema/schema.ts'
import { withAmounts } from '../../ratecard/src/config/schema/percent-off.ts'

/**
 * Returns the product with the amounts of its prices in per cent. The client's type allows currencies that this build does not know, hence
 * the cast.
 */
export const priced = (product: ProductDocument): ProductDocument => withAmounts(product as Product)

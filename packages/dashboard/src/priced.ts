import type { ProductDocument } from '@ratecard/client'
import type { Product } from '../../ratecard/src/config/schema/schema.ts'
import { withAmounts } from '../../ratecard/src/config/schema/percent-off.ts'

/**
 * Returns the product with amounts for its percentage prices (prices in per cent below a base price). The cast is needed because the
 * client's type allows currencies that this build does not know.
 */
export const priced = (product: ProductDocument): ProductDocument => withAmounts(product as Product)

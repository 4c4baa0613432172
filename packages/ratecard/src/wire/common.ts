// What shapes of several nouns share.
import { Type } from 'typebox'
import { choice, Count, shape } from './schema.ts'

export const ResourceKind = choice(
  'ResourceKind',
  ['meter', 'product', 'price', 'coupon', 'promotion_code', 'webhook'],
  'Kind of the resource.',
)

export const Revision = Type.Integer({ minimum: 1, description: 'Number of the accepted change: 1, 2, 3 …' })

export const Pagination = shape('Pagination', {
  total: Count('Items in all.'),
  limit: Type.Integer({ minimum: 1, maximum: 100 }),
  offset: Count('Items skipped.'),
  has_more: Type.Boolean(),
})

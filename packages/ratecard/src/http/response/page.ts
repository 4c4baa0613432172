import type { PageQuery } from '../../service/service.ts'

/** A page of a list with its pagination. */
export function pageOf<Item>(
  { limit, offset }: PageQuery,
  { items, total }: { readonly items: readonly Item[]; readonly total: number },
) {
  return { items, pagination: { total, limit, offset, hasMore: offset + items.length < total } }
}

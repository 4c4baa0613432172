import type { PageQuery } from '../../../store/records/page.ts'

/** Returns a page of a list with its pagination: limit, offset and total. */
export function pageOf<Item>(
  { limit, offset }: PageQuery,
  { items, total }: { readonly items: readonly Item[]; readonly total: number },
) {
  return { items, pagination: { total, limit, offset, hasMore: offset + items.length < total } }
}

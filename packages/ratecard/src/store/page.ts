export interface PageQuery {
  readonly limit: number
  readonly offset: number
}

/** One page, and the number of all items. */
export interface Page<Item> {
  readonly items: readonly Item[]
  readonly total: number
}

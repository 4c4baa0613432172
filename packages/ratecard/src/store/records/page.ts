export interface PageQuery {
  readonly limit: number
  readonly offset: number
}

/** One page of a list, with the number of items of the whole list. */
export interface Page<Item> {
  readonly items: readonly Item[]
  readonly total: number
}

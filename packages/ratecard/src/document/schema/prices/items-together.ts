/** Maximum number of recurring prices that the processor sells in one subscription. The same number of one-time prices may be added. */
export const maxItemsTogether = 20

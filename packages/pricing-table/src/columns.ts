/**
 * Spreads the cards evenly over the rows, so that no row has a single card. E.g. five cards are shown as 3 + 2 where four would fit in a
 * row. Sets `--_columns`, from which the style sheet takes the number of columns; without it, each row has as many cards as fit.
 */
export function balanceColumns(cards: HTMLElement): void {
  const number = cards.childElementCount
  cards.style.removeProperty('--_columns')
  const fitting = getComputedStyle(cards).gridTemplateColumns.split(' ').length
  if (number === 0 || fitting === 0) return
  const rows = Math.ceil(number / fitting)
  cards.style.setProperty('--_columns', String(Math.ceil(number / rows)))
}

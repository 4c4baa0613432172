import type { BookedPrice, PriceBook } from '../item-swaps/price-book.ts'
import type { Coverage } from '../../api/customers/enterprise.ts'

/**
 * Returns a matrix of negotiated prices, with one row for each base price and one column for each template or enterprise id. A cell
 * contains the negotiated price, or is a gap if there is none. Rows and columns are in document order.
 */
export function coverageOf(book: PriceBook): Coverage {
  const enterprise = book.prices.filter((booked) => booked.enterprise)
  const unique = (values: readonly (string | undefined)[]) => [
    ...new Set(values.filter((value) => value !== undefined)),
  ]
  const templates = unique(enterprise.map(({ price }) => price.enterprise_template))
  const enterpriseIds = unique(enterprise.map(({ price }) => price.enterprise_id))
  const byCell = new Map(enterprise.map((booked) => [JSON.stringify([booked.base, nameOf(booked)]), booked.price.id]))
  const targets = [...templates.map((name) => `template:${name}`), ...enterpriseIds.map((id) => `id:${id}`)]
  // Base prices without any negotiated price are included as rows. Free prices are omitted, because there is nothing to negotiate.
  const rows = (targets.length === 0 ? [] : book.prices)
    .filter(({ price, enterprise: negotiated }) => !negotiated && price.amount !== 0)
    .map(({ price }) => ({
      basePriceId: price.id,
      cells: targets.map((target) => ({ target, priceId: byCell.get(JSON.stringify([price.id, target])) ?? null })),
    }))
  return {
    templates,
    enterpriseIds,
    rows,
    gaps: rows.filter(isNegotiated).flatMap(({ cells }) => cells.filter(({ priceId }) => priceId === null)).length,
    withoutBase: enterprise.filter(({ base }) => base === undefined).map(({ price }) => price.id),
  }
}

const isNegotiated = ({ cells }: Coverage['rows'][number]) => cells.some(({ priceId }) => priceId !== null)

function nameOf({ price }: BookedPrice): string {
  return price.enterprise_template === undefined
    ? `id:${price.enterprise_id ?? ''}`
    : `template:${price.enterprise_template}`
}

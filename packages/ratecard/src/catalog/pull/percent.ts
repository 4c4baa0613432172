// Handles percentage prices (a price given in per cent below a base price) in a pull. The processor stores only their amounts; the
// percentage comes from the current version.
import { isInPercent, membersOfBase, withAmounts } from '../../document/schema/prices/percent-off.ts'
import type { Price, Product } from '../../document/schema/schema.ts'
import { deepEqual } from '../fields/differences.ts'
import type { AnyField } from '../fields/field.ts'
import { fieldRows } from '../fields/tables.ts'
import type { PullContext } from './items.ts'

const ofBase: ReadonlySet<string> = new Set(membersOfBase)
const amountRows = fieldRows.price.flatMap(([, row]) => (row.members.some((member) => ofBase.has(member)) ? [row] : []))

/**
 * Returns the pulled products. A percentage price (a price in per cent below a base price) keeps its percentage if the live
 * amounts still match it. Otherwise it gets its live amounts, and the difference is listed, because pulled files must describe what is
 * billed.
 */
export function inPercent(reading: PullContext, products: Product[]): Product[] {
  const priced = withAmounts(reading.current?.products ?? []).flatMap(({ prices = [] }) => prices)
  const current = new Map(priced.filter(isInPercent).map((price) => [price.id, price]))
  if (current.size === 0) return products
  const expected = withAmounts(
    withEachPrice(products, (price) => {
      const percent = current.get(price.id)?.percent_off_base
      return percent === undefined ? price : { ...withoutAmounts(price), percent_off_base: percent }
    }),
  )
  const wantedById = new Map(expected.flatMap(({ prices = [] }) => prices.map((price) => [price.id, price])))
  return withEachPrice(products, (price) => {
    const [known, wanted] = [current.get(price.id), wantedById.get(price.id)]
    if (known === undefined || wanted === undefined) return price
    // The live amounts match the percentage, so the price keeps its percentage and gets no amounts.
    const { percent_off_base: _percent, ...live } = isInPercent(price) ? { ...known, ...price } : price
    const { percent_off_base: percent = '' } = known
    if (sameAmounts(live, wanted)) return { ...withoutAmounts(price), percent_off_base: percent }
    const reason = `its amounts are not ${percent}% below those of its base price any more; it is written with amounts`
    reading.left.push({ kind: 'price', processorId: price.processor_id ?? price.id, field: 'percent_off_base', reason })
    return live
  })
}

function withEachPrice(products: readonly Product[], change: (price: Price) => Price): Product[] {
  return products.map((product) =>
    product.prices === undefined ? product : { ...product, prices: product.prices.map(change) },
  )
}

function withoutAmounts(price: Price): Price {
  return Object.fromEntries(Object.entries(price).filter(([member]) => !ofBase.has(member))) as Price
}

function sameAmounts(one: Price, other: Price): boolean {
  return amountRows.every(({ canonical }: AnyField) =>
    deepEqual(canonical(one as never, undefined as never), canonical(other as never, undefined as never)),
  )
}

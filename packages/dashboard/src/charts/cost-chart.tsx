// Chart of the cost per quantity at a tiered price: in its own tiers mode (graduated or volume) and, for comparison, in the other mode. The
// service's own code calculates the amounts.
import { useMemo } from 'react'
import type { PriceDocument } from '@ratecard/client'
import { calculate } from '../../../ratecard/src/pricing/calculate.ts'
import { count, money } from '../words.ts'
import { Chart } from './chart.tsx'

const modes = ['graduated', 'volume'] as const
type Mode = (typeof modes)[number]

/** The cast is safe: the client's `PriceDocument` and the service's price type describe the same document. */
const costOf = (price: PriceDocument, mode: Mode, quantity: number) =>
  calculate({ ...price, tiers_mode: mode } as Parameters<typeof calculate>[0], quantity).amount

/** Quantities from 0 to 1.6 times the start of the last tier (at least to 16), including both sides of every tier boundary. */
function quantitiesOf(price: PriceDocument): number[] {
  const ends = (price.tiers ?? []).flatMap(({ up_to }) => (up_to === 'inf' ? [] : [up_to]))
  const most = Math.ceil(Math.max(10, ...ends) * 1.6)
  const even = Array.from({ length: 61 }, (_, index) => Math.round((most * index) / 60))
  return [...new Set([...even, ...ends, ...ends.map((end) => end + 1)])].sort((a, b) => a - b)
}

export function CostChart({ price }: { readonly price: PriceDocument }) {
  const own: Mode = price.tiers_mode ?? 'graduated'
  const { xs, series } = useMemo(() => {
    const quantities = quantitiesOf(price)
    return {
      xs: quantities,
      series: modes.map((mode) => ({
        label: mode === own ? `${mode}, as billed` : `${mode}, for comparison`,
        values: quantities.map((quantity) => costOf(price, mode, quantity)),
        color: mode === own ? 'accent' : 'note',
        isDashed: mode !== own,
      })),
    }
  }, [price, own])
  const marks = (price.tiers ?? []).flatMap(({ up_to }) => (up_to === 'inf' ? [] : [up_to, up_to + 1]))
  return (
    <figure className="stack-small">
      <figcaption className="small quiet">
        What a quantity costs, by {own} tiers and as the other mode would bill it
      </figcaption>
      <Chart
        xs={xs}
        series={series}
        xName="Quantity"
        sayX={count}
        sayY={(value) => money(Math.round(value), price.currency)}
      />
      <details>
        <summary className="small">As a table</summary>
        <table className="table table-wide">
          <thead>
            <tr>
              <th scope="col" className="number">
                Quantity
              </th>
              {modes.map((mode) => (
                <th key={mode} scope="col" className="number">
                  {mode === own ? `${mode} (billed)` : mode}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(marks.length === 0 ? [1, 10] : marks).map((quantity) => (
              <tr key={quantity}>
                <td className="number">{count(quantity)}</td>
                {modes.map((mode) => (
                  <td key={mode} className="number money">
                    {money(costOf(price, mode, quantity), price.currency)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}

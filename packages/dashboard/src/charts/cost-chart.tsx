// Chart of the cost per quantity at a tiered price: in its own tiers mode (graduated or volume) and, for comparison, in the other mode. The
// service's own code calculates the amounts.
import { useMemo } from 'react'
import type { PriceDocument } from '@ratecard/client'
import { Table } from '../ui/table.tsx'
import { axisMoney, count, money, period } from '../words/words.ts'
import { Chart } from './chart.tsx'
import { costOf, quantitiesOf } from './costs.ts'

const modes = ['graduated', 'volume'] as const
type Mode = (typeof modes)[number]

interface CostChartProps {
  readonly price: PriceDocument
  /** Name of one unit of the product, e.g. `seat`. */
  readonly unit: string | undefined
}

export function CostChart({ price, unit }: CostChartProps) {
  const own: Mode = price.tiers_mode ?? 'graduated'
  const { xs, series } = useMemo(() => {
    const quantities = quantitiesOf(price.tiers ?? [])
    return {
      xs: quantities,
      series: modes.map((mode) => ({
        label: mode === own ? `As billed: ${mode} tiers` : `For comparison: ${mode} tiers`,
        values: quantities.map((quantity) => costOf({ ...price, tiers_mode: mode }, quantity)),
        color: mode === own ? 'accent' : 'note',
        isDashed: mode !== own,
      })),
    }
  }, [price, own])
  const nameOf = (mode: Mode) => `${mode}${mode === own ? ' (as billed)' : ''}`
  const marks = (price.tiers ?? []).flatMap(({ up_to }) => (up_to === 'inf' ? [] : [up_to, up_to + 1]))
  return (
    <figure className="stack-small">
      <figcaption className="small quiet">
        What a quantity costs {period(price)}: by {own} tiers as billed (line), and as the other mode would bill it
        (dashed)
      </figcaption>
      <Chart
        xs={xs}
        series={series}
        xName={`Quantity (${unit ?? 'units'})`}
        yName={`Cost ${period(price)} (${price.currency.toUpperCase()})`}
        sayX={count}
        sayY={(value) => money(Math.round(value), price.currency)}
        tickY={(value) => axisMoney(value, price.currency)}
      />
      <details>
        <summary className="small">As a table</summary>
        <Table
          caption="Cost by quantity"
          columns={['Quantity', ...modes.map((mode) => ({ name: nameOf(mode), isNumber: true }))]}
          rows={(marks.length === 0 ? [1, 10] : marks).map((quantity) => ({
            key: String(quantity),
            cells: [
              count(quantity),
              ...modes.map((mode) => money(costOf({ ...price, tiers_mode: mode }, quantity) ?? 0, price.currency)),
            ],
          }))}
        />
      </details>
    </figure>
  )
}

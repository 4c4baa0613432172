// Chart of the cost per quantity at a tiered price before and after a change. The service's own code calculates the amounts.
import { useMemo } from 'react'
import type { PricePart, PriceSides } from '../amounts/price-change.ts'
import { axisMoney, count, money } from '../words/words.ts'
import { Chart } from './chart.tsx'
import { costOf, quantitiesOf } from './costs.ts'

interface CostChangeProps {
  readonly sides: PriceSides
  readonly currency: string
}

export function CostChangeChart({ sides: { before, after }, currency }: CostChangeProps) {
  const { xs, series } = useMemo(() => {
    const quantities = quantitiesOf([...(before?.tiers ?? []), ...(after?.tiers ?? [])])
    const curve = (price: PricePart | null) => quantities.map((quantity) => costOf(price, quantity))
    return {
      xs: quantities,
      series: [
        { label: 'Before', values: curve(before), color: 'note', isDashed: true },
        { label: 'After', values: curve(after), color: 'accent' },
      ],
    }
  }, [before, after])
  return (
    <figure className="stack-small">
      <figcaption className="small quiet">What a quantity costs, before (dashed) and after</figcaption>
      <Chart
        xs={xs}
        series={series}
        xName="Quantity (units)"
        yName={`Cost (${currency.toUpperCase()})`}
        sayX={count}
        sayY={(value) => money(Math.round(value), currency)}
        tickY={(value) => axisMoney(value, currency)}
      />
    </figure>
  )
}

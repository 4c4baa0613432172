// Amounts of a price before and after a change: one row for each currency, and for tiers a table with the cost curves of both sides.
import { useState } from 'react'
import { CostChangeChart } from '../../charts/cost-change-chart.tsx'
import {
  currencyChanges,
  needsTables,
  percentChange,
  tierChanges,
  type Amounts,
  type CurrencyChange,
  type PriceSides,
  type TierChange,
} from '../../amounts/price-change.ts'
import { isZero, money, percentText, tierAmount, tierAmounts, tierRange } from '../../words/words.ts'
import { Table } from '../table.tsx'

/** Names of the two sides, e.g. `Before` and `After`, or `In your price list` and `At the processor now`. */
export type SideNames = readonly [string, string]

interface PriceChangeProps {
  readonly sides: PriceSides
  readonly names: SideNames
  /** Id of the price, for the captions of the tables. */
  readonly id: string
}

/**
 * Renders the amounts of a price before and after a change. A price with one currency and no tiers needs no table, because the summary line
 * `before → after` of the change contains its amounts.
 */
export function PriceChange({ sides, names, id }: PriceChangeProps) {
  const currencies = currencyChanges(sides)
  const flat = currencies.filter(({ before, after }) => !isTiered(before) && !isTiered(after))
  const tiered = currencies.filter((one) => !flat.includes(one))
  const [only] = flat
  if (!needsTables(sides)) return only === undefined ? null : <Percent change={only} />
  const tables = (
    <>
      {flat.length < 2 ? null : <Currencies changes={flat} names={names} id={id} />}
      {tiered.map((one) => (
        <Tiers key={one.currency} change={one} sides={sides} names={names} id={id} />
      ))}
    </>
  )
  if (sides.before !== null && sides.after !== null) return tables
  // A created or removed price has amounts on one side only, so there is nothing to compare.
  return (
    <details>
      <summary className="small">Amounts</summary>
      <div className="stack-small details-body">{tables}</div>
    </details>
  )
}

const isTiered = (amounts: Amounts | null) => amounts !== null && amounts.tiers !== null

/** Renders the change of a single amount in per cent. The amounts themselves are in the summary line `before → after`. */
function Percent({ change: { before, after } }: { readonly change: CurrencyChange }) {
  const percent = percentChange(before?.amount ?? null, after?.amount ?? null)
  return percent === null || percent === 0 ? null : <p className="small">{percentText(percent)}</p>
}

function Currencies({
  changes,
  names,
  id,
}: { readonly changes: readonly CurrencyChange[] } & Omit<PriceChangeProps, 'sides'>) {
  const text = (amounts: Amounts | null, currency: string) =>
    amounts === null || amounts.amount === null ? 'not sold' : money(amounts.amount, currency)
  return (
    <Table
      caption={`Amounts of ${id} by currency`}
      columns={['Currency', ...names.map(number), number('Change')]}
      rows={changes.map(({ currency, before, after }) => ({
        key: currency,
        cells: [
          currency.toUpperCase(),
          text(before, currency),
          text(after, currency),
          changeText(percentChange(before?.amount ?? null, after?.amount ?? null)),
        ],
      }))}
    />
  )
}

const number = (name: string) => ({ name, isNumber: true })

const changeText = (percent: number | null) => (percent === null ? '—' : percent === 0 ? 'same' : percentText(percent))

function Tiers({ change, sides, names, id }: { readonly change: CurrencyChange } & PriceChangeProps) {
  const { currency, before, after } = change
  const [isOpen, setOpen] = useState(false)
  const rows = tierChanges(before?.tiers ?? null, after?.tiers ?? null)
  const modes = [sides.before, sides.after].map((side) => side?.tiers_mode ?? 'graduated')
  const isOwn = currency === (sides.after ?? sides.before)?.currency
  const isSame = ({ before: left, after: right }: TierChange) => textOf(left, currency) === textOf(right, currency)
  return (
    <div className="stack-small">
      {sides.before === null || sides.after === null || modes[0] === modes[1] ? null : (
        <p className="small">
          {modes[0]} tiers → <b>{modes[1]} tiers</b>
        </p>
      )}
      <Table
        caption={`Tiers of ${id} in ${currency.toUpperCase()}`}
        columns={['Units', ...names.map(number), number('Change')]}
        rows={rows.map((row) => ({
          key: String(row.from),
          cells: [
            tierRange(row.from, row.to),
            textOf(row.before, currency),
            textOf(row.after, currency),
            isSame(row) ? 'same' : tierChangeText(row),
          ],
        }))}
      />
      {!isOwn || !isTiered(before) || !isTiered(after) ? null : (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary className="small">What a quantity costs, before and after</summary>
          {isOpen ? (
            <div className="details-body">
              <CostChangeChart sides={sides} currency={currency} />
            </div>
          ) : null}
        </details>
      )}
    </div>
  )
}

const textOf = (tier: TierChange['before'], currency: string) => (tier === null ? '—' : tierAmount(tier, currency))

/**
 * Returns the change of a tier: `+33.3%`, or `+5% per unit, new flat fee` for a tier with both kinds of amounts. A dash if one side has no
 * such tier.
 */
function tierChangeText({ before, after }: TierChange): string {
  if (before === null || after === null) return '—'
  const [left, right] = [tierAmounts(before), tierAmounts(after)]
  const kinds = (['unit', 'flat'] as const).filter((kind) => !isZero(left[kind]) || !isZero(right[kind]))
  const [only] = kinds
  if (kinds.length === 1 && only !== undefined) return changeText(percentChange(left[only], right[only]))
  const changed = kinds.filter((kind) => Number(left[kind]) !== Number(right[kind]))
  return changed.map((kind) => partChangeText(left[kind], right[kind], amountNames[kind])).join(', ')
}

const amountNames = { unit: 'per unit', flat: 'flat fee' } as const

function partChangeText(before: string, after: string, name: string): string {
  const percent = percentChange(before, after)
  if (percent !== null) return isZero(after) ? `no ${name}` : `${percentText(percent)} ${name}`
  return `new ${name}`
}

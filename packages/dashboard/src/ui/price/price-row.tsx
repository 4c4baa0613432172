// One price of the price list: its amounts, subscribers, tiers, and a calculator.
import { useId, useState } from 'react'
import type { PriceDocument, TierDocument } from '@ratecard/client'
import { api } from '../../api.ts'
import { CostChart } from '../../charts/cost-chart.tsx'
import { useAct } from '../../frame/live.ts'
import { amountsIn, currencyChanges, tierChanges } from '../../amounts/price-change.ts'
import {
  count,
  isFree,
  isZero,
  money,
  period,
  pluralize,
  tierAmounts,
  tierRange,
  unitAmount,
} from '../../words/words.ts'
import { priceTitle } from '../../words/names.ts'
import { Badge, Money, Problem } from '../basic.tsx'
import { Text } from '../text.tsx'
import { Table } from '../table.tsx'
import { Named, NamedPrice } from '../named.tsx'
import { PriceSales } from './price-sales.tsx'
import { OffBadge } from '../plan/switched-off.tsx'

interface PriceRowProps {
  readonly price: PriceDocument
  readonly isDefault: boolean
  /** Name of one unit of the product, e.g. `seat`. */
  readonly unit: string | undefined
}

export function PriceRow({ price, isDefault, unit }: PriceRowProps) {
  const isHidden =
    price.public === false || price.enterprise_template !== undefined || price.enterprise_id !== undefined
  const { attached_prices: attached = [] } = price
  return (
    <li className={isHidden ? 'is-hidden' : undefined}>
      <div className="price-line">
        <div className="row">
          <Named id={price.id} name={priceTitle(price)} />
          {isDefault ? <Badge>default</Badge> : null}
          {price.usage_type === 'metered' ? (
            <Badge tone="note">
              metered by <Text>{price.meter ?? '?'}</Text>
            </Badge>
          ) : null}
          {price.enterprise_template === undefined ? null : (
            <Badge tone="warn">
              template <Text>{price.enterprise_template}</Text>
            </Badge>
          )}
          {price.enterprise_id === undefined ? null : (
            <Badge tone="warn">
              only for <Text>{price.enterprise_id}</Text>
            </Badge>
          )}
          {price.percent_off_base === undefined ? null : (
            <Badge>{count(Number(price.percent_off_base))}% off its base</Badge>
          )}
          {isHidden && price.enterprise_template === undefined && price.enterprise_id === undefined ? (
            <Badge tone="warn">hidden</Badge>
          ) : null}
          <OffBadge kind="price" id={price.id} />
        </div>
        <PriceMoney price={price} unit={unit} />
      </div>
      <PriceSales id={price.id} />
      {attached.length === 0 ? null : (
        <p className="small quiet">
          Always sold with{' '}
          {attached.map((id, index) => (
            <span key={id}>
              {index === 0 ? '' : ', '}
              <NamedPrice id={id} />
            </span>
          ))}
          .
        </p>
      )}
      <OtherAmounts price={price} unit={unit} />
    </li>
  )
}

/** Renders what a price costs beside its main amount: in other currencies, and by tiers. */
export function OtherAmounts({ price, unit }: Pick<PriceRowProps, 'price' | 'unit'>) {
  const others = Object.keys(price.currency_options ?? {}).sort()
  return (
    <>
      {others.length === 0 ? null : <p className="small quiet">{alsoSold(price, others)}</p>}
      {price.tiers === undefined ? null : <Tiers price={price} unit={unit} />}
    </>
  )
}

/** Returns the amounts of a price in additional currencies: `Also sold for $18.00, GBP by tiers.`, `Also free in USD.` */
function alsoSold(price: PriceDocument, currencies: readonly string[]): string {
  const amountOf = (currency: string) => amountsIn(price, currency)?.amount ?? null
  const free = currencies.filter((currency) => isZero(amountOf(currency) ?? 'tiers'))
  const sold = currencies.filter((currency) => !free.includes(currency))
  const texts = sold.map((currency) => {
    const amount = amountOf(currency)
    return amount === null ? `${currency.toUpperCase()} by tiers` : money(amount, currency)
  })
  return [
    ...(sold.length === 0 ? [] : [`Also sold for ${texts.join(', ')}.`]),
    ...(free.length === 0 ? [] : [`Also free in ${free.map((currency) => currency.toUpperCase()).join(', ')}.`]),
  ].join(' ')
}

/** Renders the amount of a price with its unit and period, e.g. `€19.00 per seat a month`. */
export function PriceMoney({ price, unit }: { readonly price: PriceDocument; readonly unit: string | undefined }) {
  const amount = unitAmount(price)
  if (price.tiers !== undefined)
    return (
      <p>
        <span className="price-money">{price.tiers_mode ?? 'graduated'} tiers</span>{' '}
        <span className="quiet">
          {price.currency.toUpperCase()} {period(price)}
        </span>
      </p>
    )
  if (amount === null) return <p className="price-money">the customer’s choice</p>
  const perPack =
    price.transform_quantity !== undefined
      ? `per ${count(price.transform_quantity.divide_by)}`
      : price.usage_type === 'metered'
        ? `per ${unit ?? 'unit'}`
        : unit === undefined
          ? ''
          : `per ${unit}`
  const words = price.ui?.price_display?.custom_text
  if (words !== undefined && isFree(price))
    return (
      <p className="price-money">
        <Text>{words}</Text>
      </p>
    )
  return (
    <p>
      <span className="price-money">
        {isFree(price) ? 'Free' : <Money amount={amount} currency={price.currency} />}
      </span>{' '}
      <span className="quiet">
        {perPack} {isFree(price) && price.interval === undefined ? '' : period(price)}
      </span>
    </p>
  )
}

function Tiers({ price, unit }: Pick<PriceRowProps, 'price' | 'unit'>) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      {currencyChanges({ before: null, after: price }).map(({ currency, after }) =>
        after === null || after.tiers === null ? null : (
          <TierTable
            key={currency}
            id={price.id}
            tiers={after.tiers}
            mode={price.tiers_mode ?? 'graduated'}
            currency={currency}
          />
        ),
      )}
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>What does a quantity cost?</summary>
        {isOpen ? (
          <div className="stack details-body">
            <CostChart price={price} unit={unit} />
            <Calculator price={price} />
          </div>
        ) : null}
      </details>
    </>
  )
}

interface TierTableProps {
  readonly id: string
  readonly tiers: readonly TierDocument[]
  readonly mode: keyof typeof feeNotes
  readonly currency: string
}

function TierTable({ id, tiers, mode, currency }: TierTableProps) {
  const hasFees = tiers.some((tier) => !isZero(tierAmounts(tier).flat))
  const cell = (amount: string) => (isZero(amount) && hasFees ? '—' : <Money amount={amount} currency={currency} />)
  return (
    <>
      <Table
        caption={`Tiers of ${id} in ${currency.toUpperCase()}`}
        columns={['Units', number('Per unit'), ...(hasFees ? [number('Flat fee')] : [])]}
        rows={tierChanges(null, tiers).map(({ from, to, after: tier }) => {
          const { unit, flat } = tierAmounts(tier ?? { up_to: 'inf' })
          return { key: String(from), cells: [tierRange(from, to), cell(unit), ...(hasFees ? [cell(flat)] : [])] }
        })}
      />
      {hasFees ? <p className="small quiet">{feeNotes[mode]}</p> : null}
    </>
  )
}

const number = (name: string) => ({ name, isNumber: true })

/** When a flat fee is billed, by the tiers mode. */
const feeNotes = {
  graduated: 'The flat fee of each tier that the quantity reaches is added.',
  volume: 'Only the flat fee of the tier that the quantity is in is added.',
} as const

function Calculator({ price }: { readonly price: PriceDocument }) {
  const [text, setText] = useState('')
  const id = useId()
  const cost = useAct((quantity: number) => api.billing.calculate(price.id, quantity))
  return (
    <form
      className="stack-small"
      onSubmit={(event) => {
        event.preventDefault()
        void cost.run(Number(text))
      }}
    >
      <div className="row row-end">
        <label className="field" htmlFor={id}>
          <span className="field-label">Quantity</span>
          <input
            id={id}
            className="input"
            inputMode="numeric"
            pattern="\d+"
            required
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <button type="submit" className="button" aria-disabled={cost.isRunning}>
          Calculate
        </button>
      </div>
      <div aria-live="polite">
        {cost.value === undefined ? null : (
          <p>
            {pluralize(cost.value.quantity, 'unit')} cost{' '}
            <b className="money">{money(cost.value.amount, cost.value.currency)}</b>
            {cost.value.effectiveUnitAmount === null ? null : (
              <span className="quiet"> ({money(cost.value.effectiveUnitAmount, cost.value.currency)} per unit)</span>
            )}
          </p>
        )}
      </div>
      {cost.error === null ? null : <Problem error={cost.error} />}
    </form>
  )
}

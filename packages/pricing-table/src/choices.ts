// Switches above the cards: billing period (with the saving of each period) and currency.
import type { Product } from '../../ratecard/src/document/schema/schema.ts'
import { h } from './dom.ts'
import { savingOf, type Period } from './model.ts'
import { formatPercent } from './money.ts'
import type { View } from './view.ts'
import { fill, periodName } from './words.ts'

interface Periods {
  readonly products: readonly Product[]
  readonly periods: readonly Period[]
  readonly chosen: Period
}

/**
 * Returns the switch of the billing period: a group of radio buttons, which keyboards and screen readers support. Null if there are fewer
 * than two periods.
 */
export function periodChoice(
  { products, periods, chosen }: Periods,
  view: View,
  choose: (period: Period) => void,
): HTMLElement | null {
  if (periods.length < 2) return null
  const picks = periods.map((period) => {
    const input = h('input', { type: 'radio', name: 'interval', value: period, 'data-key': `interval ${period}` })
    input.checked = period === chosen
    input.addEventListener('change', () => {
      choose(period)
    })
    const label = h(
      'span',
      { class: 'pick-label' },
      periodName(period, view.words, view.locale),
      savingPart(products, period, view),
    )
    return h('label', { class: 'pick', part: 'interval' }, input, label)
  })
  return h('fieldset', { part: 'intervals' }, h('legend', {}, view.words.billing), ...picks)
}

function savingPart(
  products: readonly Product[],
  period: Period,
  { words, currency, locale }: View,
): HTMLElement | null {
  const { percent, same } = savingOf(products, period, currency)
  if (percent === 0) return null
  const text = fill(same ? words.save : words.saveUpTo, { percent: formatPercent(percent, locale) })
  return h('span', { class: 'saving', part: 'saving' }, ` ${text}`)
}

export function currencyChoice(
  { currencies }: { readonly currencies: readonly string[] },
  { words, currency }: View,
  choose: (currency: string) => void,
): HTMLElement | null {
  if (currencies.length < 2) return null
  const select = h(
    'select',
    { 'aria-label': words.currency, part: 'currency', 'data-key': 'currency' },
    ...currencies.map((code) => h('option', { value: code }, code.toUpperCase())),
  )
  select.value = currency
  select.addEventListener('change', () => {
    choose(select.value)
  })
  return select
}

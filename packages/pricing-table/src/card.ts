// Renders the card of a product with its offers: amount, quantity, tiers, button and features.
import type { Price } from '../../ratecard/src/config/schema/schema.ts'
import { webAddress } from './address.ts'
import { h, textElement, type Child } from './dom.ts'
import { minorAmount, tierRows, unitAmountText } from './model.ts'
import type { Card, Offer, QuantityRange, TierRow } from './model.ts'
import { formatCount, formatMoney } from './money.ts'
import type { View } from './view.ts'
import { fill, periodWords, type Messages } from './words.ts'

const nameOf = ({ product }: Card): string => product.ui?.display_name ?? product.name

export function productCard(card: Card, offers: readonly HTMLElement[], view: View): HTMLElement {
  const { ui, images = [] } = card.product
  const name = ui?.highlighted === true ? 'card highlighted' : 'card'
  const image = view.images ? webAddress(images[0] ?? '', 'about:blank') : null
  return h(
    'article',
    { class: name, part: name },
    h(
      'div',
      { class: 'head', part: 'head' },
      image === null ? null : h('img', { class: 'image', part: 'image', src: image, alt: '', loading: 'lazy' }),
      h('h3', { class: 'name', part: 'name', dir: 'auto' }, nameOf(card)),
      textElement('span', 'badge', ui?.badge),
      textElement('p', 'tagline', ui?.tagline),
    ),
    ...offers,
    featureList(card, view),
  )
}

/** Returns the list of features and limits of a product and of the shown offers, without duplicates. Null if there are none. */
function featureList({ product, offers }: Card, { locale }: View): HTMLElement | null {
  // If the shown offers list no features or limits, takes those of another price of the product, because an empty card would be worse.
  const told = ({ ui }: Price) => (ui?.features?.length ?? 0) + (ui?.limits?.length ?? 0) > 0
  const shown = offers.map(({ price }) => price)
  const others = (product.prices ?? []).filter(told).slice(0, 1)
  const prices = shown.some(told) ? shown : others
  const limitText = ({ text, value, unit }: { text?: string; value?: number; unit?: string }) =>
    text ?? [value === undefined ? '' : formatCount(value, locale), unit ?? ''].join(' ').trim()
  const features = new Set([
    ...prices.flatMap(({ ui }) => (ui?.limits ?? []).map(limitText)),
    ...(product.ui?.features ?? product.marketing_features ?? []),
    ...prices.flatMap(({ ui }) => ui?.features ?? []),
  ])
  features.delete('')
  if (features.size === 0) return null
  const items = [...features].map((feature) => h('li', { part: 'feature' }, h('span', { dir: 'auto' }, feature)))
  return h('ul', { class: 'features', part: 'features' }, ...items)
}

export function offerPart(offer: Offer, card: Card, view: View): HTMLElement {
  const { price, kind, range } = offer
  const amount = h('p', { class: 'amount', part: 'amount' })
  const button = action(offer, card, view)
  const draw = () => {
    amount.replaceChildren(...amountOf(offer, view))
    button.point()
  }
  draw()
  const several = card.offers.length > 1
  return h(
    'div',
    { class: 'offer', part: 'offer' },
    several ? textElement('h4', 'offer-name', price.ui?.display_name) : null,
    offer.own ? h('span', { class: 'own', part: 'own' }, view.words.own) : null,
    amount,
    kind === 'request' || kind === 'unavailable'
      ? null
      : h('p', { class: 'period', part: 'period' }, ...termsOf(offer, view)),
    range === null ? null : quantityPart(offer, range, amount, view, draw),
    tiersPart(offer, view),
    kind === 'unavailable' ? null : h('div', { class: 'act' }, button.element),
  )
}

function quantityOf({ price, range }: Offer, { quantities }: View): number {
  return quantities.get(price.id) ?? range?.first ?? 1
}

function amountOf(offer: Offer, view: View): Node[] {
  const { price } = offer
  const display = price.ui?.price_display
  const main = h('span', { class: 'figure', dir: 'auto' }, display?.custom_text ?? figureOf(offer, view))
  const suffix = display?.custom_text === undefined ? textElement('span', 'suffix', display?.suffix) : null
  return suffix === null ? [main] : [main, document.createTextNode(' '), suffix]
}

function figureOf(offer: Offer, view: View): string {
  const { words, currency, locale } = view
  const showCurrency = offer.price.ui?.price_display?.show_currency !== false
  if (offer.kind === 'money' && offer.tariff !== null)
    return formatMoney(minorAmount(offer.tariff, quantityOf(offer, view)), currency, locale, showCurrency)
  const said = { free: words.free, open: words.payWhatYouWant, request: words.onRequest } as const
  return offer.kind === 'free' || offer.kind === 'open' || offer.kind === 'request'
    ? said[offer.kind]
    : words.notInCurrency
}

/** Returns the terms below the amount, e.g. `per month · incl. tax`, and the unit amount if the customer can choose a quantity. */
function termsOf(offer: Offer, { words, currency, locale }: View): Child[] {
  const { price, tariff, range, unit } = offer
  const each = tariff === null || range === null ? null : unitAmountText(tariff)
  const pack = price.transform_quantity?.divide_by
  const counted = [...(pack === undefined ? [] : [formatCount(pack, locale)]), unit ?? words.unit].join(' ')
  const tax = price.tax_included_in_price
  const terms = [
    price.ui?.billing_period ?? periodWords(offer.period, words),
    ...(each === null ? [] : [fill(words.each, { money: formatMoney(each, currency, locale), unit: counted })]),
    ...(tax === undefined || offer.kind === 'free' ? [] : [tax ? words.taxIncluded : words.taxExcluded]),
  ]
  return terms.flatMap((term, index) => [index === 0 ? null : ' · ', h('span', { dir: 'auto' }, term)])
}

/** Returns a slider and a number field for the same quantity. The field accepts quantities beyond the end of the slider. */
function quantityPart(
  offer: Offer,
  { least, most }: QuantityRange,
  amount: HTMLElement,
  view: View,
  changed: () => void,
): HTMLElement {
  const { words, locale } = view
  const { id } = offer.price
  const label = offer.unit ?? words.quantity
  const shared = { min: String(least), step: '1', 'aria-label': label }
  const slider = h('input', { type: 'range', part: 'slider', 'data-key': `slider ${id}`, max: String(most), ...shared })
  const field = h('input', {
    type: 'number',
    part: 'quantity',
    inputmode: 'numeric',
    'data-key': `quantity ${id}`,
    ...shared,
  })
  const say = (quantity: number, from: HTMLInputElement | null) => {
    if (from !== slider) slider.value = String(Math.min(quantity, most))
    if (from !== field) field.value = String(quantity)
    slider.setAttribute('aria-valuetext', `${formatCount(quantity, locale)} ${label}: ${amount.textContent}`)
  }
  for (const input of [slider, field])
    input.addEventListener('input', () => {
      const quantity = wholeFrom(input.value, least)
      view.quantities.set(id, quantity)
      // Announces the new amount after typing in the field. Screen readers announce the value of a slider without help.
      amount.setAttribute('aria-live', input === field ? 'polite' : 'off')
      changed()
      say(quantity, input)
    })
  field.addEventListener('change', () => {
    field.value = String(quantityOf(offer, view))
  })
  say(quantityOf(offer, view), null)
  return h(
    'div',
    { class: 'quantity', part: 'quantity-choice' },
    h('span', { class: 'quantity-label', 'aria-hidden': 'true', dir: 'auto' }, label),
    field,
    slider,
  )
}

/** Parses a quantity. Returns `least` for text that is no safe integer (up to 2^53 - 1) or is below `least`. */
function wholeFrom(text: string, least: number): number {
  const number = Math.floor(Number(text))
  return Number.isSafeInteger(number) && number >= least ? number : least
}

function tiersPart(offer: Offer, view: View): HTMLElement | null {
  const { tariff } = offer
  const rows = tariff === null ? [] : tierRows(tariff)
  if (tariff === null || rows.length < 2) return null
  const { words } = view
  return h(
    'details',
    { class: 'tiers', part: 'tiers' },
    h('summary', {}, tariff.tiers_mode === 'volume' ? words.volume : words.graduated),
    h('ul', {}, ...rows.map((row) => h('li', { part: 'tier' }, `${tierBound(row, view)}: ${tierMoney(row, view)}`))),
  )
}

const tierBound = ({ upTo }: TierRow, { words, locale }: View): string =>
  upTo === null ? words.tierBeyond : fill(words.tierUpTo, { quantity: formatCount(upTo, locale) })

function tierMoney({ unitAmount, flatAmount }: TierRow, { words, currency, locale }: View): string {
  const unit = fill(words.tierUnit, { money: formatMoney(unitAmount, currency, locale) })
  const flat = fill(words.tierFlat, { money: formatMoney(flatAmount, currency, locale) })
  if (flatAmount === '0') return unit
  return unitAmount === '0' ? flat : `${unit} + ${flat}`
}

/**
 * Returns the button of an offer. It is a link if it has a URL, so that it can open in a new tab; otherwise a button that emits
 * `ratecard-select`.
 */
function action(offer: Offer, card: Card, view: View): { readonly element: HTMLElement; readonly point: () => void } {
  const { price } = offer
  const label = card.product.ui?.cta_text ?? actionWords(offer, view.words)
  const named = [label, nameOf(card), ...(price.ui?.display_name === undefined ? [] : [price.ui.display_name])]
  const shared = {
    class: 'cta',
    part: 'cta',
    dir: 'auto',
    'data-key': `cta ${price.id}`,
    'data-price': price.id,
    'aria-label': named.join(', '),
  }
  const address = () => view.addressOf(offer, quantityOf(offer, view))
  const leads = address() !== null
  const element = leads ? h('a', shared, label) : h('button', { type: 'button', ...shared }, label)
  element.addEventListener('click', (event) => {
    if (!view.select(offer, quantityOf(offer, view))) event.preventDefault()
  })
  return {
    element,
    point: () => {
      const href = address()
      if (leads && href !== null) element.setAttribute('href', href)
    },
  }
}

function actionWords({ kind }: Offer, words: Messages): string {
  return kind === 'request' ? words.contact : words.choose
}

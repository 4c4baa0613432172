// Renders the card of a product with its offers: amount, quantity, tiers, button and features.
import type { Price } from '../../ratecard/src/document/schema/schema.ts'
import { webAddress } from './address.ts'
import { h, textElement, type Child } from './dom.ts'
import { limitText } from './limit-text.ts'
import { minorAmount, perMonth, tierRows, unitAmountText } from './model.ts'
import type { AttachedOffer, Card, Offer, QuantityRange, TierRow } from './model.ts'
import { formatCount, formatDate, formatMoney } from './money.ts'
import { unitFor, type Unit } from './translations.ts'
import type { View } from './view.ts'
import { fill, periodWords } from './words.ts'

const nameOf = ({ product }: Card): string => product.ui?.display_name ?? product.name

const headings = { 2: 'h2', 3: 'h3', 4: 'h4', 5: 'h5', 6: 'h6' } as const

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
      h(headings[view.headingLevel], { class: 'name', part: 'name', dir: 'auto' }, nameOf(card)),
      textElement('span', 'badge', ui?.badge),
      ...(card.offers.length === 1 && card.offers[0] !== undefined ? marksOf(card.offers[0], view) : []),
      textElement('p', 'tagline', ui?.tagline),
    ),
    offers[0] ?? null,
    offers.length < 2 ? null : h('div', { class: 'more' }, ...offers.slice(1)),
    featureList(card, view),
  )
}

/** Returns the list of features and limits of a product and of the shown offers, without duplicates. Null if there are none. */
function featureList(card: Card, view: View): HTMLElement | null {
  const { product, offers, limits } = card
  const { locale } = view
  // If the shown offers list no features or limits, uses those of another price of the product, because an empty card would be worse.
  const told = ({ ui }: Price) => (ui?.features?.length ?? 0) + (ui?.limits?.length ?? 0) > 0
  const shown = offers.map(({ price }) => price)
  const others = (product.prices ?? []).filter(told).slice(0, 1)
  const prices = shown.some(told) ? shown : others
  const shownLimit = ({ text, value, unit }: { text?: string; value?: number; unit?: string }) =>
    text ?? [value === undefined ? '' : formatCount(value, locale), unit ?? ''].join(' ').trim()
  const features = new Set([
    ...limits.map((limit) => limitText(limit, card, view)),
    ...prices.flatMap(({ ui }) => (ui?.limits ?? []).map(shownLimit)),
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
  const period = h('p', { class: 'period', part: 'period' })
  const button = action(offer, card, view)
  const draw = () => {
    amount.replaceChildren(...amountOf(offer, view))
    period.replaceChildren(...termsOf(offer, view).filter((term) => term !== null))
    button.point()
  }
  draw()
  const several = card.offers.length > 1
  const level = headings[(view.headingLevel + 1) as 3 | 4 | 5 | 6]
  // The parts are rows of one grid for all cards, so that amounts and buttons are at the same height in all cards. An empty row has no
  // height.
  return h(
    'div',
    { class: 'offer', part: 'offer' },
    h(
      'div',
      { class: 'top' },
      several ? textElement(level, 'offer-name', price.ui?.display_name) : null,
      // The marks of an only offer are in the head of the card, beside its badge.
      ...(several ? marksOf(offer, view) : []),
    ),
    // One cell, so that a higher amount in another card makes no hole between this amount and its period.
    h('div', { class: 'cost' }, amount, kind === 'request' || kind === 'unavailable' ? null : period),
    h(
      'div',
      { class: 'extra' },
      ...offer.attached.map((one) =>
        h('p', { class: 'attached', part: 'attached' }, h('span', { dir: 'auto' }, attachedText(one, offer, view))),
      ),
      range === null ? null : quantityPart(offer, range, amount, view, draw),
      tiersPart(offer, view),
    ),
    kind === 'unavailable' || !leadsOn(offer, view) ? null : h('div', { class: 'act' }, button.element),
  )
}

/** Returns what is special about an offer for the tenant: that it has it, and that its price was negotiated. */
const marksOf = (offer: Offer, view: View): readonly (HTMLElement | null)[] => [
  standingMark(offer, view),
  offer.own ? h('span', { class: 'own', part: 'own' }, view.words.own) : null,
]

/**
 * Returns the mark of an offer that the tenant has or will have, e.g. "Current plan". The mark replaces the button, and gets the focus
 * after a change.
 */
function standingMark(offer: Offer, view: View): HTMLElement | null {
  const standing = view.standingOf(offer)
  const date = standing.kind === 'current' ? standing.until : standing.kind === 'change' ? standing.begins : null
  const { words, locale } = view
  if (standing.kind === 'new' || (standing.kind === 'change' && date === null)) return null
  const when = date === null ? '' : formatDate(date, locale)
  const text =
    standing.kind === 'change'
      ? fill(words.begins, { date: when })
      : date === null
        ? words.current
        : fill(words.currentUntil, { date: when })
  const key = leadsOn(offer, view) ? {} : { tabindex: '-1', 'data-key': `cta ${offer.price.id}` }
  return h('span', { class: 'own', part: 'current', ...key }, text)
}

/**
 * True if the offer has a button. If the tenant already has the offer, there is a button only to change its quantity. A tenant on a former price
 * of the offer keeps that price.
 */
function leadsOn(offer: Offer, view: View): boolean {
  const standing = view.standingOf(offer)
  if (standing.kind !== 'current') return true
  return hasLicensedRange(offer) && standing.subscription !== null
}

const hasLicensedRange = ({ range, price }: Offer): boolean => range !== null && price.usage_type !== 'metered'

function quantityOf(offer: Offer, view: View): number {
  const { price, range } = offer
  const chosen = view.quantities.get(price.id)
  if (chosen !== undefined) return chosen
  const standing = view.standingOf(offer)
  // A team of seven sees what each plan costs for seven.
  const present = standing.kind === 'new' || !hasLicensedRange(offer) ? null : standing.quantity
  return present ?? range?.first ?? 1
}

function amountOf(offer: Offer, view: View): Node[] {
  const { price } = offer
  const display = price.ui?.price_display
  // Words, e.g. "Sprechen wir darüber", are smaller than an amount, so that they fit on one line.
  const isWords = display?.custom_text !== undefined || offer.kind === 'open' || offer.kind === 'request'
  const name = offer.kind === 'unavailable' ? 'figure note' : isWords ? 'figure words' : 'figure'
  const main = h('span', { class: name, dir: 'auto' }, display?.custom_text ?? figureOf(offer, view))
  const suffix = display?.custom_text === undefined ? textElement('span', 'suffix', display?.suffix) : null
  return suffix === null ? [main] : [main, document.createTextNode(' '), suffix]
}

function figureOf(offer: Offer, view: View): string {
  const { words, currency, locale } = view
  const showCurrency = offer.price.ui?.price_display?.show_currency !== false
  if (offer.kind === 'money' && offer.tariff !== null)
    return formatMoney(minorAmount(offer.tariff, quantityOf(offer, view)), currency, locale, {
      showCurrency,
      trimsZeros: view.trimsZeros,
    })
  const said = { free: words.free, open: words.payWhatYouWant, request: words.onRequest } as const
  return offer.kind === 'free' || offer.kind === 'open' || offer.kind === 'request'
    ? said[offer.kind]
    : words.notInCurrency
}

/** Returns what a quantity of an offer costs a period, e.g. `€420.00 per year`; null for one whose cost only usage decides. */
export function costText(
  { kind, tariff, period, price }: Offer,
  quantity: number,
  { words, currency, locale }: Pick<View, 'words' | 'currency' | 'locale'>,
): string | null {
  if (kind === 'free') return words.free
  if (kind !== 'money' || tariff === null || price.usage_type === 'metered') return null
  return `${formatMoney(minorAmount(tariff, quantity), currency, locale)} ${periodWords(period, words, locale)}`
}

/**
 * Returns the terms below the amount, e.g. `per year · €11.67 per month · €140.00 per seat`: the period, the monthly equivalent of a longer
 * period, the amount of one unit (if the customer can choose a quantity), and the tax. For quantity 1 the amount of one unit is left out,
 * because it is already shown above.
 */
function termsOf(offer: Offer, view: View): Child[] {
  const { words, locale } = view
  const { price } = offer
  const tax = price.tax_included_in_price
  const terms = [
    price.ui?.billing_period ?? periodWords(offer.period, words, locale),
    ...monthTerm(offer, view),
    ...unitTerm(offer, view),
    ...(tax === undefined || offer.kind === 'free' ? [] : [tax ? words.taxIncluded : words.taxExcluded]),
  ]
  return terms.flatMap((term, index) => [index === 0 ? null : ' · ', h('span', { dir: 'auto' }, term)])
}

function monthTerm(offer: Offer, view: View): readonly string[] {
  const { tariff, kind, period, price } = offer
  if (tariff === null || kind !== 'money' || price.ui?.billing_period !== undefined) return []
  const month = perMonth(minorAmount(tariff, quantityOf(offer, view)), period)
  if (month === null) return []
  return [fill(view.words.aMonth, { money: moneyText(month, view) })]
}

function unitTerm(offer: Offer, view: View): readonly string[] {
  const { price, tariff, range } = offer
  const each = tariff === null || range === null ? null : unitAmountText(tariff)
  if (each === null) return []
  const pack = price.transform_quantity?.divide_by
  const unit = perUnitText(offer.unit, pack, view)
  if (pack === undefined && quantityOf(offer, view) === 1) return [fill(view.words.perUnit, { unit })]
  return [fill(view.words.each, { money: moneyText(each, view), unit })]
}

/** Returns what one amount pays: `seat`, or `1,000 calls` for packages. */
function perUnitText(unit: Unit | null, pack: number | undefined, { words, locale }: View): string {
  if (pack === undefined) return unit === null ? words.unit : unitFor(unit, 1, locale)
  return [formatCount(pack, locale), unit === null ? words.unit : unitFor(unit, pack, locale)].join(' ')
}

const moneyText = (minor: bigint | string, { currency, locale, trimsZeros }: View): string =>
  formatMoney(minor, currency, locale, { trimsZeros })

/**
 * Returns the text for an attached price. For usage e.g. `+ €0.10 per call`. For a price whose quantity follows the offer's quantity e.g.
 * `+ Support: €5.00 per seat`. For a tiered price all tiers: `+ Calls: Up to 1,000: €0.00 each · Beyond: €0.02 each`.
 */
function attachedText({ name, metered, tariff, unit: own }: AttachedOffer, offer: Offer, view: View): string {
  const each = unitAmountText(tariff)
  if (each === null)
    return `+ ${name}: ${tierRows(tariff)
      .map((row) => `${tierBound(row, view)}: ${tierMoney(row, view)}`)
      .join(' · ')}`
  const money = moneyText(each, view)
  if (!metered && offer.range === null) return `+ ${name}: ${money}`
  const unit = perUnitText(metered ? own : offer.unit, tariff.transform_quantity?.divide_by, view)
  const perUnit = fill(view.words.each, { money, unit })
  return metered ? `+ ${perUnit}` : `+ ${name}: ${perUnit}`
}

/**
 * Returns a number field for the quantity. A price whose amount does not follow the quantity evenly (by usage, in tiers or packages) has a
 * slider too; the field accepts quantities beyond its end.
 */
function quantityPart(
  offer: Offer,
  { least, most }: QuantityRange,
  amount: HTMLElement,
  view: View,
  changed: () => void,
): HTMLElement {
  const { words, locale } = view
  const { id } = offer.price
  const label = offer.unit === null ? words.quantity : unitFor(offer.unit, 0, locale)
  // Without the number, which is in the field.
  const counted = h('span', { class: 'quantity-label', 'aria-hidden': 'true', dir: 'auto' })
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
    counted.replaceChildren(offer.unit === null ? label : unitFor(offer.unit, quantity, locale))
    slider.setAttribute('aria-valuetext', `${countedUnits(offer, quantity, view)}: ${amount.textContent}`)
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
  const isEven = offer.price.usage_type !== 'metered' && offer.tariff !== null && isEvenTariff(offer.tariff)
  return h('div', { class: 'quantity', part: 'quantity-choice' }, counted, field, isEven ? null : slider)
}

const isEvenTariff = ({ tiers, transform_quantity: packs }: NonNullable<Offer['tariff']>) =>
  tiers === undefined && packs === undefined

/** Returns e.g. `3 seats`. A unit without plural forms has one for all numbers, e.g. `3 × seat`. */
function countedUnits({ unit, price }: Offer, quantity: number, { words, locale }: View): string {
  const number = formatCount(quantity, locale)
  if (unit === null) return `${number} ${words.quantity}`
  const isName = typeof unit === 'string' && price.usage_type !== 'metered' && quantity !== 1
  return `${number} ${isName ? '× ' : ''}${unitFor(unit, quantity, locale)}`
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
  const name = nameOf(card)
  const label = actionWords(offer, card, view)
  const more = price.ui?.display_name === undefined ? [] : [price.ui.display_name]
  const named = [label, ...(label.includes(name) ? [] : [name]), ...more]
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
    if (!view.select(offer, quantityOf(offer, view), name)) event.preventDefault()
  })
  return {
    element,
    point: () => {
      const href = address()
      if (leads && href !== null) element.setAttribute('href', href)
    },
  }
}

function actionWords(offer: Offer, card: Card, view: View): string {
  const { words } = view
  const { kind } = view.standingOf(offer)
  if (kind === 'change') return fill(words.switchTo, { name: nameOf(card) })
  if (kind === 'current') return words.changeQuantity
  return card.product.ui?.cta_text ?? (offer.kind === 'request' ? words.contact : words.choose)
}

// <ratecard-pricing-table>: shows a price list from its address. All text goes into text nodes, so that no name of a product
// can become markup; styles are adopted, so that a strict content policy needs no exception.
import type { Price, Product } from '../../ratecard/src/config/schema.ts'
import { choicesOf, isFree, isOnRequest, minorAmount, orderedProducts, savingOf, tableOf } from './model.ts'
import type { Card, Offer } from './model.ts'
import { formatMoney } from './money.ts'
import { styles } from './styles.ts'
import { fill, wordsFor } from './words.ts'
import type { Words } from './words.ts'

/** What `ratecard-select` carries. */
export interface Selection {
  readonly price_id: string
  readonly quantity: number
  readonly currency: string
  readonly interval: string | null
}

interface SessionPrices {
  readonly prices: readonly { readonly base_price_id: string; readonly price: Price }[]
}

type Child = Node | string | null

const attributes = ['src', 'interval', 'currency', 'locale', 'products', 'theme', 'checkout', 'credentials', 'texts'] as const

export class RatecardPricingTable extends HTMLElement {
  static readonly observedAttributes = attributes

  readonly #root = this.attachShadow({ mode: 'open' })
  readonly #quantities = new Map<string, number>()
  #products: readonly Product[] | null = null
  #state: 'loading' | 'ready' | 'failed' = 'loading'
  #interval: string | null = null
  #currency: string | null = null
  #texts: Readonly<Record<string, unknown>> = {}
  #loading: AbortController | null = null

  constructor() {
    super()
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(styles)
    this.#root.adoptedStyleSheets = [sheet]
  }

  /** Words of the site, in place of the built-in ones. */
  get texts(): Readonly<Record<string, unknown>> {
    return this.#texts
  }

  set texts(texts: Readonly<Record<string, unknown>>) {
    this.#texts = texts
    this.#show()
  }

  connectedCallback(): void {
    if (this.#products === null) void this.#load()
    else this.#show()
  }

  disconnectedCallback(): void {
    this.#loading?.abort()
  }

  attributeChangedCallback(name: (typeof attributes)[number], before: string | null, after: string | null): void {
    if (before === after) return
    if (name === 'interval') this.#interval = after
    if (name === 'currency') this.#currency = after?.toLowerCase() ?? null
    if (name === 'texts') this.#texts = readTexts(after)
    if (!this.isConnected) return
    if (name === 'src' || name === 'credentials') void this.#load()
    else this.#show()
  }

  async #load(): Promise<void> {
    const base = this.getAttribute('src')
    if (base === null) return
    this.#loading?.abort()
    const loading = new AbortController()
    this.#loading = loading
    this.#state = 'loading'
    this.#show()
    try {
      const own = this.getAttribute('credentials') === 'include'
      const [{ config }, session] = await Promise.all([
        read<{ config: { products: Product[] } }>(base, 'config', 'omit', loading.signal),
        own ? read<SessionPrices>(base, 'session/prices', 'include', loading.signal) : { prices: [] },
      ])
      this.#products = withOwnPrices(config.products, session)
      this.#state = 'ready'
    } catch (error) {
      if (loading.signal.aborted) return
      this.#state = 'failed'
      this.dispatchEvent(new CustomEvent('ratecard-error', { bubbles: true, composed: true, detail: { error } }))
    }
    this.#show()
  }

  get #words(): Words {
    return wordsFor(this.#locale, this.#texts)
  }

  get #locale(): string {
    const asked = this.getAttribute('locale') ?? this.closest('[lang]')?.getAttribute('lang') ?? navigator.language
    try {
      return Intl.getCanonicalLocales(asked)[0] ?? 'en'
    } catch {
      // A mistyped language must not hide the prices.
      return 'en'
    }
  }

  #show(): void {
    const words = this.#words
    if (this.#products === null || this.#state !== 'ready') {
      // What the server rendered inside the tag stays until there is something better.
      const failed = this.#state === 'failed'
      const message = h('p', { class: 'message', part: 'message', role: failed ? 'alert' : 'status' }, failed ? words.failed : words.loading)
      if (failed) {
        const again = h('button', { type: 'button', part: 'retry' }, words.retry)
        again.addEventListener('click', () => void this.#load())
        message.append(' ', again)
      }
      this.#root.replaceChildren(this.childElementCount > 0 && !failed ? h('slot', {}) : message)
      return
    }
    const only = (this.getAttribute('products') ?? '').split(/[\s,]+/).filter((id) => id !== '')
    const products = orderedProducts(this.#products, only)
    const { periods, currencies } = choicesOf(products)
    const period = pick(this.#interval, periods)
    const currency = pick(this.#currency, currencies)
    const { cards } = tableOf(products, { period, currency })
    const focus = this.#focused()
    this.#root.replaceChildren(
      h('slot', { name: 'header' }),
      h(
        'div',
        { class: 'bar', part: 'choices' },
        periods.length > 1 ? this.#periods(products, periods, period, currency, words) : null,
        currencies.length > 1 ? this.#currencies(currencies, currency, words) : null,
      ),
      cards.length === 0
        ? h('p', { class: 'message', part: 'message' }, words.empty)
        : h('ul', { class: 'cards', part: 'cards', role: 'list' }, ...cards.map((card) => this.#card(card, currency, words))),
      h('slot', { name: 'footer' }),
    )
    if (focus !== null) this.#root.querySelector<HTMLElement>(`[data-key="${CSS.escape(focus)}"]`)?.focus()
  }

  #focused(): string | null {
    return this.#root.activeElement?.getAttribute('data-key') ?? null
  }

  #periods(products: readonly Product[], periods: readonly string[], chosen: string, currency: string, words: Words): HTMLElement {
    return h(
      'fieldset',
      { part: 'intervals' },
      h('legend', {}, words.billing),
      ...periods.map((period) => {
        const input = h('input', { type: 'radio', name: 'interval', value: period, 'data-key': `interval ${period}` })
        input.checked = period === chosen
        input.addEventListener('change', () => {
          this.#interval = period
          this.#show()
        })
        const percent = savingOf(products, period, currency)
        return h(
          'label',
          { class: 'pick', part: 'interval' },
          input,
          h(
            'span',
            {},
            periodWords(period, words),
            percent > 0 ? h('span', { class: 'saving', part: 'saving' }, fill(words.save, { percent })) : null,
          ),
        )
      }),
    )
  }

  #currencies(currencies: readonly string[], chosen: string, words: Words): HTMLElement {
    const select = h(
      'select',
      { 'aria-label': words.currency, part: 'currency', 'data-key': 'currency' },
      ...currencies.map((code) => h('option', { value: code }, code.toUpperCase())),
    )
    select.value = chosen
    select.addEventListener('change', () => {
      this.#currency = select.value
      this.#show()
    })
    return select
  }

  #card({ product, offers }: Card, currency: string, words: Words): HTMLElement {
    const { ui } = product
    const name = ui?.display_name ?? product.name
    const highlighted = ui?.highlighted === true
    return h(
      'li',
      {},
      h(
        'article',
        { class: highlighted ? 'card highlighted' : 'card', part: highlighted ? 'card highlighted' : 'card' },
        h(
          'div',
          {},
          h('h3', { part: 'name', dir: 'auto' }, name),
          text('p', 'tagline', ui?.tagline),
        ),
        text('span', 'badge', ui?.badge),
        h('div', {}, ...offers.map((offer) => this.#offer(offer, product, currency, words, offers.length > 1))),
        featureList([
          ...(ui?.features ?? []),
          ...(product.marketing_features ?? []),
          ...offers.flatMap(({ price }) => [
            ...(price.ui?.features ?? []),
            ...(price.ui?.limits ?? []).flatMap((limit) => limit.text ?? []),
          ]),
        ]),
      ),
    )
  }

  #offer(offer: Offer, product: Product, currency: string, words: Words, several: boolean): HTMLElement {
    const { price } = offer
    const amount = h('p', { class: 'amount', part: 'amount', 'aria-live': 'polite' })
    const show = () => {
      amount.replaceChildren(...this.#amountOf(offer, currency, words).filter((part) => part !== null))
    }
    show()
    const sellable = offer.tariff !== null
    return h(
      'div',
      { part: 'offer' },
      several ? text('p', 'note', price.ui?.display_name) : null,
      amount,
      sellable && !isOnRequest(price)
        ? h('p', { class: 'period', part: 'period' }, this.#periodOf(offer, words))
        : null,
      sellable && offer.scales ? this.#slider(offer, words, show) : null,
      sellable ? h('div', { class: 'act' }, this.#action(offer, product, currency, words)) : null,
    )
  }

  #periodOf({ price, period }: Offer, words: Words): string {
    const tax =
      price.tax_included_in_price === undefined ? '' : ` · ${price.tax_included_in_price ? words.taxIncluded : words.taxExcluded}`
    return `${price.ui?.billing_period ?? periodWords(period, words)}${tax}`
  }

  #amountOf(offer: Offer, currency: string, words: Words): Child[] {
    const { price, tariff } = offer
    const display = price.ui?.price_display
    const suffix = display?.suffix === undefined ? null : h('span', { class: 'suffix', part: 'suffix' }, display.suffix)
    if (display?.custom_text !== undefined) return [display.custom_text]
    if (tariff === null) return [words.notInCurrency]
    if (price.custom_unit_amount !== undefined) return [words.payWhatYouWant]
    if (isOnRequest(price)) return [words.onRequest]
    if (isFree(price)) return [words.free, suffix]
    const money = formatMoney(
      minorAmount(tariff, this.#quantityOf(offer)),
      currency,
      this.#locale,
      display?.show_currency !== false,
    )
    return [money, suffix]
  }

  #quantityOf(offer: Offer): number {
    return this.#quantities.get(offer.price.id) ?? 1
  }

  #slider(offer: Offer, words: Words, changed: () => void): HTMLElement {
    const { id } = offer.price
    const unit = offer.price.ui?.limits?.find((limit) => limit.unit !== undefined)?.unit
    const label = unit ?? words.quantity
    const attributes = { min: '0', max: String(offer.reach), step: '1', 'aria-label': label }
    const range = h('input', { type: 'range', part: 'slider', 'data-key': `slider ${id}`, ...attributes })
    const number = h('input', { type: 'number', part: 'quantity', inputmode: 'numeric', 'data-key': `quantity ${id}`, ...attributes })
    number.removeAttribute('max')
    const set = (value: number, from: HTMLInputElement | null) => {
      const quantity = Number.isSafeInteger(value) && value >= 0 ? value : 0
      this.#quantities.set(id, quantity)
      if (from !== range) range.value = String(quantity)
      if (from !== number) number.value = String(quantity)
      changed()
    }
    set(this.#quantityOf(offer), null)
    for (const input of [range, number]) input.addEventListener('input', () => set(Math.floor(Number(input.value)), input))
    return h('div', { class: 'quantity', part: 'quantity-choice' }, h('span', { class: 'note', 'aria-hidden': 'true' }, label), number, range)
  }

  #action(offer: Offer, product: Product, currency: string, words: Words): HTMLElement {
    const { price } = offer
    const label = product.ui?.cta_text ?? (isOnRequest(price) ? words.contact : words.choose)
    const name = product.ui?.display_name ?? product.name
    const spoken = { 'aria-label': `${label}: ${name}${price.ui?.display_name === undefined ? '' : `, ${price.ui.display_name}`}` }
    const pattern = this.getAttribute('checkout')
    const selection = (): Selection => ({
      price_id: price.id,
      quantity: this.#quantityOf(offer),
      currency,
      interval: price.interval ?? null,
    })
    const select = (): boolean =>
      this.dispatchEvent(
        new CustomEvent('ratecard-select', { bubbles: true, composed: true, cancelable: true, detail: selection() }),
      )
    const target = pattern === null || pattern === 'event' ? null : (quantity: number) => addressOf(pattern, price.id, quantity)
    if (target === null || target(1) === null) {
      const button = h('button', { type: 'button', class: 'cta', part: 'cta', 'data-key': `cta ${price.id}`, ...spoken }, label)
      button.addEventListener('click', select)
      return button
    }
    const link = h('a', { class: 'cta', part: 'cta', href: target(1) ?? '', 'data-key': `cta ${price.id}`, ...spoken }, label)
    link.addEventListener('click', (event) => {
      link.href = target(this.#quantityOf(offer)) ?? ''
      if (!select()) event.preventDefault()
    })
    return link
  }
}

async function read<Answer>(base: string, path: string, credentials: RequestCredentials, signal: AbortSignal): Promise<Answer> {
  const url = new URL(`${base.replace(/\/+$/, '')}/api/v1/billing/${path}`, document.baseURI)
  const response = await fetch(url, { credentials, signal, headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error(`${url.href} answered ${String(response.status)}`)
  return (await response.json()) as Answer
}

/** A tenant's own prices stand in for the list prices that they are based on. */
function withOwnPrices(products: readonly Product[], { prices }: SessionPrices): readonly Product[] {
  const own = new Map(prices.map(({ base_price_id, price }) => [base_price_id, price]))
  return products.map((product) =>
    product.prices === undefined
      ? product
      : { ...product, prices: product.prices.map((price) => own.get(price.id) ?? price) },
  )
}

/** Only addresses that a browser opens as a page; null for any other, so that a pattern cannot run script. */
function addressOf(pattern: string, priceId: string, quantity: number): string | null {
  const filled = pattern
    .replaceAll('{price_id}', encodeURIComponent(priceId))
    .replaceAll('{quantity}', String(quantity))
  const url = URL.canParse(filled, document.baseURI) ? new URL(filled, document.baseURI) : null
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null
}

function readTexts(json: string | null): Readonly<Record<string, unknown>> {
  if (json === null) return {}
  try {
    const texts: unknown = JSON.parse(json)
    return typeof texts === 'object' && texts !== null ? (texts as Record<string, unknown>) : {}
  } catch (error) {
    console.error('ratecard-pricing-table: the attribute texts is not JSON', error)
    return {}
  }
}

function pick(wanted: string | null, from: readonly string[]): string {
  return wanted !== null && from.includes(wanted) ? wanted : (from.find((one) => one === 'month') ?? from[0] ?? 'once')
}

function periodWords(period: string, words: Words): string {
  const names: Readonly<Record<string, string>> = {
    once: words.once,
    day: words.perDay,
    week: words.perWeek,
    month: words.perMonth,
    year: words.perYear,
  }
  const [count = '', unit = ''] = period.split(' ')
  return names[period] ?? fill(words.perSeveral, { count, unit: words[unit as 'day' | 'week' | 'month' | 'year'] })
}

function featureList(features: readonly string[]): HTMLElement | null {
  if (features.length === 0) return null
  return h(
    'ul',
    { class: 'features', part: 'features' },
    ...[...new Set(features)].map((feature) => h('li', { part: 'feature', dir: 'auto' }, feature)),
  )
}

function text<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, name: string, content: string | undefined): HTMLElement | null {
  return content === undefined || content === '' ? null : h(tag, { class: name, part: name, dir: 'auto' }, content)
}

function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children.filter((child) => child !== null))
  return element
}

// <ratecard-pricing-table> shows the price list of a service. Texts of the list go only into text nodes, so they cannot become markup. The
// style sheet is added by script, so a strict content security policy needs no exception.
import { checkoutAddress } from './address.ts'
import { offerPart, productCard } from './card.ts'
import { currencyChoice, periodChoice } from './choices.ts'
import { h } from './dom.ts'
import { cardsOf, choicesOf, orderedProducts, withOwnPrices, type PriceList, type SessionPrices } from './model.ts'
import { styles } from './styles.ts'
import type { View } from './view.ts'
import { wordsFor, type Messages } from './words.ts'

/** Detail of the `ratecard-select` event. */
export interface Selection {
  /**
   * Id of the price in the configuration. For a negotiated price it is the id of its public base price, because checkout finds the
   * negotiated price by the tenant.
   */
  readonly price_id: string
  /** Quantity. For a metered price it is an estimate from the slider, which checkout does not accept. */
  readonly quantity: number
  readonly currency: string
  /** Billing interval, e.g. `month`. Null for a one-time price. */
  readonly interval: string | null
}

const attributeNames = [
  'src',
  'interval',
  'currency',
  'locale',
  'products',
  'theme',
  'checkout',
  'contact',
  'credentials',
  'images',
  'texts',
] as const

type AttributeName = (typeof attributeNames)[number]

/** Base class of the element: `HTMLElement`, or an empty class on a server without a DOM. The element is never rendered there. */
const Base: typeof HTMLElement =
  (globalThis as { readonly HTMLElement?: typeof HTMLElement }).HTMLElement ?? (Object as unknown as typeof HTMLElement)

/** Style sheet shared by all tables of a page, created with the first table. */
let sheet: CSSStyleSheet | null = null

function sharedSheet(): CSSStyleSheet {
  if (sheet !== null) return sheet
  sheet = new CSSStyleSheet()
  sheet.replaceSync(styles)
  return sheet
}

export class RatecardPricingTable extends Base {
  static readonly observedAttributes: readonly string[] = attributeNames

  readonly #root: ShadowRoot = this.attachShadow({ mode: 'open' })
  readonly #quantities = new Map<string, number>()
  #list: PriceList | null = null
  #state: 'loading' | 'ready' | 'failed' = 'loading'
  #interval: string | null = null
  #currency: string | null = null
  #texts: Readonly<Record<string, unknown>> = {}
  #loading: AbortController | null = null

  constructor() {
    super()
    this.#root.adoptedStyleSheets = [sharedSheet()]
  }

  /** Texts of the site that replace the built-in texts, by name. */
  get texts(): Readonly<Record<string, unknown>> {
    return this.#texts
  }

  set texts(texts: Readonly<Record<string, unknown>>) {
    this.#texts = texts
    if (this.isConnected) this.#show()
  }

  connectedCallback(): void {
    if (this.#state === 'ready') this.#show()
    else void this.reload()
  }

  disconnectedCallback(): void {
    this.#loading?.abort()
  }

  attributeChangedCallback(name: AttributeName, before: string | null, after: string | null): void {
    if (before === after) return
    if (name === 'interval') this.#interval = after
    if (name === 'currency') this.#currency = after?.toLowerCase() ?? null
    if (name === 'texts') this.#readTexts(after)
    if (!this.isConnected) return
    if (name === 'src' || name === 'credentials') void this.reload()
    else this.#show()
  }

  /** Loads the prices again, e.g. after a sign-in. */
  async reload(): Promise<void> {
    this.#loading?.abort()
    const loading = new AbortController()
    this.#loading = loading
    if (this.#state === 'failed') this.#state = 'loading'
    this.#show()
    try {
      const list = await readPrices(this.getAttribute('src') ?? '', this.getAttribute('credentials'), loading.signal)
      if (loading.signal.aborted) return
      this.#list = list
      this.#state = 'ready'
    } catch (error) {
      if (loading.signal.aborted) return
      this.#state = 'failed'
      this.#tell(error)
    }
    this.#show()
  }

  #readTexts(json: string | null): void {
    try {
      const texts: unknown = JSON.parse(json ?? '{}')
      this.#texts = typeof texts === 'object' && texts !== null ? (texts as Record<string, unknown>) : {}
    } catch (error) {
      this.#texts = {}
      this.#tell(error)
    }
  }

  #tell(error: unknown): void {
    this.dispatchEvent(new CustomEvent('ratecard-error', { bubbles: true, composed: true, detail: { error } }))
  }

  get #locale(): string {
    const asked = this.getAttribute('locale') ?? this.closest('[lang]')?.getAttribute('lang') ?? navigator.language
    try {
      return Intl.getCanonicalLocales(asked)[0] ?? 'en'
    } catch {
      // A malformed `locale` falls back to English, so that the prices are shown anyway.
      return 'en'
    }
  }

  #show(): void {
    const words = wordsFor(this.#locale, this.#texts)
    if (this.#list === null || this.#state !== 'ready') {
      this.#root.replaceChildren(...this.#waiting(words))
      return
    }
    const only = (this.getAttribute('products') ?? '').split(/[\s,]+/).filter((id) => id !== '')
    const list = { ...this.#list, products: orderedProducts(this.#list.products, only) }
    const { periods, currencies } = choicesOf(list.products)
    const period = pick(this.#interval, periods, 'month')
    const currency = pick(this.#currency, currencies, '')
    const view = this.#view(words, currency)
    const focused = this.#root.activeElement?.getAttribute('data-key') ?? null
    const choose = (change: () => void) => {
      change()
      this.#show()
    }
    this.#root.replaceChildren(
      h('slot', { name: 'header' }),
      h(
        'div',
        { class: 'choices', part: 'choices' },
        periodChoice({ products: list.products, periods, chosen: period }, view, (next) =>
          choose(() => (this.#interval = next)),
        ),
        currencyChoice({ currencies }, view, (next) => choose(() => (this.#currency = next))),
      ),
      this.#cards(cardsOf(list, { period, currency }), view),
      h('slot', { name: 'footer' }),
    )
    if (focused !== null) this.#root.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus()
  }

  #cards(cards: ReturnType<typeof cardsOf>, view: View): HTMLElement {
    if (cards.length === 0) return h('p', { class: 'message', part: 'message', role: 'status' }, view.words.empty)
    return h(
      'ul',
      { class: 'cards', part: 'cards', role: 'list' },
      ...cards.map((card) =>
        h(
          'li',
          {},
          productCard(
            card,
            card.offers.map((offer) => offerPart(offer, card, view)),
            view,
          ),
        ),
      ),
    )
  }

  /** Returns the content shown while loading and beside an error: a placeholder, or the server-rendered content of the tag. */
  #waiting(words: Messages): HTMLElement[] {
    const rendered = h('slot', {})
    const hasRendered = [...this.childNodes].some(
      (node) =>
        (node instanceof Element && !node.hasAttribute('slot')) || (node instanceof Text && node.data.trim() !== ''),
    )
    if (this.#state === 'failed') {
      const again = h('button', { type: 'button', part: 'retry', 'data-key': 'retry' }, words.retry)
      again.addEventListener('click', () => void this.reload())
      const message = h('p', { class: 'message', part: 'message error', role: 'status' }, words.failed, ' ', again)
      return [rendered, message]
    }
    return hasRendered ? [rendered] : [h('p', { class: 'message', part: 'message', role: 'status' }, words.loading)]
  }

  #view(words: Messages, currency: string): View {
    const checkout = this.getAttribute('checkout') ?? 'event'
    const contact = this.getAttribute('contact')
    return {
      words,
      locale: this.#locale,
      currency,
      images: this.hasAttribute('images'),
      quantities: this.#quantities,
      addressOf: (offer, quantity) => {
        const pattern = offer.kind === 'request' ? contact : checkout === 'event' ? null : checkout
        return pattern === null
          ? null
          : checkoutAddress(pattern, { price_id: offer.price.id, quantity }, document.baseURI)
      },
      select: ({ price }, quantity) => {
        const detail: Selection = { price_id: price.id, quantity, currency, interval: price.interval ?? null }
        const options = { bubbles: true, composed: true, cancelable: true, detail }
        return this.dispatchEvent(new CustomEvent('ratecard-select', options))
      },
    }
  }
}

async function readPrices(base: string, credentials: string | null, signal: AbortSignal): Promise<PriceList> {
  const own = credentials === 'include'
  const [list, session] = await Promise.all([
    ask(base, 'config', 'omit', signal),
    own ? ask(base, 'session/prices', 'include', signal) : null,
  ])
  if (!list.ok) throw new Error(`${list.url} answered ${String(list.status)}`)
  const { config } = (await list.json()) as { readonly config: PriceList }
  // Without a session (401) the public prices apply. Any other failure is an error, because public prices would be wrong for a tenant with
  // negotiated prices.
  if (session === null || session.status === 401) return config
  if (!session.ok) throw new Error(`${session.url} answered ${String(session.status)}`)
  return withOwnPrices(config, (await session.json()) as SessionPrices)
}

function ask(base: string, path: string, credentials: RequestCredentials, signal: AbortSignal): Promise<Response> {
  const url = new URL(`${base.replace(/\/+$/, '')}/api/v1/billing/${path}`, document.baseURI)
  return fetch(url, { credentials, signal, headers: { accept: 'application/json' } })
}

function pick(wanted: string | null, from: readonly string[], usual: string): string {
  if (wanted !== null && from.includes(wanted)) return wanted
  return from.find((one) => one === usual) ?? from[0] ?? usual
}

// <ratecard-pricing-table> shows the price list of a service. Texts of the list go only into text nodes, so they cannot become markup. The
// style sheet is added by script, so a strict content security policy needs no exception.
import { checkoutAddress } from './address.ts'
import { balanceColumns } from './columns.ts'
import { costText, offerPart, productCard } from './card.ts'
import { openChangeDialog } from './change-dialog.ts'
import { currencyChoice, periodChoice } from './choices.ts'
import { h } from './dom.ts'
import { cardsOf, choicesOf, orderedProducts, withOwnPrices } from './model.ts'
import type { Offer, PriceList, SessionPrices } from './model.ts'
import { nothingPresent, presentOf, standingOf, type Present, type SubscriptionList } from './present.ts'
import { get, readLanguage, type Service } from './service.ts'
import { styles } from './styles.ts'
import type { View } from './view.ts'
import { inLanguage } from './translations.ts'
import { fill, languageOf, periodName, wordsFor, type Messages } from './words.ts'

/** Detail of the `ratecard-select` event. */
export interface Selection {
  /**
   * Id of the price in the configuration. For a negotiated price it is the id of its public base price, because checkout itself finds the
   * price negotiated for the tenant.
   */
  readonly price_id: string
  /** Quantity. For a metered price it is an estimate from the slider, which checkout does not accept. */
  readonly quantity: number
  readonly currency: string
  /** Billing interval, e.g. `month`. Null for a one-time price. */
  readonly interval: string | null
  /** Id of the subscription that the choice would change. Absent if a checkout sells the chosen price. */
  readonly subscription?: string
}

const attributeNames = [
  'src',
  'interval',
  'currency',
  'locale',
  'products',
  'theme',
  'changes',
  'checkout',
  'contact',
  'credentials',
  'images',
  'texts',
  'heading-level',
  'cents',
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
  #present: Present = nothingPresent
  #state: 'loading' | 'ready' | 'failed' = 'loading'
  #interval: string | null = null
  #currency: string | null = null
  #texts: Readonly<Record<string, unknown>> = {}
  /** Texts that were loaded last, and their language. */
  #pack: { readonly language: string; readonly texts: Readonly<Record<string, unknown>> } = {
    language: 'en',
    texts: {},
  }
  #loading: AbortController | null = null
  #resize: ResizeObserver | null = null

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
    this.#resize = new ResizeObserver(() => {
      this.#balance()
    })
    this.#resize.observe(this)
    if (this.#state === 'ready') this.#show()
    else {
      this.#reserve()
      void this.reload()
    }
  }

  disconnectedCallback(): void {
    this.#loading?.abort()
    this.#resize?.disconnect()
  }

  /**
   * Reserves the height of the window until the visitor changes something. So while the prices load, the content below is outside the
   * window and does not visibly move.
   */
  #reserve(): void {
    const top = this.getBoundingClientRect().top + scrollY
    this.style.minBlockSize = `${String(Math.max(0, Math.round(innerHeight - top)))}px`
  }

  #balance(): void {
    const cards = this.#root.querySelector<HTMLElement>('.cards')
    if (cards !== null) balanceColumns(cards)
  }

  attributeChangedCallback(name: AttributeName, before: string | null, after: string | null): void {
    if (before === after) return
    if (name === 'interval') this.#interval = after
    if (name === 'currency') this.#currency = after?.toLowerCase() ?? null
    if (name === 'texts') this.#readTexts(after)
    if (!this.isConnected) return
    if (name === 'src' || name === 'credentials') void this.reload()
    else if (name === 'locale') void this.#readLanguage().then(() => this.#show())
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
      const [{ list, present }] = await Promise.all([readPrices(this.#service, loading.signal), this.#readLanguage()])
      if (loading.signal.aborted) return
      this.#list = list
      this.#present = present
      this.#state = 'ready'
    } catch (error) {
      if (loading.signal.aborted) return
      this.#state = 'failed'
      this.#tell(error)
    }
    this.#show()
  }

  /** Loads the texts of the language. Without them the table is in English, which is better than no prices. */
  async #readLanguage(): Promise<void> {
    const language = languageOf(this.#locale)
    try {
      this.#pack = { language, texts: await readLanguage(this.#service.base, language) }
    } catch (error) {
      this.#tell(error)
    }
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
    this.#emit('ratecard-error', { error })
  }

  #emit(name: string, detail: unknown, cancelable = false): boolean {
    return this.dispatchEvent(new CustomEvent(name, { bubbles: true, composed: true, cancelable, detail }))
  }

  get #service(): Service {
    const credentials = this.getAttribute('credentials') === 'include' ? 'include' : 'omit'
    return { base: this.getAttribute('src') ?? '', credentials }
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
    // Rendering replaces the content of the root and would remove an open dialog. So the table is rendered when the dialog is closed.
    if (this.#root.querySelector('dialog') !== null) return
    const { language, texts } = this.#pack
    const words = wordsFor(this.#locale, this.#texts, language === languageOf(this.#locale) ? texts : {})
    if (this.#list === null || this.#state !== 'ready') {
      this.#root.replaceChildren(...this.#waiting(words))
      return
    }
    const only = (this.getAttribute('products') ?? '').split(/[\s,]+/).filter((id) => id !== '')
    const list = inLanguage(this.#list, this.#locale)
    const products = orderedProducts(list.products, only)
    const { periods, currencies } = choicesOf(products)
    const period = pick(this.#interval, periods, 'month')
    // A change is billed in the currency of the subscription.
    const currency = pick(this.#currency, currencies, this.#present.currency ?? '')
    const view = this.#view(words, currency)
    const focused = this.#root.activeElement?.getAttribute('data-key') ?? null
    const choose = (change: () => void) => {
      change()
      this.style.minBlockSize = ''
      this.#show()
    }
    this.#root.replaceChildren(
      h('slot', { name: 'header' }),
      h(
        'div',
        { class: 'choices', part: 'choices' },
        periodChoice({ products, periods, chosen: period }, view, (next) => choose(() => (this.#interval = next))),
        currencyChoice({ currencies }, view, (next) => choose(() => (this.#currency = next))),
      ),
      this.#cards(cardsOf(list, { period, currency }, products), view),
      h('slot', { name: 'footer' }),
    )
    this.#balance()
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

  /**
   * Returns the content shown while loading and beside an error. If the tag has server-rendered content, it is that content, otherwise a
   * placeholder.
   */
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
    if (hasRendered) return [rendered]
    const placeholder = h('div', { class: 'cards waiting', part: 'placeholder', 'aria-hidden': 'true' })
    placeholder.append(...Array.from({ length: 3 }, () => h('div', { class: 'card' })))
    return [h('p', { class: 'hidden', role: 'status' }, words.loading), placeholder]
  }

  #view(words: Messages, currency: string): View {
    const checkout = this.getAttribute('checkout') ?? 'event'
    const contact = this.getAttribute('contact')
    const standing = ({ price }: Offer) => standingOf(this.#list ?? { products: [] }, this.#present, price.id)
    return {
      words,
      locale: this.#locale,
      currency,
      images: this.hasAttribute('images'),
      headingLevel: headingLevel(this.getAttribute('heading-level')),
      trimsZeros: this.getAttribute('cents') === 'auto',
      quantities: this.#quantities,
      standingOf: standing,
      addressOf: (offer, quantity) => {
        // A link leads to a checkout, which refuses to sell a second plan.
        if (standing(offer).kind !== 'new') return null
        const pattern = offer.kind === 'request' ? contact : checkout === 'event' ? null : checkout
        return pattern === null
          ? null
          : checkoutAddress(pattern, { price_id: offer.price.id, quantity }, document.baseURI)
      },
      select: (offer, quantity, name) => {
        const { price } = offer
        const { kind, ...place } = standing(offer)
        const subscription = kind === 'new' || !('subscription' in place) ? null : place.subscription
        const detail: Selection = {
          ...{ price_id: price.id, quantity, currency, interval: price.interval ?? null },
          ...(subscription === null ? {} : { subscription }),
        }
        const goesOn = this.#emit('ratecard-select', detail, true)
        if (goesOn && subscription !== null && this.getAttribute('changes') === 'dialog')
          this.#openChange(offer, quantity, { subscription, words, currency, name })
        return goesOn
      },
    }
  }

  #openChange(offer: Offer, quantity: number, { subscription, words, currency, name }: ChangeParts): void {
    const { price, range } = offer
    const standing = standingOf(this.#list ?? { products: [] }, this.#present, price.id)
    if (standing.kind === 'new') return
    const full = `${name}, ${periodName(offer.period, words, this.#locale).toLocaleLowerCase(this.#locale)}`
    // Without a choice of the quantity, the service keeps the present one.
    const licensed = range !== null && price.usage_type !== 'metered'
    const item = { price_id: price.id, ...(licensed ? { quantity } : {}) }
    let changed = false
    openChangeDialog(this.#root, {
      service: this.#service,
      words,
      locale: this.#locale,
      title: standing.kind === 'current' ? words.changeQuantity : fill(words.switchTo, { name: full }),
      // Another quantity of what one has stays on the price that one has, which can be an earlier one than that of the list.
      chosen: {
        name: full,
        cost: standing.kind === 'current' ? null : costText(offer, quantity, { words, currency, locale: this.#locale }),
      },
      request: { subscription, replaces: standing.replaces, items: [item] },
      changed: (outcome) => {
        changed = true
        this.#quantities.delete(price.id)
        this.#emit('ratecard-changed', outcome)
      },
      closed: () => {
        if (changed) void this.reload()
        else this.#show()
      },
    })
  }
}

interface ChangeParts {
  readonly subscription: string
  readonly words: Messages
  readonly currency: string
  /** Name of the product. */
  readonly name: string
}

interface Prices {
  readonly list: PriceList
  readonly present: Present
}

async function readPrices(service: Service, signal: AbortSignal): Promise<Prices> {
  const own = service.credentials === 'include'
  const [list, session, subscriptions] = await Promise.all([
    get({ ...service, credentials: 'omit' }, 'config', signal),
    own ? get(service, 'session/prices', signal) : null,
    own ? get(service, 'session/subscriptions', signal) : null,
  ])
  const { config } = (await bodyOf(list)) as { readonly config: PriceList }
  // Without a session (401) the public prices are shown. Any other failure is an error: a tenant with negotiated prices would see wrong
  // prices, and a tenant that already has a plan would be offered a checkout.
  if (session === null || subscriptions === null || session.status === 401 || subscriptions.status === 401)
    return { list: config, present: nothingPresent }
  const prices = (await bodyOf(session)) as SessionPrices
  const has = (await bodyOf(subscriptions)) as SubscriptionList
  return { list: withOwnPrices(config, prices), present: presentOf(config, has, prices) }
}

async function bodyOf(response: Response): Promise<unknown> {
  if (!response.ok) throw new Error(`${response.url} answered ${String(response.status)}`)
  return response.json()
}

/** Level of the headings of the cards. 2 by default, because a page has its own heading of level 1. */
const headingLevel = (asked: string | null): View['headingLevel'] =>
  asked === '3' ? 3 : asked === '4' ? 4 : asked === '5' ? 5 : 2

function pick(wanted: string | null, from: readonly string[], usual: string): string {
  if (wanted !== null && from.includes(wanted)) return wanted
  return from.find((one) => one === usual) ?? from[0] ?? usual
}

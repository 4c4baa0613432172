// Environment of a scenario, either on the sandbox or on Stripe: one account, objects with unique names, and the cleanup of each object.
import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { Stripe } from 'stripe'
import type { Clock } from '../../../base/clock.ts'

/** Result of a scenario: plain values without ids or times, which must be equal on Stripe and on the sandbox. */
export type Observation = Readonly<Record<string, unknown>>

export interface Scenario {
  readonly id: string
  /** The assumption about Stripe that the product relies on. */
  readonly belief: string
  observe(stage: Stage): Promise<Observation>
}

/** Seconds of a day, for times in scenarios. */
export const day = 86_400
const patienceMs = 300_000

/** The account during one scenario. Has helpers that create objects and register their cleanup. */
export class Stage {
  readonly stripe: Stripe
  readonly signal: AbortSignal
  readonly #clock: Clock
  /** Unique id of this run. All names of its objects contain it. */
  readonly run = randomBytes(6).toString('hex')
  readonly #undo: { readonly what: string; readonly work: () => Promise<unknown> }[] = []

  constructor(stripe: Stripe, clock: Clock, signal: AbortSignal) {
    this.stripe = stripe
    this.#clock = clock
    this.signal = signal
  }

  /** Registers a cleanup function. When the scenario is over, the functions run in reverse order. */
  tidy(what: string, work: () => Promise<unknown>): void {
    this.#undo.push({ what, work })
  }

  /** Runs all cleanups and returns the names of the objects that could not be removed. */
  async cleanUp(): Promise<readonly string[]> {
    const left: string[] = []
    for (const { what, work } of this.#undo.splice(0).reverse())
      await work().catch((error: unknown) => {
        if (!(error instanceof Stripe.errors.StripeError) || error.statusCode !== 404) left.push(what)
      })
    return left
  }

  async product(params: Partial<Stripe.ProductCreateParams> = {}): Promise<Stripe.Product> {
    const product = await this.stripe.products.create({ name: `Ratecard check ${this.run}`, ...params })
    this.tidy(`product ${product.id}`, () =>
      this.stripe.products.update(product.id, { active: false, default_price: '' }),
    )
    return product
  }

  /** Creates a price. Default: monthly, in USD. */
  async price(params: Partial<Stripe.PriceCreateParams> & { readonly product: string }): Promise<Stripe.Price> {
    const price = await this.stripe.prices.create({ currency: 'usd', recurring: { interval: 'month' }, ...params })
    this.tidy(`price ${price.id}`, () => this.stripe.prices.update(price.id, { active: false }))
    return price
  }

  async meter(): Promise<Stripe.Billing.Meter> {
    const meter = await this.stripe.billing.meters.create({
      display_name: `Ratecard check ${this.run}`,
      event_name: `ratecard_check_${this.run}`,
      default_aggregation: { formula: 'sum' },
    })
    this.tidy(`meter ${meter.id}`, () => this.stripe.billing.meters.deactivate(meter.id))
    return meter
  }

  async coupon(params: Stripe.CouponCreateParams): Promise<Stripe.Coupon> {
    const coupon = await this.stripe.coupons.create(params)
    this.tidy(`coupon ${coupon.id}`, () => this.stripe.coupons.del(coupon.id))
    return coupon
  }

  /** Creates a test clock, frozen at the present second. Deleting it deletes its customers with all their objects. */
  async clock(): Promise<{ readonly id: string; readonly from: number }> {
    const from = Math.floor(this.#clock.now() / 1000)
    const clock = await this.stripe.testHelpers.testClocks.create({ frozen_time: from, name: `Ratecard ${this.run}` })
    this.tidy(`test clock ${clock.id}`, () => this.stripe.testHelpers.testClocks.del(clock.id))
    return { id: clock.id, from }
  }

  /** Creates a customer; `card` adds a default card whose payments succeed. */
  async customer(clock: string | null, card = true): Promise<string> {
    const { stripe } = this
    const { id } = await stripe.customers.create({
      name: `Ratecard check ${this.run}`,
      ...(clock === null ? {} : { test_clock: clock }),
    })
    if (clock === null) this.tidy(`customer ${id}`, () => stripe.customers.del(id))
    if (!card) return id
    const method = await stripe.paymentMethods.attach('pm_card_visa', { customer: id })
    await stripe.customers.update(id, { invoice_settings: { default_payment_method: method.id } })
    return id
  }

  /** Advances a test clock and resolves when it is ready. */
  async advance(clock: string, to: number): Promise<void> {
    await this.stripe.testHelpers.testClocks.advance(clock, { frozen_time: to })
    await this.until('the test clock is ready', async () => {
      const { status } = await this.stripe.testHelpers.testClocks.retrieve(clock)
      return status === 'ready'
    })
  }

  /** Polls once a second until the condition is true; throws after 5 minutes. */
  async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    for (const giveUpAt = this.#clock.now() + patienceMs; !(await isSo());) {
      if (this.#clock.now() > giveUpAt) throw new Error(`It took too long until ${what}.`)
      await wait(1000, undefined, { signal: this.signal })
    }
  }

  /** Returns the error of a refused call, as text without ids. Returns `accepted` if the call succeeds. */
  async refusal(call: Promise<unknown>): Promise<unknown> {
    try {
      await call
      return 'accepted'
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError)) throw error
      const { statusCode, code, param, message } = error
      return { status: statusCode ?? null, code: code ?? null, param: param ?? null, message: this.plain(message) }
    }
  }

  /** Returns the text with the ids, times and names of this run replaced by placeholders. */
  plain(text: string): string {
    return text
      .replaceAll(this.run, '<run>')
      .replaceAll(/\b(?:[a-z]{2,}_)+[A-Za-z0-9]{8,}\b/g, '<id>')
      .replaceAll(/\b\d{10}\b/g, '<time>')
  }
}

/** Returns the form of a member without its content: `absent`, `null`, `list`, or its JavaScript type. */
export function formOf(value: unknown): string {
  if (value === undefined) return 'absent'
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}

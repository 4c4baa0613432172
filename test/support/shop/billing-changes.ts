// Random changes at the sandbox that a mirror has to follow: every verb that touches a subscription, customer, invoice, discount, schedule
// or refund. A change that the sandbox refuses (e.g. of a subscription that has ended) counts as none.
import Stripe from 'stripe'

export type Random = () => number

/** Deterministic numbers from 0 to 1, from a seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export interface BillingChanges {
  /** Makes one change: of a random verb, or of the given one. Returns the verb, or null if the sandbox refused it. */
  change(verb?: string): Promise<string | null>
  /** Names of all verbs. */
  readonly verbs: readonly string[]
  /** Highest quantity that each item was given: quantities only grow. */
  readonly quantities: ReadonlyMap<string, number>
  readonly subscriptions: readonly string[]
}

interface Account {
  readonly customers: string[]
  readonly subscriptions: string[]
  readonly quantities: Map<string, number>
  readonly prices: string[]
  readonly coupons: string[]
}

type Verb = (pick: Picker) => Promise<unknown>

interface Picker {
  one<T>(list: readonly T[]): T
  chance(share: number): boolean
}

class NothingToChange extends Error {
  override readonly name = 'NothingToChange'
}

/** Creates prices, coupons and a few customers to begin with. */
export async function billingChanges(stripe: Stripe, random: Random): Promise<BillingChanges> {
  const pick: Picker = {
    one: (list) => {
      const found = list[Math.floor(random() * list.length)]
      if (found === undefined) throw new NothingToChange('There is nothing to pick from.')
      return found
    },
    chance: (share) => random() < share,
  }
  const account: Account = { customers: [], subscriptions: [], quantities: new Map(), prices: [], coupons: [] }
  const product = (await stripe.products.create({ name: 'P' })).id
  for (const amount of [900, 1900, 4900]) {
    const recurring = { interval: amount === 4900 ? ('year' as const) : ('month' as const) }
    account.prices.push((await stripe.prices.create({ product, currency: 'usd', unit_amount: amount, recurring })).id)
  }
  for (const duration of ['forever', 'once'] as const)
    account.coupons.push((await stripe.coupons.create({ percent_off: 20, duration })).id)
  const verbs = verbsOf(stripe, account)
  const names = Object.keys(verbs)
  for (let index = 0; index < 5; index++) await verbs['customer.create']?.(pick)
  await verbs['subscription.create']?.(pick)
  return {
    verbs: names,
    quantities: account.quantities,
    subscriptions: account.subscriptions,
    change: async (name = pick.one(names)) => {
      try {
        await verbs[name]?.(pick)
        return name
      } catch (error) {
        // Refused, or its read failed because of an injected fault.
        if (error instanceof Stripe.errors.StripeError || error instanceof NothingToChange) return null
        throw error
      }
    },
  }
}

function verbsOf(stripe: Stripe, account: Account): Readonly<Record<string, Verb>> {
  return { ...customerVerbs(stripe, account), ...subscriptionVerbs(stripe, account), ...moneyVerbs(stripe, account) }
}

function customerVerbs(stripe: Stripe, { customers, coupons }: Account): Readonly<Record<string, Verb>> {
  return {
    'customer.create': async (pick) => {
      const { id: customer } = await stripe.customers.create({})
      const card = pick.chance(0.8) ? 'pm_card_visa' : 'pm_card_chargeCustomerFail'
      const { id } = await stripe.paymentMethods.attach(card, { customer })
      await stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } })
      customers.push(customer)
    },
    'customer.balance': (pick) =>
      stripe.customers.update(pick.one(customers), { balance: Math.round(pick.one([-500, 0, 300])) }),
    // Present API versions set the discount of a customer only in the dashboard.
    'customer.discount': (pick) => {
      const params = { coupon: pick.one(coupons) } as Stripe.CustomerUpdateParams
      return stripe.customers.update(pick.one(customers), params, { apiVersion: '2024-06-20' })
    },
    'customer.discount.delete': (pick) => stripe.customers.deleteDiscount(pick.one(customers)),
    'customer.delete': async (pick) => {
      if (customers.length < 5 || pick.chance(0.7)) return
      const customer = pick.one(customers)
      await stripe.customers.del(customer)
      customers.splice(customers.indexOf(customer), 1)
    },
  }
}

function subscriptionVerbs(stripe: Stripe, account: Account): Readonly<Record<string, Verb>> {
  const { customers, subscriptions, quantities, prices, coupons } = account
  const create: Verb = async (pick) => {
    const byMail = pick.chance(0.3)
    const made = await stripe.subscriptions.create({
      customer: pick.one(customers),
      items: [...new Set([pick.one(prices)])].map((price) => ({ price, quantity: 1 })),
      ...(byMail ? { collection_method: 'send_invoice', days_until_due: 7 } : {}),
      ...(pick.chance(0.2) ? { trial_period_days: 3 } : {}),
      ...(pick.chance(0.3) ? { discounts: [{ coupon: pick.one(coupons) }] } : {}),
    })
    subscriptions.push(made.id)
  }
  const update =
    (change: (pick: Picker) => Stripe.SubscriptionUpdateParams): Verb =>
    (pick) =>
      stripe.subscriptions.update(pick.one(subscriptions), change(pick))
  const grow: Verb = async (pick) => {
    const found = await stripe.subscriptions.retrieve(pick.one(subscriptions))
    const item = pick.one(found.items.data)
    const quantity = (item.quantity ?? 1) + 1
    await stripe.subscriptions.update(found.id, { items: [{ id: item.id, quantity }] })
    quantities.set(item.id, quantity)
  }
  return {
    'subscription.create': create,
    'subscription.create again': create,
    'subscription.quantity': grow,
    'subscription.quantity again': grow,
    'subscription.price': async (pick) => {
      const found = await stripe.subscriptions.retrieve(pick.one(subscriptions))
      const { id, quantity = 1 } = pick.one(found.items.data)
      await stripe.subscriptions.update(found.id, { items: [{ id, price: pick.one(prices), quantity }] })
    },
    'subscription.pause': update((pick) => ({ pause_collection: { behavior: pick.one(['void', 'keep_as_draft']) } })),
    'subscription.unpause': update(() => ({ pause_collection: '' })),
    'subscription.discount': update((pick) => ({ discounts: [{ coupon: pick.one(coupons) }] })),
    'subscription.discount.delete': (pick) => stripe.subscriptions.deleteDiscount(pick.one(subscriptions)),
    'subscription.end': update((pick) => ({ cancel_at_period_end: pick.chance(0.5) })),
    'subscription.cancel': async (pick) => {
      if (pick.chance(0.6)) return
      await stripe.subscriptions.cancel(pick.one(subscriptions), { prorate: pick.chance(0.5) })
    },
    'schedule.create': async (pick) => {
      const { id, phases } = await stripe.subscriptionSchedules.create({ from_subscription: pick.one(subscriptions) })
      const [phase] = phases
      if (phase === undefined) return
      const [item] = phase.items
      const now = { start_date: phase.start_date, end_date: phase.end_date }
      const same = {
        price: typeof item?.price === 'string' ? item.price : (item?.price.id ?? ''),
        quantity: item?.quantity ?? 1,
      }
      const then = { items: [{ ...same, price: pick.one(prices) }] }
      await stripe.subscriptionSchedules.update(id, { phases: [{ items: [same], ...now }, then] })
    },
    'schedule.release': async (pick) => {
      const { data } = await stripe.subscriptionSchedules.list({ limit: 20 })
      await stripe.subscriptionSchedules.release(pick.one(data.filter(({ status }) => status === 'active')).id)
    },
  }
}

function moneyVerbs(stripe: Stripe, { customers }: Account): Readonly<Record<string, Verb>> {
  const invoice = async (pick: Picker, status: 'draft' | 'open' | 'paid') =>
    pick.one((await stripe.invoices.list({ status, limit: 30 })).data).id
  /** An open invoice with enough left to pay for a credit note; a new one where random changes left none. */
  const creditable = async (pick: Picker) => {
    const { data } = await stripe.invoices.list({ status: 'open', limit: 30 })
    const found = data.filter((each) => each.amount_remaining >= 100)
    if (found.length > 0) return pick.one(found).id
    const customer = pick.one(customers)
    await stripe.invoiceItems.create({ customer, amount: 2_000, currency: 'usd' })
    const draft = await stripe.invoices.create({
      customer,
      pending_invoice_items_behavior: 'include',
      auto_advance: false,
    })
    return (await stripe.invoices.finalizeInvoice(draft.id)).id
  }
  return {
    'invoice.create': async (pick) => {
      const customer = pick.one(customers)
      await stripe.invoiceItems.create({ customer, amount: 700, currency: 'usd' })
      await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include', auto_advance: false })
    },
    'invoice.finalize': async (pick) => stripe.invoices.finalizeInvoice(await invoice(pick, 'draft')),
    'invoice.delete': async (pick) => stripe.invoices.del(await invoice(pick, 'draft')),
    'invoice.pay': async (pick) => stripe.invoices.pay(await invoice(pick, 'open')),
    'invoice.pay elsewhere': async (pick) =>
      stripe.invoices.pay(await invoice(pick, 'open'), { paid_out_of_band: true }),
    'invoice.void': async (pick) => stripe.invoices.voidInvoice(await invoice(pick, 'open')),
    'invoice.uncollectible': async (pick) => stripe.invoices.markUncollectible(await invoice(pick, 'open')),
    'credit_note.create': async (pick) => stripe.creditNotes.create({ invoice: await creditable(pick), amount: 100 }),
    'credit_note.void': async (pick) => {
      const note = await stripe.creditNotes.create({ invoice: await creditable(pick), amount: 100 })
      await stripe.creditNotes.voidCreditNote(note.id)
    },
    'refund.create': async (pick) => {
      const { data } = await stripe.paymentIntents.list({ limit: 30 })
      const paid = data.filter(({ status, amount }) => status === 'succeeded' && amount > 100)
      await stripe.refunds.create({ payment_intent: pick.one(paid).id, amount: 100 })
    },
  }
}

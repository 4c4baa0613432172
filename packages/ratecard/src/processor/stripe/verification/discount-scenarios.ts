// Scenarios about discounts of running subscriptions, and about trials without a card.
import type { Stripe } from 'stripe'
import { day, type Scenario, type Stage } from './stage.ts'

/** Creates a subscription on a test clock, with a coupon that lasts three months. */
async function createDiscounted(stage: Stage) {
  const { stripe } = stage
  const clock = await stage.clock()
  const customer = await stage.customer(clock.id)
  const price = await stage.price({ product: (await stage.product()).id, unit_amount: 1000 })
  const long = await stage.coupon({ percent_off: 50, duration: 'repeating', duration_in_months: 3 })
  const { id, discounts } = await stripe.subscriptions.create({
    ...{ customer, items: [{ price: price.id }], discounts: [{ coupon: long.id }] },
    expand: ['discounts'],
  })
  return { clock, customer, price, id, first: expandedDiscounts(discounts)[0] }
}

const expandedDiscounts = (discounts: Stripe.Subscription['discounts']): Stripe.Discount[] =>
  discounts.filter((one) => typeof one !== 'string')

const keptDiscounts: Scenario = {
  id: 'discounts_kept_by_their_ids',
  belief:
    'An update that lists a discount by its id keeps the discount’s end; an additional coupon is redeemed; an empty text removes all discounts.',
  async observe(stage) {
    const { stripe } = stage
    const { clock, id, first } = await createDiscounted(stage)
    await stage.advance(clock.id, clock.from + 40 * day)
    const other = await stage.coupon({ percent_off: 10, duration: 'forever' })
    const update = async (discounts: Stripe.SubscriptionUpdateParams['discounts']) =>
      expandedDiscounts(
        (await stripe.subscriptions.update(id, { discounts: discounts ?? '', expand: ['discounts'] })).discounts,
      )
    const both = await update([{ discount: first?.id ?? '' }, { coupon: other.id }])
    const again = await update([{ coupon: other.id }])
    return {
      kept: both.some((one) => one.id === first?.id && one.end === first.end),
      both: both.map(
        ({ source }) => source.coupon === other.id || (source.coupon as Stripe.Coupon | null)?.id === other.id,
      ),
      anew: again.length === 1 && !both.some(({ id: known }) => known === again[0]?.id),
      cleared: (await update('')).length,
    }
  },
}

const phaseDiscounts: Scenario = {
  id: 'discounts_of_a_phase_by_their_ids',
  belief: 'A discount continues in a later phase that lists its id, and ends in a phase with other discounts.',
  async observe(stage) {
    const { stripe } = stage
    const { customer, price, id, first, clock } = await createDiscounted(stage)
    const schedule = await stripe.subscriptionSchedules.create({ from_subscription: id })
    const [phase] = schedule.phases
    if (phase === undefined || first === undefined) return { phases: 0 }
    const items = [{ price: price.id, quantity: 1 }]
    const month = { interval: 'month', interval_count: 1 } as const
    const own = { items, discounts: [{ discount: first.id }] }
    await stripe.subscriptionSchedules.update(schedule.id, {
      phases: [
        { ...own, start_date: phase.start_date, end_date: phase.end_date },
        { ...own, duration: month },
        { items, duration: month, discounts: '' },
      ],
    })
    await stage.advance(clock.id, clock.from + 35 * day)
    await stage.advance(clock.id, clock.from + 70 * day)
    const { data } = await stripe.invoices.list({ customer, limit: 20 })
    return { totals: data.map(({ total }) => total).reverse() }
  },
}

const cardlessTrials: Scenario = {
  id: 'trials_without_a_card',
  belief: 'A trial that ends without a card cancels or pauses the subscription, and bills nothing.',
  async observe(stage) {
    const { stripe } = stage
    const clock = await stage.clock()
    const customer = await stage.customer(clock.id, false)
    const price = await stage.price({ product: (await stage.product()).id, unit_amount: 1000 })
    const begin = (missing: 'cancel' | 'pause') =>
      stripe.subscriptions.create({
        ...{ customer, items: [{ price: price.id }], trial_period_days: 3 },
        trial_settings: { end_behavior: { missing_payment_method: missing } },
      })
    const [cancelled, paused] = [await begin('cancel'), await begin('pause')]
    await stage.advance(clock.id, clock.from + 4 * day)
    const statusOf = async ({ id }: Stripe.Subscription) => (await stripe.subscriptions.retrieve(id)).status
    const { data } = await stripe.invoices.list({ customer, limit: 20 })
    return {
      cancel: await statusOf(cancelled),
      pause: await statusOf(paused),
      totals: data.map(({ total }) => total),
    }
  },
}

export const discountScenarios: readonly Scenario[] = [keptDiscounts, phaseDiscounts, cardlessTrials]

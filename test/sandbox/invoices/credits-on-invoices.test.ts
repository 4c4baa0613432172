import { describe, expect } from 'vitest'
import { creditTest as test, creditsOf } from './credit-shop.ts'
import { utc } from '../customers/customer-shop.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'

describe('billing credits on invoices of the sandbox:', () => {
  test('credits are applied when an invoice is finalized, after discounts and before taxes and the customer’s balance', async ({
    shop,
  }) => {
    const { stripe, customer, calls, subscribed, grant, use, to, latest, balance, ledger } = shop
    const tax = await stripe.taxRates.create({ display_name: 'VAT', percentage: 20, inclusive: false })
    const coupon = await stripe.coupons.create({ percent_off: 10, duration: 'forever' })
    await stripe.customers.update(customer, { balance: -100 })
    await subscribed(calls, { default_tax_rates: [tax.id], discounts: [{ coupon: coupon.id }] })
    const paid = await grant({ value: 500 })
    const given = await grant({ value: 200, category: 'promotional' })
    const first = await grant({ value: 300, priority: 0 })
    await use(300)
    await to('02-01T00:30:00')
    // 300 × 5 = 1500, less 10 % = 1350, less credits of 1000 = 350, with 20 % tax = 420.
    const draft = await latest()
    expect(draft).toMatchObject({ status: 'draft', subtotal: 1500, total_excluding_tax: 350, total: 420 })
    const [discount] = draft.total_discount_amounts ?? []
    const amounts = [
      [150, discount?.discount],
      [300, null],
      [200, null],
      [500, null],
    ]
    expect(creditsOf(draft.lines.data[0]?.pretax_credit_amounts)).toEqual(amounts)
    expect(creditsOf(draft.total_pretax_credit_amounts)).toEqual(amounts)
    expect(await balance()).toEqual([1000, 0])
    expect(await ledger()).toHaveLength(3)
    await to('02-01T01:00:00')
    const done = await latest()
    expect(done).toMatchObject({ status: 'paid', subtotal: 1500, total: 420, amount_due: 320, ending_balance: 0 })
    expect(done.total_taxes).toMatchObject([{ amount: 70, taxable_amount: 350 }])
    expect(await balance()).toEqual([0, 0])
    expect((await ledger()).slice(3)).toEqual([
      ['credits_applied', -300, first.id],
      ['credits_applied', -200, given.id],
      ['credits_applied', -500, paid.id],
    ])
    const { data } = await stripe.billing.creditBalanceTransactions.list({ customer, limit: 3 })
    const [line] = done.lines.data
    expect(creditsOf(line?.pretax_credit_amounts).slice(1)).toEqual(
      [300, 200, 500].map((amount, index) => [amount, data[2 - index]?.id]),
    )
    expect(data[0]?.debit?.credits_applied).toEqual({ invoice: done.id, invoice_line_item: line?.id })
    const shown = await stripe.invoices.retrieve(done.id, {
      expand: ['total_pretax_credit_amounts.credit_balance_transaction'],
    })
    expect(shown.total_pretax_credit_amounts?.[3]).toMatchObject({ credit_balance_transaction: { id: data[0]?.id } })
    const events = await stripe.events.list({ type: 'billing.credit_balance_transaction.created', limit: 3 })
    expect(events.data.map((event) => (event.data.object as { id: string }).id)).toEqual(data.map(({ id }) => id))
  })

  test('usage that arrives while the invoice is a draft is also paid with credits', async ({ shop }) => {
    const { calls, subscribed, grant, use, to, latest, balance, stripe, customer } = shop
    await subscribed(calls)
    await grant({ value: 1000 })
    await use(100)
    await to('02-01T00:30:00')
    expect((await latest()).total).toBe(0)
    await stripe.billing.meterEvents.create({
      event_name: 'calls',
      payload: { stripe_customer_id: customer, value: '60' },
      timestamp: utc('2027-01-31T00:00:00'),
    })
    await to('02-01T01:00:00')
    // 160 × 5 = 800 of 1000.
    expect(await latest()).toMatchObject({ status: 'paid', subtotal: 800, total: 0, amount_due: 0 })
    expect(await balance()).toEqual([200, 200])
  })

  test('an inclusive tax is computed on the amount that remains to be paid after credits', async ({ shop }) => {
    const { stripe, calls, subscribed, grant, use, to, latest } = shop
    const tax = await stripe.taxRates.create({ display_name: 'VAT', percentage: 25, inclusive: true })
    await subscribed(calls, { default_tax_rates: [tax.id] })
    await grant({ value: 500 })
    await use(300)
    await to('02-01T01:00:00')
    // 1500 − 500 = 1000, which contains 200 of tax.
    expect(await latest()).toMatchObject({ total: 1000, total_excluding_tax: 800, total_taxes: [{ amount: 200 }] })
  })

  test('grants are used in the order of priority, expiry, category, effective time and creation', async ({ shop }) => {
    const { calls, subscribed, grant, use, to, ledger } = shop
    await subscribed(calls)
    const march = utc('2027-03-01T00:00:00')
    const last = await grant({ value: 10, effective_at: utc('2027-01-01T00:00:09') })
    const fifth = await grant({ value: 10, effective_at: utc('2027-01-01T00:00:05') })
    const fourth = await grant({ value: 10, category: 'promotional' })
    const third = await grant({ value: 10, expires_at: march + 1 })
    const second = await grant({ value: 10, expires_at: march })
    const first = await grant({ value: 10, priority: 49 })
    await use(11)
    await to('02-01T01:00:00')
    const used = (await ledger()).filter(([type]) => type === 'credits_applied')
    // 11 × 5 = 55: the grant that is used last keeps 5.
    expect(used.map(([, amount, id]) => [amount, id])).toEqual([
      [-10, first.id],
      [-10, second.id],
      [-10, third.id],
      [-10, fourth.id],
      [-10, fifth.id],
      [-5, last.id],
    ])
  })

  test('of two equal grants, the older grant is used first', async ({ shop }) => {
    const { calls, subscribed, grant, use, to, balance } = shop
    await subscribed(calls)
    const [older, newer] = [await grant({ value: 10 }), await grant({ value: 10 })]
    await use(2)
    await to('02-01T01:00:00')
    expect([await balance(older.id), await balance(newer.id)]).toEqual([
      [0, 0],
      [10, 10],
    ])
  })

  test('credits apply only to metered prices of their scope, line by line', async ({ shop }) => {
    const { stripe, customer, calls, monthly, product, grant, use, to, latest, balance } = shop
    const meter = calls.recurring?.meter ?? ''
    const recurring = { interval: 'month' as const, usage_type: 'metered' as const, meter }
    const other = await stripe.prices.create({ currency: 'usd', product, recurring, unit_amount: 2 })
    const licensed = await monthly(900)
    const items = [{ price: licensed.id }, { price: calls.id }, { price: other.id }]
    await stripe.subscriptions.create({ customer, items })
    await stripe.invoiceItems.create({ customer, currency: 'usd', amount: 70 })
    const scoped = await grant({ value: 900, applicability_config: { scope: { prices: [{ id: other.id }] } } })
    await grant({ value: 600 })
    await grant({ value: 5000, currency: 'eur' })
    await use(100)
    await to('02-01T01:00:00')
    // Calls: 100 × 5 = 500, paid by the grant for all prices. The other price: 100 × 2 = 200, by the older grant, which is for it alone.
    const { lines, total } = await latest()
    const seen = lines.data.map((line) => [
      line.amount,
      (line.pretax_credit_amounts ?? []).reduce((sum, { amount }) => sum + amount, 0),
    ])
    expect(seen.sort(([a = 0], [b = 0]) => a - b)).toEqual([
      [70, 0],
      [200, 200],
      [500, 500],
      [900, 0],
    ])
    expect(total).toBe(970)
    expect(await balance(scoped.id)).toEqual([700, 700])
    expect(await balance()).toEqual([100, 100])
  })

  test('a grant pays an invoice if it is effective by the end of the invoiced period and not expired at finalization', async ({
    shop,
  }) => {
    const { calls, subscribed, grant, use, to, latest } = shop
    await subscribed(calls)
    await grant({ value: 100, effective_at: utc('2027-02-01T00:00:01') })
    await grant({ value: 30, expires_at: utc('2027-02-01T00:00:00') })
    await grant({ value: 7, effective_at: utc('2027-02-01T00:00:00'), expires_at: utc('2027-02-02T00:00:00') })
    await grant({ value: 2, expires_at: utc('2027-02-01T00:59:59') })
    await use(100)
    await to('02-01T00:30:00')
    // 100 × 5 = 500. The draft shows the grant that expires before the invoice is finalized.
    expect((await latest()).total).toBe(500 - 7 - 2)
    await to('02-01T01:00:00')
    expect((await latest()).total).toBe(500 - 7)
    await use(20)
    await to('03-01T01:00:00')
    expect((await latest()).total).toBe(0)
  })

  test('a preview shows the credits without using them, even if a draft invoice shows the same credits', async ({
    shop,
  }) => {
    const { stripe, calls, subscribed, grant, use, to, balance, ledger, latest } = shop
    const { id } = await subscribed(calls)
    await grant({ value: 600 })
    await use(80)
    const preview = () => stripe.invoices.createPreview({ subscription: id })
    const first = await preview()
    expect(first).toMatchObject({ status: 'draft', subtotal: 400, total: 0, amount_due: 0 })
    expect(creditsOf(first.lines.data[0]?.pretax_credit_amounts)).toEqual([[400, null]])
    expect(creditsOf(first.total_pretax_credit_amounts)).toEqual([[400, null]])
    expect(await balance()).toEqual([600, 600])
    await to('02-01T00:30:00')
    await use(200)
    expect((await latest()).total).toBe(0)
    expect(await preview()).toMatchObject({ subtotal: 1000, total: 400 })
    expect(await balance()).toEqual([600, 200])
    await to('02-01T01:00:00')
    expect(await preview()).toMatchObject({ subtotal: 1000, total: 800 })
    expect(await balance()).toEqual([200, 200])
    expect(await ledger()).toHaveLength(2)
  })

  test('the last invoice of a cancelled subscription also uses credits', async ({ shop }) => {
    const { stripe, calls, subscribed, grant, use, to, ledger } = shop
    const { id } = await subscribed(calls)
    const { id: granted } = await grant({ value: 600 })
    await use(80)
    await to('01-15T00:00:00')
    await stripe.subscriptions.cancel(id, { invoice_now: true })
    await to('01-15T01:00:00')
    expect(await ledger()).toEqual([
      ['credits_granted', 600, granted],
      ['credits_applied', -400, granted],
    ])
  })

  test('the preview of a change that bills usage immediately contains no id of a credit transaction', async ({
    shop,
  }) => {
    const { stripe, calls, monthly, subscribed, grant, use, to, ledger } = shop
    const { id, items } = await subscribed(calls)
    await grant({ value: 100 })
    await use(80)
    await to('01-15T00:00:00')
    const preview = await stripe.invoices.createPreview({
      subscription: id,
      subscription_details: {
        items: [{ id: items.data[0]?.id ?? '', deleted: true }, { price: (await monthly(1000)).id }],
        proration_behavior: 'always_invoice',
      },
    })
    expect(creditsOf(preview.total_pretax_credit_amounts)).toEqual([[100, null]])
    expect(await ledger()).toHaveLength(1)
  })

  test('a voided invoice returns its credits, and returned credits expire at once if their grant has expired', async ({
    shop,
  }) => {
    const { stripe, calls, subscribed, grant, use, to, latest, balance, ledger } = shop
    await subscribed(calls, { collection_method: 'send_invoice', days_until_due: 30 })
    const [stays, ends] = [
      await grant({ value: 300 }),
      await grant({ value: 50, expires_at: utc('2027-02-10T00:00:00') }),
    ]
    await use(100)
    await to('02-05T00:00:00')
    const open = await latest()
    expect(open).toMatchObject({ status: 'open', total: 150 })
    expect(await balance()).toEqual([0, 0])
    await to('02-11T00:00:00')
    await stripe.invoices.voidInvoice(open.id)
    expect(await balance()).toEqual([300, 300])
    expect((await ledger()).slice(4)).toEqual([
      ['credits_application_invoice_voided', 50, ends.id],
      ['credits_expired', -50, ends.id],
      ['credits_application_invoice_voided', 300, stays.id],
    ])
    const { data } = await stripe.billing.creditBalanceTransactions.list({ credit_grant: stays.id, limit: 1 })
    expect(data[0]?.credit?.credits_application_invoice_voided).toEqual({
      invoice: open.id,
      invoice_line_item: open.lines.data[0]?.id,
    })
    // Credits that were given back pay for the next invoice: 100 × 5 = 500 less 300.
    await use(100)
    await to('03-01T01:00:00')
    expect((await latest()).total).toBe(200)
  })

  test('refunds, credit notes and uncollectible invoices return no credits', async ({ shop }) => {
    const { stripe, customer, calls, subscribed, grant, use, to, latest, balance } = shop
    await subscribed(calls)
    await grant({ value: 300 })
    await use(200)
    await to('02-01T01:00:00')
    // 200 × 5 = 1000 less 300.
    const paid = await latest()
    expect(paid).toMatchObject({ status: 'paid', amount_paid: 700 })
    const lines = (amount: number) => [
      { type: 'invoice_line_item' as const, invoice_line_item: paid.lines.data[0]?.id ?? '', amount },
    ]
    const note = (amount: number) =>
      stripe.creditNotes.create({ invoice: paid.id, lines: lines(amount), refund_amount: amount })
    expect((await refusal(note(701))).message).toContain('at most $7.00')
    await note(100)
    const [charge] = (await stripe.charges.list({ customer })).data
    await stripe.refunds.create({ charge: charge?.id ?? '', amount: 600 })
    expect(await balance()).toEqual([0, 0])
  })

  test('a credit grant that was applied cannot be voided, even after its invoice was voided, but the grant can be expired', async ({
    shop,
  }) => {
    const { stripe, calls, subscribed, grant, use, to, latest, balance } = shop
    await subscribed(calls, { collection_method: 'send_invoice', days_until_due: 30 })
    const made = await grant({ value: 300 })
    await use(100)
    await to('02-01T01:00:00')
    expect(await balance()).toEqual([0, 0])
    expect((await refusal(stripe.billing.creditGrants.voidGrant(made.id))).message).toContain('cannot be voided')
    await stripe.invoices.voidInvoice((await latest()).id)
    expect(await balance()).toEqual([300, 300])
    expect((await refusal(stripe.billing.creditGrants.voidGrant(made.id))).message).toContain('cannot be voided')
    await stripe.billing.creditGrants.expire(made.id)
    expect(await balance()).toEqual([0, 0])
  })

  test('a grant that is used up does not count towards the limit of 100 grants', async ({ shop }) => {
    const { calls, subscribed, grant, use, to } = shop
    await subscribed(calls)
    for (let count = 0; count < 100; count++) await grant({ value: 5 })
    await use(1)
    await to('02-01T01:00:00')
    expect((await grant()).priority).toBe(50)
  })
})

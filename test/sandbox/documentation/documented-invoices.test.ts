// Behaviour that the documentation states about the status of invoices, refunds and credit notes. “types” is the documentation in the
// SDK’s types.
import type Stripe from 'stripe'
import { describe, expect } from 'vitest'
import { idOf } from '../../support/sandbox.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerShop, customerTest as test, day, utc, type CustomerShop } from '../customers/customer-shop.ts'

async function draftOf({ stripe, customer }: CustomerShop, params: Stripe.InvoiceCreateParams = {}, amount = 1000) {
  if (amount !== 0) await stripe.invoiceItems.create({ customer, amount, currency: 'usd' })
  return stripe.invoices.create({ customer, currency: 'usd', pending_invoice_items_behavior: 'include', ...params })
}

const byMail = { collection_method: 'send_invoice', days_until_due: 30 } as const

async function openOf(shop: CustomerShop) {
  return shop.stripe.invoices.finalizeInvoice((await draftOf(shop, byMail)).id)
}

async function paidOf(shop: CustomerShop) {
  return shop.stripe.invoices.pay((await draftOf(shop)).id)
}

describe('invoices in the sandbox behave as Stripe documents:', () => {
  // Source: docs.stripe.com/invoicing/overview (invoices of 0 are paid when they are finalized)
  test('an invoice with an amount of zero is paid as soon as it is finalized', async ({ shop }) => {
    const draft = await draftOf(shop, {}, 0)
    expect(await shop.stripe.invoices.finalizeInvoice(draft.id)).toMatchObject({
      ...{ status: 'paid', amount_due: 0, attempt_count: 0 },
    })
  })

  // Source: types, Invoice.status_transitions
  test('status_transitions contains the time of each change of the invoice’s status', async () => {
    const start = utc('2027-04-01T00:00:00')
    const shop = await customerShop(start)
    const { id, status_transitions: none } = await draftOf(shop, byMail)
    expect(none).toEqual({ finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null })
    await shop.stripe.invoices.finalizeInvoice(id)
    await shop.stripe.testHelpers.testClocks.advance(shop.clockId, { frozen_time: start + day })
    await shop.stripe.invoices.markUncollectible(id)
    await shop.stripe.testHelpers.testClocks.advance(shop.clockId, { frozen_time: start + 2 * day })
    expect((await shop.stripe.invoices.voidInvoice(id)).status_transitions).toEqual({
      ...{ finalized_at: start, marked_uncollectible_at: start + day, paid_at: null, voided_at: start + 2 * day },
    })
  })

  // Source: types, InvoiceResource.update (“you can no longer change most of its details … this also includes description”)
  test('the metadata of a finalized invoice can be changed, but its description cannot', async ({ shop }) => {
    const { id } = await openOf(shop)
    expect(await refusal(shop.stripe.invoices.update(id, { description: 'Thank you' }))).toMatchObject({ status: 400 })
    expect(await shop.stripe.invoices.update(id, { auto_advance: false, metadata: { a: '1' } })).toMatchObject({
      ...{ auto_advance: false, metadata: { a: '1' }, status: 'open' },
    })
  })

  // Source: types, InvoiceCreateParams.days_until_due (“Valid only for invoices where collection_method=send_invoice”), due_date
  test('an invoice that is charged automatically refuses a due date', async ({ shop }) => {
    const due_date = Math.floor(Date.now() / 1000) + 30 * day
    for (const params of [{ days_until_due: 3 }, { due_date }]) {
      const message = expect.stringMatching(/send_invoice/)
      expect(await refusal(draftOf(shop, params))).toMatchObject({ status: 400, message })
    }
  })

  // Source: types, InvoiceCreateParams.due_date
  test('an emailed invoice has the due date of the request, or one that is days_until_due after finalization', async ({
    shop,
  }) => {
    const due_date = Math.floor(Date.now() / 1000) + 9 * day
    expect(await draftOf(shop, { collection_method: 'send_invoice', due_date })).toMatchObject({ due_date })
    const open = await openOf(shop)
    expect((open.due_date ?? 0) - (open.status_transitions.finalized_at ?? 0)).toBe(30 * day)
  })

  // Source: types, InvoiceResource.del (“if an invoice is for a subscription, it must be voided”)
  test('the draft invoice of a subscription cannot be deleted', async () => {
    const start = utc('2027-04-01T00:00:00')
    const shop = await customerShop(start)
    await shop.subscribed(await shop.monthly(1000))
    await shop.stripe.testHelpers.testClocks.advance(shop.clockId, { frozen_time: utc('2027-05-01T00:30:00') })
    const draft = (await shop.invoices()).at(-1)
    expect(draft?.status).toBe('draft')
    expect(await refusal(shop.stripe.invoices.del(draft?.id ?? ''))).toMatchObject({ status: 400 })
  })

  // Source: docs.stripe.com/invoicing/overview (draft → open → paid, void, uncollectible)
  test('a draft invoice cannot be marked uncollectible or voided', async ({ shop }) => {
    const { id } = await draftOf(shop)
    expect(await refusal(shop.stripe.invoices.markUncollectible(id))).toMatchObject({ status: 400 })
    expect(await refusal(shop.stripe.invoices.voidInvoice(id))).toMatchObject({ status: 400 })
    expect((await shop.stripe.invoices.retrieve(id)).status).toBe('draft')
  })

  // Source: recordings of the real API (zulip/zulip, Invoice.void_invoice)
  test('a voided invoice keeps its amount due', async ({ shop }) => {
    const { id } = await openOf(shop)
    expect(await shop.stripe.invoices.voidInvoice(id)).toMatchObject({
      ...{ status: 'void', amount_due: 1000, amount_paid: 0, amount_remaining: 1000, next_payment_attempt: null },
    })
  })
})

describe('refunds in the sandbox behave as Stripe documents:', () => {
  // Source: types, RefundCreateParams.reason
  test('the reason of a refund must be one of Stripe’s values', async ({ shop }) => {
    const { id } = await paidOf(shop)
    const [charge] = (await shop.stripe.charges.list({ customer: shop.customer })).data
    const refund = (reason: string) =>
      shop.stripe.refunds.create({ charge: charge?.id ?? '', reason: reason as never, amount: 100 })
    expect(await refusal(refund('bored'))).toMatchObject({ status: 400, param: 'reason' })
    expect(await refund('duplicate')).toMatchObject({ reason: 'duplicate', amount: 100, status: 'succeeded' })
    expect((await shop.stripe.invoices.retrieve(id)).status).toBe('paid')
  })

  // Source: types, RefundListParams.charge, payment_intent
  test('refunds can be listed by charge and by payment intent', async ({ shop }) => {
    await paidOf(shop)
    const [charge] = (await shop.stripe.charges.list({ customer: shop.customer })).data
    const intent = idOf(charge?.payment_intent)
    const { id } = await shop.stripe.refunds.create({ payment_intent: intent, amount: 300 })
    for (const filter of [{ charge: charge?.id ?? '' }, { payment_intent: intent }])
      expect((await shop.stripe.refunds.list(filter)).data.map((one) => one.id)).toEqual([id])
  })

  // Source: types, RefundCreateParams.amount (“up to the remaining, unrefunded amount of the charge”)
  test('a refund requires a charge or a payment intent, and an amount above zero', async ({ shop }) => {
    await paidOf(shop)
    const [charge] = (await shop.stripe.charges.list({ customer: shop.customer })).data
    expect(await refusal(shop.stripe.refunds.create({ amount: 100 }))).toMatchObject({ status: 400 })
    const none = shop.stripe.refunds.create({ charge: charge?.id ?? '', amount: 0 })
    expect(await refusal(none)).toMatchObject({ status: 400, param: 'amount' })
  })
})

describe('credit notes in the sandbox behave as Stripe documents:', () => {
  // Source: types, CreditNote.number (“unique within your account”); docs.stripe.com/invoicing/integration/programmatic-credit-notes
  test('the number of a credit note consists of the invoice number and a sequence number', async ({ shop }) => {
    const { id: invoice, number } = await openOf(shop)
    const first = await shop.stripe.creditNotes.create({ invoice, amount: 100 })
    const second = await shop.stripe.creditNotes.create({ invoice, amount: 100 })
    expect([first.number, second.number]).toEqual([`${number}-CN-01`, `${number}-CN-02`])
  })

  // Source: types, CreditNoteResource.create (“a finalized invoice”)
  test('a credit note for a draft invoice is refused', async ({ shop }) => {
    const { id: invoice } = await draftOf(shop)
    expect(await refusal(shop.stripe.creditNotes.create({ invoice, amount: 100 }))).toMatchObject({ status: 400 })
  })

  // Source: types, CreditNoteCreateParams.reason
  test('the reason of a credit note must be one of Stripe’s values, and its memo can be updated', async ({ shop }) => {
    const { id: invoice } = await openOf(shop)
    const create = (reason: string) => shop.stripe.creditNotes.create({ invoice, amount: 100, reason, memo: 'Sorry' })
    expect(await refusal(create('bored'))).toMatchObject({ status: 400, param: 'reason' })
    const made = await create('order_change')
    expect(made).toMatchObject({ reason: 'order_change', memo: 'Sorry', status: 'issued' })
    expect(await shop.stripe.creditNotes.update(made.id, { memo: 'Very sorry' })).toMatchObject({ memo: 'Very sorry' })
  })

  // Source: types, Invoice.pre_payment_credit_notes_amount, post_payment_credit_notes_amount; CreditNote.type
  test('an invoice contains the sum of credit notes before and the sum of credit notes after its payment', async ({
    shop,
  }) => {
    const { id: open } = await openOf(shop)
    expect((await shop.stripe.creditNotes.create({ invoice: open, amount: 200 })).type).toBe('pre_payment')
    expect(await shop.stripe.invoices.retrieve(open)).toMatchObject({
      ...{ pre_payment_credit_notes_amount: 200, post_payment_credit_notes_amount: 0, amount_remaining: 800 },
    })
    const { id: paid } = await paidOf(shop)
    const note = await shop.stripe.creditNotes.create({ invoice: paid, amount: 300, credit_amount: 300 })
    expect(note.type).toBe('post_payment')
    expect(await shop.stripe.invoices.retrieve(paid)).toMatchObject({
      ...{ pre_payment_credit_notes_amount: 0, post_payment_credit_notes_amount: 300, amount_paid: 1000 },
    })
  })

  // Source: types, Customer.balance, CreditNote.customer_balance_transaction
  test('a credit note with a credit_amount creates a transaction on the customer’s balance', async ({ shop }) => {
    const { id: invoice } = await paidOf(shop)
    const note = await shop.stripe.creditNotes.create({ invoice, amount: 300, credit_amount: 300 })
    expect(note.customer_balance_transaction).not.toBeNull()
    expect(await shop.stripe.customers.retrieve(shop.customer)).toMatchObject({ balance: -300 })
  })
})

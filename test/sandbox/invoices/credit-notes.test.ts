import { describe, expect } from 'vitest'
import type Stripe from 'stripe'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerTest as test, type CustomerShop } from '../customers/customer-shop.ts'

/** An open invoice of two items: 20 dollars and 5. */
async function openInvoice(shop: CustomerShop): Promise<Stripe.Invoice> {
  const { stripe, customer } = shop
  await stripe.invoiceItems.create({ customer, amount: 2000, currency: 'usd', description: 'Work' })
  await stripe.invoiceItems.create({ customer, amount: 500, currency: 'usd', description: 'Travel' })
  const { id } = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
  return stripe.invoices.finalizeInvoice(id)
}

async function typesOf({ stripe }: CustomerShop): Promise<string[]> {
  return (await stripe.events.list({ limit: 100 })).data.map(({ type }) => type)
}

describe('a credit note in the sandbox', () => {
  test('reduces the amount due of an open invoice, and increases it again when the note is voided', async ({
    shop,
  }) => {
    const { stripe } = shop
    const invoice = await openInvoice(shop)
    const made = await stripe.creditNotes.create({
      invoice: invoice.id,
      lines: [{ type: 'custom_line_item', unit_amount: 300, quantity: 2, description: 'Sorry' }],
      memo: 'For the wait',
      reason: 'order_change',
    })
    expect(made).toMatchObject({
      object: 'credit_note',
      amount: 600,
      pre_payment_amount: 600,
      post_payment_amount: 0,
      type: 'pre_payment',
      status: 'issued',
      number: `${invoice.number ?? ''}-CN-01`,
      currency: 'usd',
      memo: 'For the wait',
      reason: 'order_change',
      lines: { data: [{ amount: 600, quantity: 2, unit_amount: 300, description: 'Sorry', type: 'custom_line_item' }] },
    })
    expect(await stripe.invoices.retrieve(invoice.id)).toMatchObject({
      status: 'open',
      total: 2500,
      amount_due: 1900,
      amount_remaining: 1900,
      pre_payment_credit_notes_amount: 600,
      post_payment_credit_notes_amount: 0,
    })
    expect((await stripe.paymentIntents.list()).data[0]?.amount).toBe(1900)
    expect(await stripe.creditNotes.voidCreditNote(made.id)).toMatchObject({ status: 'void', amount: 600 })
    expect(await stripe.invoices.retrieve(invoice.id)).toMatchObject({
      amount_due: 2500,
      amount_remaining: 2500,
      pre_payment_credit_notes_amount: 0,
    })
    expect(await refusal(stripe.creditNotes.voidCreditNote(made.id))).toMatchObject({ status: 400 })
    expect(await typesOf(shop)).toEqual(expect.arrayContaining(['credit_note.created', 'credit_note.voided']))
  })

  test('is refused as not supported if it leaves less than the minimum charge', async ({ shop }) => {
    const { id } = await openInvoice(shop)
    const { message } = await refusal(shop.stripe.creditNotes.create({ invoice: id, amount: 2470 }))
    expect(message).toContain('The sandbox does not support credit notes that leave less than')
    expect(await shop.stripe.invoices.retrieve(id)).toMatchObject({ status: 'open', amount_remaining: 2500 })
  })

  test('marks an open invoice as paid if the credit note credits the whole amount', async ({ shop }) => {
    const { stripe } = shop
    const invoice = await openInvoice(shop)
    const made = await stripe.creditNotes.create({ invoice: invoice.id, amount: 2500 })
    expect(await stripe.invoices.retrieve(invoice.id)).toMatchObject({
      status: 'paid',
      amount_due: 0,
      amount_paid: 0,
      amount_remaining: 0,
      pre_payment_credit_notes_amount: 2500,
    })
    expect(await typesOf(shop)).toContain('invoice.paid')
    expect((await stripe.paymentIntents.list()).data[0]?.status).toBe('canceled')
    expect(await refusal(stripe.creditNotes.voidCreditNote(made.id))).toMatchObject({ status: 400 })
  })

  test('on a paid invoice returns the money in full, to the customer’s balance or outside of Stripe', async ({
    shop,
  }) => {
    const { stripe, customer } = shop
    const invoice = await openInvoice(shop)
    await stripe.invoices.pay(invoice.id)
    const wanted = { invoice: invoice.id, amount: 200 }
    expect(await refusal(stripe.creditNotes.create({ ...wanted, credit_amount: 100 }))).toMatchObject({
      status: 400,
      message:
        'The sum of credit amount, refund amount and out of band amount ($1.00) must equal the credit note amount ($2.00).',
    })
    const made = await stripe.creditNotes.create({ ...wanted, credit_amount: 150, out_of_band_amount: 50 })
    expect(made).toMatchObject({
      type: 'post_payment',
      post_payment_amount: 200,
      pre_payment_amount: 0,
      out_of_band_amount: 50,
      customer_balance_transaction: expect.stringMatching(/^cbtxn_/) as string,
    })
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ balance: -150 })
    expect(await stripe.invoices.retrieve(invoice.id)).toMatchObject({
      status: 'paid',
      amount_due: 2500,
      amount_paid: 2500,
      amount_remaining: 0,
      post_payment_credit_notes_amount: 200,
    })
    const next = await openInvoice(shop)
    expect(next).toMatchObject({ total: 2500, starting_balance: -150, amount_due: 2350 })
  })

  test('credits parts of invoice lines, never more than the uncredited rest of the line', async ({ shop }) => {
    const { stripe } = shop
    const invoice = await openInvoice(shop)
    const travel = invoice.lines.data.find(({ description }) => description === 'Travel')?.id ?? ''
    const line = { type: 'invoice_line_item', invoice_line_item: travel } as const
    const create = (lines: Stripe.CreditNoteCreateParams.Line[]) =>
      stripe.creditNotes.create({ invoice: invoice.id, lines })
    const made = await create([{ ...line, amount: 200 }])
    expect(made.lines.data).toMatchObject([{ amount: 200, invoice_line_item: travel, description: 'Travel' }])
    expect(await refusal(create([{ ...line, quantity: 1 }]))).toMatchObject({ param: 'lines[0]' })
    expect(await refusal(create([{ ...line, invoice_line_item: 'il_none', amount: 1 }]))).toMatchObject({
      code: 'resource_missing',
    })
    expect(await refusal(stripe.creditNotes.create({ invoice: invoice.id, amount: 2301 }))).toMatchObject({
      param: 'amount',
    })
    expect(await refusal(stripe.creditNotes.create({ invoice: invoice.id }))).toMatchObject({
      message: 'One of `amount`, `lines`, or `shipping_cost` must be provided.',
    })
    expect(
      await refusal(stripe.creditNotes.create({ invoice: invoice.id, amount: 100, refund_amount: 100 })),
    ).toMatchObject({ message: expect.stringContaining('must equal the credit note amount ($0.00).') })
  })

  test('can be previewed, listed and updated, and its lines can be listed', async ({ shop }) => {
    const { stripe, customer } = shop
    const invoice = await openInvoice(shop)
    expect(await stripe.creditNotes.preview({ invoice: invoice.id, amount: 100 })).toMatchObject({ amount: 100 })
    expect((await stripe.creditNotes.list({ invoice: invoice.id })).data).toEqual([])
    expect((await stripe.invoices.retrieve(invoice.id)).amount_due).toBe(2500)
    const made = await stripe.creditNotes.create({ invoice: invoice.id, amount: 100, email_type: 'none' })
    await stripe.creditNotes.update(made.id, { memo: 'New', metadata: { a: 'b' } })
    expect(await stripe.creditNotes.retrieve(made.id, { expand: ['invoice'] })).toMatchObject({
      memo: 'New',
      metadata: { a: 'b' },
      invoice: { id: invoice.id, amount_due: 2400 },
    })
    expect((await stripe.creditNotes.list({ customer })).data.map(({ id }) => id)).toEqual([made.id])
    expect((await stripe.creditNotes.listLineItems(made.id)).data).toMatchObject([{ amount: 100 }])
    const draft = await stripe.invoices.create({ customer })
    expect(await refusal(stripe.creditNotes.create({ invoice: draft.id, amount: 1 }))).toMatchObject({
      param: 'invoice',
    })
  })

  test('is refused as not supported if the invoice has taxes or discounts', async ({ shop }) => {
    const { stripe, customer } = shop
    const rate = await stripe.taxRates.create({ display_name: 'VAT', inclusive: false, percentage: 10 })
    await stripe.invoiceItems.create({ customer, amount: 1000, currency: 'usd', tax_rates: [rate.id] })
    const { id } = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
    await stripe.invoices.finalizeInvoice(id)
    expect(await refusal(stripe.creditNotes.create({ invoice: id, amount: 100 }))).toMatchObject({
      message: 'The sandbox does not support credit notes of invoices with taxes.',
    })
  })
})

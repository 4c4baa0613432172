import { formatMinor } from '../money/format.ts'
import { attemptInvoice } from '../billing/invoices/invoicing.ts'
import { updateStatusAfter } from '../billing/subscriptions/subscription-status.ts'
import { timeOf } from '../billing/subscriptions/subscription-records.ts'
import { newPaymentMethod } from '../endpoints/payments/payment-methods.ts'
import { cardByNumber } from '../endpoints/payments/test-payment-methods.ts'
import type { OperationContext } from '../protocol/operation-context.ts'
import { cardDeclined, badRequest } from '../protocol/responses/errors.ts'
import type { InvoiceBody } from '../objects/customer-bodies.ts'
import { html, page, problem, type Markup, type HtmlResponse } from './html.ts'

/** Renders the page that an emailed invoice links to: its lines, and a form to pay it. */
export function showInvoice(invoice: InvoiceBody, error: string | null = null): HtmlResponse {
  const money = (amount: number): string => formatMinor(amount, invoice.currency)
  const lines = invoice.lines.data.map(
    (line) =>
      html`<tr>
        <td>${line.description ?? ''}</td>
        <td>${money(line.amount)}</td>
      </tr>`,
  )
  const due = invoice.due_date === null ? html`` : html`<p>Due on ${dateOf(invoice.due_date)}.</p>`
  const content = html`${problem(error)}
    <p>${invoice.status}</p>
    ${due}
    <table>
      <tbody>
        ${lines}
      </tbody>
      <tfoot>
        <tr>
          <th>Total</th>
          <th>${money(invoice.total)}</th>
        </tr>
        <tr>
          <th>Amount due</th>
          <th>${money(invoice.amount_remaining)}</th>
        </tr>
      </tfoot>
    </table>
    ${invoice.status === 'open' ? form() : html``}`
  return page(`Invoice ${invoice.number ?? ''}`, content, error === null ? 200 : 400)
}

function form(): Markup {
  return html`<form method="post">
    <label>Card number <input name="number" autocomplete="off" inputmode="numeric" /></label>
    <button name="action" value="pay">Pay</button>
  </form>`
}

function dateOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10)
}

/** Pays the invoice with a test card. Throws on an error, so that the transaction is rolled back. */
export function payInvoice(outer: OperationContext, invoice: InvoiceBody, number: string): HtmlResponse {
  if (invoice.status !== 'open') return showInvoice(invoice)
  const card = cardByNumber(number)
  if (card === undefined) throw badRequest('Your card number is invalid. Use one of the test cards.', 'number')
  if (card.declines !== undefined) throw cardDeclined(card.decline)
  const call = outer.at(timeOf(outer, invoice.test_clock))
  const method = newPaymentMethod(call, card, invoice.customer)
  // The payer is present on the page, so 3-D Secure counts as passed.
  const paid = attemptInvoice(call, invoice, { card: method.id, manual: true, authenticated: true })
  updateStatusAfter(call, paid)
  return showInvoice(paid)
}

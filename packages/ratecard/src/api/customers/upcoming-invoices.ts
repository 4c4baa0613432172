// Shapes of invoices that do not exist yet: previews of the processor.
import { Type } from 'typebox'
import { nullable, shape, Time, type Inside } from '../notation/schema.ts'
import { DroppedUsage } from './usage.ts'

const Minor = (description: string) => Type.Integer({ description })
export const InvoiceLine = shape('InvoiceLine', {
  description: nullable(Type.String()),
  price_id: nullable(
    Type.String({ description: 'Configuration id of the price; null if it is not in the configuration.' }),
  ),
  processor_price_id: nullable(Type.String()),
  quantity: nullable(Type.Integer()),
  amount: Minor('Minor units.'),
  period_start: Time('Start of the period that the line bills.'),
  period_end: Time('Its end.'),
})
/** What pays an invoice beside the customer, in minor units. */
export const paidByBalance = {
  balance: Minor('Balance of the customer before the invoice, in minor units; negative if the customer owes it.'),
  balance_applied: Minor(
    'Part of the total that the balance pays. Negative: the invoice gives balance to the customer, or asks what it owed before.',
  ),
}
const invoice = {
  currency: Type.String(),
  subtotal: Minor('Amount in minor units, before discounts and tax.'),
  total: Minor('Minor units.'),
  amount_due: Minor('Amount in minor units that will be charged.'),
  credits_applied: Minor(
    'Credit that pays for usage on this invoice, in minor units. It is already subtracted from the total.',
  ),
  ...paidByBalance,
  due_at: nullable(Time('Time at which the invoice will be created.')),
  formatted: Type.String({ description: 'The amount due, formatted for display.' }),
  lines: Type.Array(InvoiceLine),
}
export const Invoice = shape('Invoice', { subscription: Type.String(), ...invoice })

export type UpcomingInvoices = readonly Inside<typeof Invoice>[]

export const UpcomingInvoice = shape(
  'UpcomingInvoice',
  {
    tenant_id: Type.String(),
    currency: nullable(invoice.currency),
    subtotal: nullable(invoice.subtotal),
    total: nullable(invoice.total),
    amount_due: nullable(invoice.amount_due),
    credits_applied: nullable(invoice.credits_applied),
    balance: nullable(invoice.balance),
    balance_applied: nullable(invoice.balance_applied),
    due_at: invoice.due_at,
    formatted: nullable(invoice.formatted),
    lines: invoice.lines,
    invoices: Type.Array(Invoice, { description: 'One invoice for each subscription that will be invoiced.' }),
    dropped_usage: nullable(
      Type.Array(DroppedUsage, {
        description:
          'Reports about dropped usage with an example of this tenant. The amounts do not include that usage. null if the processor’s reports could not be read.',
      }),
    ),
  },
  'All members except `invoices` are those of the earliest invoice.',
)

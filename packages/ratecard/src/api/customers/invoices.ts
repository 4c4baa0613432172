// Operations on invoices of tenants, and the export of all invoices for accounting.
import { Type } from 'typebox'
import { Pagination } from '../notation/common.ts'
import { Day, DayAsked, furtherAmount, mainAmount, mirrored } from '../notation/mirrored.ts'
import { mirrorErrors } from './money.ts'
import { idParams, operations, pageQuery } from '../notation/operation.ts'
import { Count, nullable, shape, Time, type Inside } from '../notation/schema.ts'

export const TenantInvoiceLine = shape('TenantInvoiceLine', {
  description: nullable(Type.String()),
  price_id: nullable(
    Type.String({ description: 'Configuration id of the price; null if it is not in the configuration.' }),
  ),
  processor_price_id: nullable(Type.String()),
  quantity: nullable(Type.Integer()),
  ...mainAmount('amount', 'Amount in minor units, a decimal as text.'),
  proration: Type.Boolean({
    description: 'True if the line charges or credits a part of a period, because the subscription changed.',
  }),
  period_start: Time('Start of the period that the line bills.'),
  period_end: Time('Its end.'),
})
export const TenantInvoice = shape('TenantInvoice', {
  type: Type.Enum(['invoice', 'payment'], {
    description: '`payment`: a paid checkout of one-time prices, for which the processor made no invoice.',
  }),
  id: Type.String({ description: 'Id of the invoice; of a payment, the id of its payment intent.' }),
  number: nullable(Type.String()),
  subscription: nullable(Type.String({ description: 'Id of the subscription; null for an invoice created by hand.' })),
  status: Type.Enum(['open', 'paid', 'uncollectible', 'void']),
  created_at: Time('Time of creation.'),
  due_at: nullable(Time('Due date of the invoice.')),
  paid_at: nullable(Time('Time of the payment.')),
  currency: Type.String(),
  ...mainAmount('total', 'Total in minor units, including tax, before credit and balance.'),
  ...furtherAmount('credit_applied', 'Part of the total that credit grants pay.'),
  ...furtherAmount(
    'balance_applied',
    'Part of the total that the balance of the customer pays. Negative: the invoice gives balance, or asks what the customer owed.',
  ),
  ...furtherAmount(
    'amount_due',
    'Amount that the invoice asks: `total` minus `credit_applied` minus `balance_applied`.',
  ),
  ...furtherAmount('amount_paid', 'Amount paid.'),
  ...furtherAmount('amount_remaining', 'Amount that is still owed.'),
  ...furtherAmount('amount_refunded', 'Amount refunded.'),
  attempt_count: Count('Number of payment attempts.'),
  next_attempt_at: nullable(Time('Time of the next payment attempt.')),
  url: nullable(Type.String({ description: 'Page on which the customer can see and pay the invoice.' })),
  lines: Type.Array(TenantInvoiceLine),
})
export type TenantInvoice = Inside<typeof TenantInvoice>

export const TenantInvoices = shape('TenantInvoices', {
  ...mirrored,
  invoices: Type.Array(TenantInvoice),
  pagination: Pagination,
})

const Decimal = (description: string) =>
  nullable(
    Type.String({ pattern: String.raw`^-?\d+(\.\d+)?$`, description: `${description} In units of the currency.` }),
  )
/** Row of the invoice export. Its members are the columns of the CSV, in this order. */
export const ExportRow = shape('ExportRow', {
  date: Day('Day (UTC) on which the document was finalized or created.'),
  type: Type.Enum(['invoice', 'credit_note', 'refund', 'payment'], {
    description: '`payment`: a paid checkout of one-time prices, for which the processor made no invoice.',
  }),
  id: Type.String({ description: 'Id at the processor; of a payment, the id of its payment intent.' }),
  number: nullable(Type.String()),
  tenant_id: nullable(Type.String()),
  customer: nullable(Type.String()),
  currency: Type.String(),
  subtotal: Decimal('Sum of the lines before discounts and before the tax that is added to them.'),
  discount: Decimal('Discounts.'),
  tax: Decimal('Tax that is added to the lines.'),
  total: Decimal(
    'For a refund, the refunded amount. Otherwise `subtotal` − `discount` + `tax`: what is asked before credit and balance.',
  ),
  amount_paid: Decimal('Amount that was paid so far, also outside of the processor.'),
  amount_refunded: Decimal('Amount that was refunded so far.'),
  status: Type.String({ description: 'Value of the processor, unchanged; `paid` for a payment.' }),
  tax_included: Decimal('Tax that the amounts of the lines contain. It is part of `subtotal`.'),
  credit_applied: Decimal('Part of the total that credit grants pay.'),
  balance_applied: Decimal(
    'Part of the total that the balance of the customer pays. Negative: the invoice gives balance, or asks what the customer owed.',
  ),
  amount_due: Decimal(
    'Amount that the invoice asks: `total` − `credit_applied` − `balance_applied`. Credit notes have rows of their own.',
  ),
})
export type ExportRow = Inside<typeof ExportRow>

export const InvoiceExport = shape('InvoiceExport', { ...mirrored, rows: Type.Array(ExportRow) })

const path = '/api/v1/billing/admin'
const all = { access: 'service_key', scope: 'read', method: 'GET' } as const

export const invoiceOperations = operations({
  listTenantInvoices: {
    ...all,
    tag: 'Tenants',
    path: `${path}/tenants/:id/invoices`,
    summary: 'List the finalized invoices and the one-time payments of a tenant, newest first',
    description: 'Includes outstanding and refunded amounts. Read from the mirror, without a call to the processor.',
    params: idParams,
    query: pageQuery,
    answers: { 200: { description: 'A page of invoices.', schema: TenantInvoices } },
    errors: ['tenant_not_found', ...mirrorErrors],
  },
  exportInvoices: {
    ...all,
    tag: 'Money',
    path: `${path}/invoices/export`,
    summary: 'Export all finalized invoices, one-time payments, credit notes and refunds of a period',
    description:
      'Streams one row per line, oldest first. In CSV, the first line has the column names, and the header `X-Ratecard-As-Of` contains `as_of`.',
    query: {
      from: DayAsked('First day. Default: the day of the oldest row.'),
      to: DayAsked('Last day (inclusive). Default: today.'),
      format: Type.Enum(['csv', 'json'], { default: 'csv', description: 'Format of the response.' }),
    },
    answers: {
      200: {
        description: 'The rows. With `format=csv` as `text/csv`.',
        schema: InvoiceExport,
        textType: 'text/csv',
        headers: { 'X-Ratecard-As-Of': { type: 'string', description: 'Same value as `as_of` in JSON.' } },
      },
    },
    errors: [...mirrorErrors],
  },
})

export const exportColumns = Object.keys(ExportRow.properties) as readonly (keyof typeof ExportRow.properties)[]

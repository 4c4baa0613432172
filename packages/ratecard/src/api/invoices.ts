// Operations on invoices of tenants, and the export of all invoices for accounting.
import { Type } from 'typebox'
import { Pagination } from './notation/common.ts'
import { Day, DayAsked, further, leading, mirrored } from './notation/mirrored.ts'
import { mirrorErrors } from './money.ts'
import { idParams, operations, pageQuery } from './notation/operation.ts'
import { Count, nullable, shape, Time } from './notation/schema.ts'

export const TenantInvoiceLine = shape('TenantInvoiceLine', {
  description: nullable(Type.String()),
  price_id: nullable(Type.String({ description: 'Config id; null when the price is not in the config.' })),
  processor_price_id: nullable(Type.String()),
  quantity: nullable(Type.Integer()),
  ...leading('amount', 'Minor units, a decimal as text.'),
  proration: Type.Boolean({ description: 'A part of a period, charged or credited because something changed.' }),
  period_start: Time('Begin of the period that the line bills.'),
  period_end: Time('Its end.'),
})
export const TenantInvoice = shape('TenantInvoice', {
  id: Type.String(),
  number: nullable(Type.String()),
  subscription: nullable(Type.String({ description: 'null for an invoice created by hand.' })),
  status: Type.Enum(['open', 'paid', 'uncollectible', 'void']),
  created_at: Time('Time of creation.'),
  due_at: nullable(Time('When it has to be paid.')),
  paid_at: nullable(Time('When it was paid.')),
  currency: Type.String(),
  ...leading('total', 'Minor units, with tax.'),
  ...further('amount_due', 'Amount due when the invoice was created: the total less credit.'),
  ...further('amount_paid', 'Amount paid.'),
  ...further('amount_remaining', 'Amount still owed.'),
  ...further('amount_refunded', 'Amount refunded.'),
  attempt_count: Count('How often a payment was tried.'),
  next_attempt_at: nullable(Time('When the payment is tried again.')),
  url: nullable(Type.String({ description: 'Page where the customer sees and pays it.' })),
  lines: Type.Array(TenantInvoiceLine),
})
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
  date: Day('When it was finalized or made, UTC.'),
  type: Type.Enum(['invoice', 'credit_note', 'refund']),
  id: Type.String({ description: 'At the processor.' }),
  number: nullable(Type.String()),
  tenant_id: nullable(Type.String()),
  customer: nullable(Type.String()),
  currency: Type.String(),
  subtotal: Decimal('Before discount and tax.'),
  discount: Decimal('Discounts.'),
  tax: Decimal('Tax.'),
  total: Decimal('With tax; of a refund its amount.'),
  amount_paid: Decimal('Paid so far.'),
  amount_refunded: Decimal('Refunded so far.'),
  status: Type.String({ description: 'The processor’s word.' }),
})
export const InvoiceExport = shape('InvoiceExport', { ...mirrored, rows: Type.Array(ExportRow) })

const path = '/api/v1/billing/admin'
const all = { access: 'service_key', scope: 'read', method: 'GET' } as const

export const invoiceOperations = operations({
  listTenantInvoices: {
    ...all,
    tag: 'Tenants',
    path: `${path}/tenants/:id/invoices`,
    summary: 'Finalized invoices of a tenant, newest first',
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
    summary: 'All finalized invoices, credit notes and refunds of a period',
    description:
      'Streamed, oldest first, a row a line. CSV has the column names in the first line, and `as_of` in the header `X-Ratecard-As-Of`.',
    query: {
      from: DayAsked('First day; the oldest row when absent.'),
      to: DayAsked('Last day, included; today when absent.'),
      format: Type.Enum(['csv', 'json'], { default: 'csv', description: 'Format of the response.' }),
    },
    answers: {
      200: {
        description: 'The rows. With `format=csv` as `text/csv`.',
        schema: InvoiceExport,
        textType: 'text/csv',
        headers: { 'X-Ratecard-As-Of': { type: 'string', description: 'As `as_of` of the JSON form.' } },
      },
    },
    errors: [...mirrorErrors],
  },
})

export const exportColumns = Object.keys(ExportRow.properties) as readonly (keyof typeof ExportRow.properties)[]

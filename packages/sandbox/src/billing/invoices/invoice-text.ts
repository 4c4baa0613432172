// Invoice texts (custom fields, description, footer) of a subscription, a phase or a schedule.
import type { InvoiceTextBody } from '../../objects/customer-bodies.ts'
import { emptyable, list, oneOf, required, shape, text, type Read } from '../../protocol/parameters/params.ts'

export const customFieldsParam = emptyable(
  list(shape({ name: required(text({ max: 40 })), value: required(text({ max: 140 })) }), { max: 4 }),
)

export const invoiceTextFields = {
  custom_fields: customFieldsParam,
  description: emptyable(text({ max: 500 })),
  footer: emptyable(text()),
  issuer: shape({ type: required(oneOf('self')) }),
}
type InvoiceTextParams = Partial<Read<typeof invoiceTextFields>>

export const noInvoiceText: InvoiceTextBody = {
  account_tax_ids: null,
  custom_fields: null,
  description: null,
  footer: null,
  issuer: { type: 'self' },
}

export function invoiceTextAfter(before: InvoiceTextBody, given: InvoiceTextParams | undefined): InvoiceTextBody {
  if (given === undefined) return before
  const { custom_fields: fields, description, footer } = given
  return {
    ...before,
    custom_fields: fields === undefined ? before.custom_fields : fields && [...fields],
    description: description === undefined ? before.description : description,
    footer: footer === undefined ? before.footer : footer,
  }
}

// Schema of tax rates, and of the taxes that are collected in sales.
import { Type } from 'typebox'
import { closed, Id, Metadata, PreviousIds, ProcessorId } from './fields.ts'

/** Pattern of a tax percentage: 0 to 100 with at most 4 decimals, which is what the processor keeps. */
const taxPercentagePattern = '^(\\d{1,2}(\\.\\d{1,4})?|100(\\.0{1,4})?)$'

/** Tax types of the processor. A tax rate of another type is pulled without its type. */
export const taxTypes = [
  'admissions_tax',
  'amusement_tax',
  'attendance_tax',
  'communications_tax',
  'digital_excise_tax',
  'entertainment_tax',
  'get_fund',
  'gross_receipts_tax',
  'gst',
  'hospitality_tax',
  'hst',
  'igst',
  'jct',
  'lease_tax',
  'luxury_tax',
  'mass_transit_parking_tax',
  'nhil',
  'parking_tax',
  'pst',
  'qst',
  'resort_tax',
  'retail_delivery_fee',
  'rst',
  'sales_tax',
  'service_tax',
  'tourism_tax',
  'utility_users_tax',
  'vat',
] as const

/** Maximum number of tax rates of one sale. The processor takes up to five tax rates for each line of an invoice. */
const maxRates = 5

const fixedOnceSet = 'If it is removed, a new tax rate replaces this one, because the processor cannot remove it.'

export const TaxRate = Type.Object(
  {
    id: Id('Your id of the tax rate.', 'vat_de'),
    display_name: Type.String({
      minLength: 1,
      maxLength: 50,
      description: 'Name on invoices and in the checkout.',
      examples: ['VAT'],
    }),
    percentage: Type.Union(
      [Type.String({ pattern: taxPercentagePattern }), Type.Number({ minimum: 0, maximum: 100 })],
      {
        description:
          'Per cent, 0 to 100 with up to 4 decimals, as text or as a number. If it is changed, a new tax rate replaces this one, and running subscriptions keep the old rate.',
        examples: ['19', '8.875'],
      },
    ),
    inclusive: Type.Boolean({
      description:
        'true: the tax is included in the amount. false: it is added to the amount. If it is changed, a new tax rate replaces this one, and running subscriptions keep the old rate.',
    }),
    country: Type.Optional(
      Type.String({
        pattern: '^[A-Z]{2}$',
        description: `Two-letter country code. ${fixedOnceSet}`,
        examples: ['DE'],
      }),
    ),
    state: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 50,
        description: `State, province or region, without the country, e.g. \`NY\`. ${fixedOnceSet}`,
        examples: ['NY'],
      }),
    ),
    jurisdiction: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 50,
        description: `Jurisdiction, as the customer’s invoice shows it. ${fixedOnceSet}`,
        examples: ['Germany'],
      }),
    ),
    description: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 5000,
        description: `Note for yourself. Customers do not see it. ${fixedOnceSet}`,
        examples: ['Standard rate since 2007'],
      }),
    ),
    tax_type: Type.Optional(
      Type.Enum(taxTypes, { description: `Type of the tax, for reports. ${fixedOnceSet}`, examples: ['vat'] }),
    ),
    active: Type.Optional(
      Type.Boolean({
        description: 'If false, new sales cannot use the tax rate, and running subscriptions keep it. Default: true.',
      }),
    ),
    metadata: Type.Optional(Metadata),
    previous_ids: Type.Optional(PreviousIds),
    processor_id: Type.Optional(ProcessorId),
  },
  { ...closed, description: 'A tax rate that sales name in `tax`.' },
)

export const Tax = Type.Object(
  {
    automatic: Type.Optional(
      Type.Literal(true, {
        description:
          'The processor computes the tax of each sale from the customer’s location. Not together with `rates`.',
      }),
    ),
    collect_tax_ids: Type.Optional(
      Type.Literal(true, { description: 'The checkout asks business customers for their tax id.' }),
    ),
    rates: Type.Optional(
      Type.Array(Id('Id of a tax rate.', 'vat_de'), {
        minItems: 1,
        maxItems: maxRates,
        description: `Ids of up to ${String(maxRates)} active tax rates of each sale.`,
        examples: [['vat_de']],
      }),
    ),
  },
  {
    ...closed,
    description:
      'Taxes of every checkout and subscription that the service creates. A running subscription keeps the taxes with which it was sold.',
  },
)

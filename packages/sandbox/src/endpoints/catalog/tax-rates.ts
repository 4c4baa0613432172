import type { TaxRateBody } from '../../objects/bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { newId } from '../../protocol/ids.ts'
import { applyMetadata, changed, metadata } from '../../protocol/parameters/metadata.ts'
import { listing, post, retrieve, type Operation } from '../../protocol/operation.ts'
import { boolean, emptyable, number, oneOf, range, required, text } from '../../protocol/parameters/params.ts'

const taxType = oneOf(
  ...([
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
  ] as const),
)

const sharedFields = {
  active: boolean(),
  country: text({ max: 2 }),
  description: text(),
  jurisdiction: text({ max: 50 }),
  metadata: metadata(),
  state: text(),
  tax_type: taxType,
}

const createFields = {
  ...sharedFields,
  display_name: required(text({ max: 50 })),
  inclusive: required(boolean()),
  percentage: required(number({ min: 0, max: 100 })),
}

const updateFields = { ...sharedFields, country: emptyable(text({ max: 2 })), display_name: text({ max: 50 }) }

function create(call: OperationContext): TaxRateBody {
  const params = call.read(createFields)
  const body: TaxRateBody = {
    id: newId('txr_1', 23),
    object: 'tax_rate',
    active: params.active ?? true,
    country: params.country ?? null,
    created: call.now,
    description: params.description ?? null,
    display_name: params.display_name,
    effective_percentage: params.percentage,
    inclusive: params.inclusive,
    jurisdiction: params.jurisdiction ?? null,
    metadata: applyMetadata({}, params.metadata),
    percentage: params.percentage,
    state: params.state ?? null,
    tax_type: params.tax_type ?? null,
  }
  return call.create(body, 'tax_rate.created')
}

function update(call: OperationContext): TaxRateBody {
  const before = call.subject('tax_rate')
  return call.update(before, changed(before, call.read(updateFields)), 'tax_rate.updated')
}

const base = '/v1/tax_rates'

export const taxRates: readonly Operation[] = [
  post(base, 'tax_rate', create),
  listing(base, 'tax_rate', { active: boolean(), created: range(), inclusive: boolean() }),
  retrieve(`${base}/:id`, 'tax_rate'),
  post(`${base}/:id`, 'tax_rate', update),
]

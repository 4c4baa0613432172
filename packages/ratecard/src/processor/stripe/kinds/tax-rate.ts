import type { Stripe } from 'stripe'
import { taxTypes } from '../../../document/schema/tax-schema.ts'
import { processorId, type ObservedResource } from '../../../catalog/resource.ts'
import { canonicalDecimal } from '../../../base/money/decimal.ts'
import { changeParams, creationParams, readFields, updatableFields, type Translations } from './field-translation.ts'
import { updatableField, changeableText, immutableField } from './same-member.ts'
import { known, ordinary, reasonsIn, unlessNull, type CreateOf, type KindAdapter, type UpdateOf } from './kind.ts'
import { unmanagedMembers } from './members.ts'
import { metadataChange, newMetadata, splitMetadata } from './metadata.ts'

const translations: Translations<'tax_rate', Stripe.TaxRate, Stripe.TaxRateCreateParams, Stripe.TaxRateUpdateParams> = {
  displayName: updatableField('display_name'),
  percentage: {
    read: (rate) => canonicalDecimal(rate.percentage),
    create: (percentage) => ({ percentage: Number(percentage) }),
  },
  inclusive: immutableField('inclusive'),
  country: changeableText('country'),
  state: changeableText('state'),
  jurisdiction: changeableText('jurisdiction'),
  description: changeableText('description'),
  taxType: {
    read: (rate) => known(taxTypes, rate.tax_type),
    create: (type) => unlessNull('tax_type', type),
    update: (type) => unlessNull('tax_type', type),
  },
  active: updatableField('active'),
}

export function taxRateAdapter(rates: Stripe['taxRates']): KindAdapter<'tax_rate', Stripe.TaxRate> {
  const change = (id: string, params: Stripe.TaxRateUpdateParams) => ({
    operation: 'POST /v1/tax_rates/:id',
    send: (options: Stripe.RequestOptions) => rates.update(id, params, options),
  })
  const list = (filter: Stripe.TaxRateListParams) => ({
    operation: 'GET /v1/tax_rates',
    page: (paging: Stripe.PaginationParams, options: Stripe.RequestOptions) =>
      rates.list({ ...filter, ...paging }, options),
  })
  return {
    kind: 'tax_rate',
    object: 'tax_rate',
    updatable: updatableFields(translations),
    create: (step) => ({
      operation: 'POST /v1/tax_rates',
      send: (options) => rates.create(newTaxRateParams(step), options),
    }),
    update: (step) => change(step.processorId, taxRateChangeParams(step)),
    // An archived rate still applies to the subscriptions and invoices that have it.
    archive: (id) => change(id, { active: false }),
    retrieve: (id) => ({
      operation: 'GET /v1/tax_rates/:id',
      send: (options) => rates.retrieve(id, {}, options),
    }),
    search: (step) => list({ active: step.fields.active, inclusive: step.fields.inclusive }),
    lists: () => [list({})],
    observe: observeTaxRate,
  }
}

export function newTaxRateParams(step: CreateOf<'tax_rate'>): Stripe.TaxRateCreateParams {
  return {
    ...(creationParams(translations, step) as Pick<
      Stripe.TaxRateCreateParams,
      'display_name' | 'percentage' | 'inclusive'
    >),
    metadata: newMetadata(step.configId, step.fields.metadata),
  }
}

export function taxRateChangeParams(step: UpdateOf<'tax_rate'>): Stripe.TaxRateUpdateParams {
  return { ...changeParams(translations, step.set), ...metadataChange(step) }
}

export function observeTaxRate(rate: Stripe.TaxRate): ObservedResource<'tax_rate'> {
  const { author, mark } = splitMetadata(rate.metadata)
  return {
    ...ordinary,
    ...unmanagedMembers('tax_rate', rate),
    kind: 'tax_rate',
    processorId: processorId(rate.id),
    active: rate.active,
    fields: { ...readFields<'tax_rate'>(translations, rate), metadata: author },
    mark,
    created: rate.created,
    unrepresentable: reasonsIn({
      // True for a rate with a fixed amount, because the document can only express a percentage.
      rate_type: rate.rate_type === 'flat_amount',
      tax_type: rate.tax_type !== null && known(taxTypes, rate.tax_type) === null,
    }),
    raw: rate,
  }
}

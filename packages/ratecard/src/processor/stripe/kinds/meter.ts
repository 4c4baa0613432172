import type { Stripe } from 'stripe'
import { processorId, type FieldsOf, type ObservedResource, type ProcessorId } from '../../../catalog/resource.ts'
import { changeParams, creationParams, readFields, updatableFields, type Translations } from './field-translation.ts'
import { updatableField, immutableField } from './same-member.ts'
import { known, ordinary, reasonsIn, unlessNull, type KindAdapter, type UpdateOf } from './kind.ts'
import { unmanagedMembers } from './members.ts'

type Meters = Stripe['billing']['meters']

const translations: Translations<
  'meter',
  Stripe.Billing.Meter,
  Stripe.Billing.MeterCreateParams,
  Stripe.Billing.MeterUpdateParams
> = {
  displayName: updatableField('display_name'),
  eventName: immutableField('event_name'),
  formula: {
    read: (meter) => known(['sum', 'count', 'last'], meter.default_aggregation.formula) ?? 'sum',
    create: (formula) => ({ default_aggregation: { formula } }),
  },
  customerKey: {
    read: (meter) => meter.customer_mapping.event_payload_key,
    create: (key) => ({ customer_mapping: { type: 'by_id', event_payload_key: key } }),
  },
  valueKey: {
    read: (meter) => meter.value_settings.event_payload_key,
    create: (key) => ({ value_settings: { event_payload_key: key } }),
  },
  eventTimeWindow: {
    read: (meter) => known(['hour', 'day'], meter.event_time_window),
    create: (window) => unlessNull('event_time_window', window),
  },
}

export function meterAdapter(meters: Meters): KindAdapter<'meter', Stripe.Billing.Meter> {
  const list = (filter: Stripe.Billing.MeterListParams) => ({
    operation: 'GET /v1/billing/meters',
    page: (paging: Stripe.PaginationParams, options: Stripe.RequestOptions) =>
      meters.list({ ...filter, ...paging }, options),
  })
  return {
    kind: 'meter',
    object: 'billing.meter',
    updatable: updatableFields(translations),
    create: (step) => ({
      operation: 'POST /v1/billing/meters',
      send: (options) => meters.create(newMeterParams(step), options),
    }),
    update: (step) => changeOf(meters, step),
    archive: (id) => ({
      operation: 'POST /v1/billing/meters/:id/deactivate',
      send: (options) => meters.deactivate(id, {}, options),
    }),
    retrieve: (id) => ({
      operation: 'GET /v1/billing/meters/:id',
      send: (options) => meters.retrieve(id, {}, options),
    }),
    search: () => list({ status: 'active' }),
    lists: () => [list({})],
    observe: observeMeter,
  }
}

function changeOf(meters: Meters, step: UpdateOf<'meter'>) {
  const params: Stripe.Billing.MeterUpdateParams = changeParams(translations, step.set)
  if (!step.activate)
    return {
      operation: 'POST /v1/billing/meters/:id',
      send: (options: Stripe.RequestOptions) => meters.update(step.processorId, params, options),
    }
  if (Object.keys(params).length > 0)
    throw new TypeError(`The meter ${step.configId} is reactivated by a call of its own.`)
  return {
    operation: 'POST /v1/billing/meters/:id/reactivate',
    send: (options: Stripe.RequestOptions) => meters.reactivate(step.processorId, {}, options),
  }
}

export function newMeterParams(step: { readonly fields: FieldsOf<'meter', ProcessorId> }) {
  return creationParams(translations, step) as Stripe.Billing.MeterCreateParams
}

export function observeMeter(meter: Stripe.Billing.Meter): ObservedResource<'meter'> {
  return {
    ...ordinary,
    ...unmanagedMembers('meter', meter),
    kind: 'meter',
    processorId: processorId(meter.id),
    active: meter.status === 'active',
    fields: readFields<'meter'>(translations, meter),
    // Meters have no metadata and so no ownership mark. Only the mapping in the store shows which meters Ratecard owns.
    mark: null,
    created: meter.created,
    unrepresentable: reasonsIn({
      'default_aggregation.formula': known(['sum', 'count', 'last'], meter.default_aggregation.formula) === null,
      'customer_mapping.type': known(['by_id'], meter.customer_mapping.type) === null,
      event_time_window:
        (meter.event_time_window ?? null) !== null && known(['hour', 'day'], meter.event_time_window) === null,
    }),
    raw: meter,
  }
}

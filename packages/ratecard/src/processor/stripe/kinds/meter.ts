import type { Stripe } from 'stripe'
import { processorId } from '../../../catalog/resource.ts'
import type { MeterFields, ObservedResource } from '../../../catalog/resource.ts'
import { known, reasons } from './kind.ts'
import type { KindAdapter, UpdateOf } from './kind.ts'

type Meters = Stripe['billing']['meters']

export function meterAdapter(meters: Meters): KindAdapter<'meter', Stripe.Billing.Meter> {
  const list = (filter: Stripe.Billing.MeterListParams) => ({
    operation: 'GET /v1/billing/meters',
    page: (paging: Stripe.PaginationParams, options: Stripe.RequestOptions) =>
      meters.list({ ...filter, ...paging }, options),
  })
  return {
    kind: 'meter',
    object: 'billing.meter',
    updatable: ['displayName'],
    create: (step) => ({
      operation: 'POST /v1/billing/meters',
      send: (options) => meters.create(newMeterParams(step.fields), options),
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
  const { displayName } = step.set
  if (!step.activate)
    return {
      operation: 'POST /v1/billing/meters/:id',
      send: (options: Stripe.RequestOptions) =>
        meters.update(step.processorId, displayName === undefined ? {} : { display_name: displayName }, options),
    }
  if (displayName !== undefined) throw new TypeError(`The meter ${step.configId} is reactivated by a call of its own.`)
  return {
    operation: 'POST /v1/billing/meters/:id/reactivate',
    send: (options: Stripe.RequestOptions) => meters.reactivate(step.processorId, {}, options),
  }
}

export function newMeterParams(fields: MeterFields): Stripe.Billing.MeterCreateParams {
  return {
    display_name: fields.displayName,
    event_name: fields.eventName,
    default_aggregation: { formula: fields.formula },
    customer_mapping: { type: 'by_id', event_payload_key: fields.customerKey },
    value_settings: { event_payload_key: fields.valueKey },
  }
}

export function observeMeter(meter: Stripe.Billing.Meter): ObservedResource<'meter'> {
  const formula = known(['sum', 'count', 'last'], meter.default_aggregation.formula)
  return {
    kind: 'meter',
    processorId: processorId(meter.id),
    active: meter.status === 'active',
    fields: {
      displayName: meter.display_name,
      eventName: meter.event_name,
      formula: formula ?? 'sum',
      customerKey: meter.customer_mapping.event_payload_key,
      valueKey: meter.value_settings.event_payload_key,
    },
    // Meters have no metadata: only the mapping knows whose they are.
    mark: null,
    created: meter.created,
    lookupKey: null,
    redeemed: 0,
    carried: 0,
    spent: false,
    unrepresentable: reasons({
      'default_aggregation.formula': formula === null,
      'customer_mapping.type': known(['by_id'], meter.customer_mapping.type) === null,
      event_time_window: meter.event_time_window !== null,
    }),
    raw: meter,
  }
}

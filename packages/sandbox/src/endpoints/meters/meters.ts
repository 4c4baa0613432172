import type { MeterBody } from '../../objects/bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { badRequest } from '../../protocol/responses/errors.ts'
import { newId } from '../../protocol/ids.ts'
import { listing, post, retrieve, type Operation } from '../../protocol/operation.ts'
import { oneOf, required, shape, text } from '../../protocol/parameters/params.ts'

const createFields = {
  default_aggregation: required(shape({ formula: required(oneOf('count', 'last', 'sum')) })),
  display_name: required(text({ max: 250 })),
  event_name: required(text({ max: 100 })),
  customer_mapping: shape({ event_payload_key: required(text({ max: 100 })), type: required(oneOf('by_id')) }),
  event_time_window: oneOf('day', 'hour'),
  value_settings: shape({ event_payload_key: required(text({ max: 100 })) }),
}

/** Refuses an event name that another active meter uses. Deactivating a meter frees its name. */
function refuseTakenName(call: OperationContext, eventName: string): void {
  const taken = call.select(
    'billing.meter',
    [
      { field: 'event_name', is: eventName },
      { field: 'status', is: 'active' },
    ],
    1,
  )
  if (taken.length === 0) return
  const message = `An active meter already exists for event name '${eventName}'.`
  throw badRequest(
    `${message} To create a new meter with the same event name, first deactivate the currently active meter.`,
  )
}

function create(call: OperationContext): MeterBody {
  const params = call.read(createFields)
  refuseTakenName(call, params.event_name)
  const body: MeterBody = {
    id: newId('mtr_test_61', 30),
    object: 'billing.meter',
    created: call.now,
    customer_mapping: params.customer_mapping ?? { event_payload_key: 'stripe_customer_id', type: 'by_id' },
    default_aggregation: params.default_aggregation,
    display_name: params.display_name,
    event_name: params.event_name,
    event_time_window: params.event_time_window ?? null,
    status: 'active',
    status_transitions: { deactivated_at: null },
    updated: call.now,
    value_settings: params.value_settings ?? { event_payload_key: 'value' },
  }
  return call.create(body, 'billing.meter.created')
}

function update(call: OperationContext): MeterBody {
  const before = call.subject('billing.meter')
  const { display_name: name } = call.read({ display_name: text({ max: 250 }) })
  if (name === undefined || name === before.display_name) return before
  return call.update(before, { ...before, display_name: name, updated: call.now }, 'billing.meter.updated')
}

function setStatus(call: OperationContext, status: MeterBody['status']): MeterBody {
  const before = call.subject('billing.meter')
  call.read({})
  if (before.status === status) return before
  const active = status === 'active'
  if (active) refuseTakenName(call, before.event_name)
  const after = {
    ...before,
    status,
    status_transitions: { deactivated_at: active ? null : call.now },
    updated: call.now,
  }
  return call.update(before, after, active ? 'billing.meter.reactivated' : 'billing.meter.deactivated')
}

const base = '/v1/billing/meters'

export const meters: readonly Operation[] = [
  post(base, 'billing.meter', create),
  listing(base, 'billing.meter', { status: oneOf('active', 'inactive') }),
  retrieve(`${base}/:id`, 'billing.meter'),
  post(`${base}/:id`, 'billing.meter', update),
  post(`${base}/:id/deactivate`, 'billing.meter', (call) => setStatus(call, 'inactive')),
  post(`${base}/:id/reactivate`, 'billing.meter', (call) => setStatus(call, 'active')),
]

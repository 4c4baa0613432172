import { parseTime } from '../../clock.ts'
import { aggregate, preaggregate } from '../../billing/pricing/usage.ts'
import type { MeterBody } from '../../objects/bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import type { MeterEventBody } from '../../objects/customer-bodies.ts'
import { StripeError, badRequest } from '../../protocol/responses/errors.ts'
import { newId } from '../../protocol/ids.ts'
import type { HandlerResult, Operation } from '../../protocol/operation.ts'
import { pageFields } from '../../protocol/responses/list-pages.ts'
import { mapOf, oneOf, required, shape, text, timestamp, type Read } from '../../protocol/parameters/params.ts'
import { timeOf } from '../../billing/subscriptions/subscription-records.ts'

const day = 86_400
const maxAge = 35 * day
const maxLead = 300

const createFields = {
  event_name: required(text({ max: 100 })),
  identifier: text({ max: 100 }),
  payload: required(mapOf(text({ max: 100 }), () => undefined)),
  timestamp: timestamp(),
}

type MeterEventParams = Read<typeof createFields>

function meterOf(call: OperationContext, eventName: string): MeterBody {
  const conditions = [
    { field: 'event_name', is: eventName },
    { field: 'status', is: 'active' },
  ]
  const found = call.select('billing.meter', conditions, 1)[0]
  if (found !== undefined) return found
  throw badRequest(`No active meter found for event name: \`${eventName}\`.`, 'event_name', 'no_meter')
}

function payloadValue(
  payload: ReadonlyMap<string, string>,
  key: string,
  code = 'missing_dimension_payload_keys',
): string {
  const value = payload.get(key)
  if (value !== undefined) return value
  throw badRequest(`Meter event payload is missing the key \`${key}\`.`, 'payload', code)
}

/** Refuses an identifier that was used within the last 24 hours. */
function refuseRepeated(call: OperationContext, identifier: string): void {
  const same = call.select('billing.meter_event', [{ field: 'identifier', is: identifier }], 1)[0]
  if (same === undefined || same.created <= call.now - day) return
  throw badRequest(`An event already exists with identifier ${identifier}.`, 'identifier', 'duplicate_meter_event')
}

/** Maps the codes of errors that are reported later to the codes in the report. All other errors are returned at once. */
const reportCodes: Readonly<Record<string, string>> = {
  meter_event_invalid_value: 'meter_event_invalid_value',
  meter_event_no_customer_defined: 'meter_event_no_customer_defined',
  missing_dimension_payload_keys: 'missing_dimension_payload_keys',
  no_meter: 'no_meter',
  resource_missing: 'meter_event_customer_not_found',
  timestamp_in_future: 'timestamp_in_future',
  timestamp_too_far_in_past: 'timestamp_too_far_in_past',
}

function create(outer: OperationContext): HandlerResult {
  const params = outer.read(createFields)
  if (!outer.server.usageCheckedLater) return record(outer, params)
  return recordOrReport(outer, params)
}

/** Records a streamed meter event. Its errors are reported later. An event with a duplicate identifier is ignored. */
export function recordStreamed(
  call: OperationContext,
  { timestamp: at, ...event }: Omit<MeterEventParams, 'timestamp'> & { readonly timestamp?: string | undefined },
): void {
  const moment = at === undefined ? undefined : Math.floor(parseTime(at) / 1000)
  const params = { ...event, timestamp: moment }
  if (Number.isNaN(moment)) {
    acceptWithReport(
      call,
      { ...params, timestamp: undefined },
      'timestamp_malformed',
      `Invalid timestamp: ${at ?? ''}.`,
    )
    return
  }
  try {
    recordOrReport(call, params)
  } catch (error) {
    if (!(error instanceof StripeError) || error.code !== 'duplicate_meter_event') throw error
  }
}

function recordOrReport(outer: OperationContext, params: MeterEventParams): HandlerResult {
  try {
    return record(outer, params)
  } catch (error) {
    const code = error instanceof StripeError ? reportCodes[error.code ?? ''] : undefined
    if (code === undefined) throw error
    return acceptWithReport(outer, params, code, (error as StripeError).message)
  }
}

/** Accepts a meter event without counting it, and creates an error report about it. */
function acceptWithReport(
  call: OperationContext,
  params: MeterEventParams,
  code: string,
  message: string,
): HandlerResult {
  const named = [{ field: 'event_name', is: params.event_name }]
  const [meter] = call.select('billing.meter', named, 1)
  const identifier = params.identifier ?? newId('', 32)
  const moment = (seconds: number): string => new Date(seconds * 1000).toISOString()
  const data = {
    developer_message_summary: message,
    reason: {
      error_count: 1,
      error_types: [{ code, error_count: 1, sample_errors: [{ error_message: message, request: { identifier } }] }],
    },
    validation_end: moment(call.now + 10),
    validation_start: moment(call.now),
  }
  call.create(
    {
      id: newId('evt_test_', 24),
      object: 'v2.core.event',
      created: moment(call.now),
      data,
      livemode: false,
      related_object:
        meter === undefined || code === 'no_meter'
          ? null
          : { id: meter.id, type: 'billing.meter', url: `/v1/billing/meters/${meter.id}` },
      type: code === 'no_meter' ? 'v1.billing.meter.no_meter_found' : 'v1.billing.meter.error_report_triggered',
    },
    null,
  )
  return {
    unstored: {
      object: 'billing.meter_event',
      created: call.now,
      event_name: params.event_name,
      identifier,
      livemode: false,
      payload: Object.fromEntries(params.payload),
      timestamp: params.timestamp ?? call.now,
    },
  }
}

function record(outer: OperationContext, params: MeterEventParams): HandlerResult {
  const meter = meterOf(outer, params.event_name)
  const customerId = payloadValue(
    params.payload,
    meter.customer_mapping.event_payload_key,
    'meter_event_no_customer_defined',
  )
  const customer = outer.reference('customer', customerId, `payload[${meter.customer_mapping.event_payload_key}]`)
  const call = outer.at(timeOf(outer, customer.test_clock))
  const counted = meter.default_aggregation.formula === 'count'
  const key = meter.value_settings.event_payload_key
  const value = counted ? (params.payload.get(key) ?? '1') : payloadValue(params.payload, key)
  if (!/^-?\d{1,15}(\.\d{1,12})?$/.test(value)) {
    throw badRequest(
      `Invalid value for payload key \`${key}\`: must be a number.`,
      `payload[${key}]`,
      'meter_event_invalid_value',
    )
  }
  const moment = params.timestamp ?? call.now
  const tooFar = 'The event timestamp cannot be more than'
  if (moment < call.now - maxAge)
    throw badRequest(`${tooFar} 35 days in the past.`, 'timestamp', 'timestamp_too_far_in_past')
  if (moment > call.now + maxLead)
    throw badRequest(`${tooFar} 5 minutes in the future.`, 'timestamp', 'timestamp_in_future')
  const identifier = params.identifier ?? newId('', 32)
  refuseRepeated(call, identifier)
  const body: MeterEventBody = {
    id: newId('mtr_evt_', 24),
    object: 'billing.meter_event',
    created: call.now,
    event_name: meter.event_name,
    identifier,
    livemode: false,
    payload: Object.fromEntries(params.payload),
    timestamp: moment,
    _meter: meter.id,
    _customer: customer.id,
    _value: value,
  }
  call.create(body, null)
  const { id: _id, _meter, _customer, _value, ...shown } = body
  return { unstored: shown }
}

const windows = { hour: 3600, day } as const

const summaryFields = {
  ...pageFields,
  customer: required(text()),
  end_time: required(timestamp()),
  start_time: required(timestamp()),
  value_grouping_window: oneOf('day', 'hour'),
}

/**
 * Returns a customer's usage of a meter per window, newest first, without empty windows. Without `value_grouping_window` the result is one
 * sum.
 */
function summaries(call: OperationContext): HandlerResult {
  const meter = call.subject('billing.meter')
  const params = call.read(summaryFields)
  const customer = call.reference('customer', params.customer, 'customer')
  const { start_time: start, end_time: end } = params
  const unit = params.value_grouping_window === undefined ? 60 : windows[params.value_grouping_window]
  for (const [name, moment] of [
    ['start_time', start],
    ['end_time', end],
  ] as const) {
    if (moment % unit !== 0) throw badRequest(`\`${name}\` must align with the boundary of its window.`, name)
  }
  const found = call.select('billing.meter_event', [
    { field: '_meter', is: meter.id },
    { field: '_customer', is: customer.id },
    { field: 'timestamp', op: '>=', value: start },
    { field: 'timestamp', op: '<', value: end },
  ])
  const size = params.value_grouping_window === undefined ? end - start : unit
  const groups = Map.groupBy(found, (event) => Math.floor((event.timestamp - start) / Math.max(1, size)))
  const data = [...groups]
    .sort(([a], [b]) => b - a)
    .map(([index, events]) => ({
      id: `mtrusg_test_60${meter.id.slice(-8)}${customer.id.slice(-8)}${start + index * size}`,
      object: 'billing.meter_event_summary',
      aggregated_value: Number(aggregate(meter.default_aggregation.formula, preaggregate(meter, events))),
      end_time: start + (index + 1) * size,
      livemode: false,
      meter: meter.id,
      start_time: start + index * size,
    }))
  return { unstored: { object: 'list', data, has_more: false, url: `/v1/billing/meters/${meter.id}/event_summaries` } }
}

const adjustmentFields = {
  cancel: required(shape({ identifier: required(text({ max: 100 })) })),
  event_name: required(text({ max: 100 })),
  type: required(oneOf('cancel')),
}

/** Cancels a meter event within 24 hours of its receipt. Source: docs.stripe.com/api/billing/meter-event-adjustment. */
function adjust(call: OperationContext): HandlerResult {
  const { cancel, event_name: eventName, type } = call.read(adjustmentFields)
  const conditions = [
    { field: 'identifier', is: cancel.identifier },
    { field: 'event_name', is: eventName },
  ]
  const found = call.select('billing.meter_event', conditions, 1)[0]
  if (found === undefined) {
    const message = `No meter event \`${eventName}\` found with identifier ${cancel.identifier}.`
    throw badRequest(message, 'cancel[identifier]', 'resource_missing')
  }
  const clock = call.find('customer', found._customer)?.test_clock ?? null
  if (found.created <= timeOf(call, clock) - day) {
    const message = 'A meter event can only be cancelled within 24 hours of its being received.'
    throw badRequest(message, 'cancel[identifier]')
  }
  call.remove(found, null)
  return {
    unstored: {
      object: 'billing.meter_event_adjustment',
      cancel: { identifier: cancel.identifier },
      event_name: eventName,
      livemode: false,
      status: 'pending',
      type,
    },
  }
}

export const meterEvents: readonly Operation[] = [
  { method: 'POST', path: '/v1/billing/meter_event_adjustments', of: null, run: adjust },
  { method: 'POST', path: '/v1/billing/meter_events', of: null, run: create },
  { method: 'GET', path: '/v1/billing/meters/:id/event_summaries', of: null, run: summaries },
]

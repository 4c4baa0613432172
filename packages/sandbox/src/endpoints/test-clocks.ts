import { cancelAllOf } from '../billing/subscriptions/cancel.ts'
import { addIntervals } from '../billing/pricing/billing-intervals.ts'
import { catchUp } from '../billing/catch-up.ts'
import { isEnded, priceOf, intervalOf, emitExpiryWarnings } from '../billing/subscriptions/subscription-records.ts'
import type { OperationContext } from '../protocol/operation-context.ts'
import type { TestClockBody } from '../objects/customer-bodies.ts'
import { badRequest } from '../protocol/responses/errors.ts'
import { newId } from '../protocol/ids.ts'
import { deletion, listing, post, retrieve, type Operation } from '../protocol/operation.ts'
import { required, text, timestamp } from '../protocol/parameters/params.ts'

const lifetime = 30 * 86_400
const twoYears = 2 * 366 * 86_400

function create(call: OperationContext): TestClockBody {
  const params = call.read({ frozen_time: required(timestamp()), name: text({ max: 300 }) })
  const body: TestClockBody = {
    id: newId('clock_1', 23),
    object: 'test_helpers.test_clock',
    created: call.now,
    deletes_after: call.now + lifetime,
    frozen_time: params.frozen_time,
    name: params.name ?? null,
    status: 'ready',
    status_details: {},
  }
  return call.create(body, 'test_helpers.test_clock.created')
}

/**
 * Advances the test clock. All due actions are executed before the response. As in the real API, the response has the status `advancing`,
 * and callers poll until the status is `ready`.
 */
function advance(call: OperationContext): TestClockBody {
  const clock = call.subject('test_helpers.test_clock')
  const { frozen_time: time } = call.read({ frozen_time: required(timestamp()) })
  if (time <= clock.frozen_time) {
    throw badRequest('The frozen time must be after the current frozen time of the clock.', 'frozen_time')
  }
  refuseTooFar(call, clock, time)
  const details = { advancing: { target_frozen_time: time } }
  const moving: TestClockBody = { ...clock, status: 'advancing', status_details: details }
  call.emit('test_helpers.test_clock.advancing', moving)
  const then = call.withoutRequest(time)
  catchUp(then, clock.id)
  emitExpiryWarnings(then, clock.id)
  call.update(clock, { ...clock, frozen_time: time }, null)
  call.emit('test_helpers.test_clock.ready', { ...clock, frozen_time: time })
  return moving
}

/**
 * Refuses to advance a test clock by more than two intervals of its shortest subscription (e.g. two months), or two years if it has no
 * subscriptions. Source: the SDK's documentation of `frozen_time`.
 */
function refuseTooFar(call: OperationContext, clock: TestClockBody, time: number): void {
  const steps = call
    .select('subscription', [{ field: 'test_clock', is: clock.id }])
    .filter((subscription) => !isEnded(subscription))
    .flatMap((subscription) => subscription.items.data.map((item) => intervalOf(priceOf(call, item))))
  const latest = Math.min(
    ...steps.map((step) => addIntervals(clock.frozen_time, step, 2)),
    steps.length === 0 ? clock.frozen_time + twoYears : Infinity,
  )
  if (time <= latest) return
  const most =
    steps.length === 0
      ? 'two years from the current frozen time'
      : 'two intervals of the shortest subscription on this test clock from the current frozen time'
  throw badRequest(`The frozen time cannot be more than ${most}: \`${latest}\` at most.`, 'frozen_time')
}

/** Deletes the test clock and its customers. */
function remove(call: OperationContext): void {
  call.read({})
  const clock = call.subject('test_helpers.test_clock')
  const then = call.at(clock.frozen_time)
  for (const customer of call.select('customer', [{ field: 'test_clock', is: clock.id }])) {
    cancelAllOf(then, customer.id)
    then.remove(customer, 'customer.deleted')
  }
  call.remove(clock, 'test_helpers.test_clock.deleted')
}

const base = '/v1/test_helpers/test_clocks'
const of = 'test_helpers.test_clock'

export const testClocks: readonly Operation[] = [
  post(base, of, create),
  listing(base, of, {}),
  retrieve(`${base}/:id`, of),
  post(`${base}/:id/advance`, of, advance),
  deletion(`${base}/:id`, of, remove),
]

import type { OperationContext } from '../../protocol/operation-context.ts'
import type { Condition } from '../../store/conditions.ts'
import type { HandlerResult } from '../../protocol/operation.ts'
import { createdIn, pageFields, where } from '../../protocol/responses/list-pages.ts'
import { oneOf, range, text } from '../../protocol/parameters/params.ts'
import type { Read } from '../../protocol/parameters/params.ts'

const statuses = ['active', 'canceled', 'incomplete', 'incomplete_expired', 'past_due', 'paused', 'trialing'] as const

const listFields = {
  ...pageFields,
  collection_method: oneOf('charge_automatically', 'send_invoice'),
  created: range(),
  customer: text(),
  price: text(),
  status: oneOf('all', 'ended', 'paused', 'unpaid', ...statuses),
  test_clock: text(),
}

/** One page of the list of subscriptions. */
export function page(call: OperationContext): HandlerResult {
  const params = call.read(listFields)
  if (params.customer !== undefined && call.findDeleted('customer', params.customer) === undefined)
    call.reference('customer', params.customer, 'customer')
  if (params.price !== undefined) call.reference('price', params.price, 'price')
  const conditions = [
    ...where('customer', params.customer),
    ...withStatus(params.status),
    ...where('collection_method', params.collection_method),
    // Subscriptions on test clocks are listed only if a clock or a customer is named (the SDK's types, `test_clock`).
    ...(params.test_clock === undefined && params.customer === undefined
      ? [{ field: 'test_clock', is: null }]
      : where('test_clock', params.test_clock)),
    ...createdIn(params.created),
    ...(params.price === undefined ? [] : [{ field: 'items.data', each: 'price', is: params.price }]),
  ]
  return { page: call.page('subscription', params, conditions) }
}

/** Default: all but canceled subscriptions. */
function withStatus(status: Read<typeof listFields>['status']): Condition[] {
  if (status === 'all') return []
  if (status === 'ended') return [{ field: 'status', in: ['canceled', 'incomplete_expired'] }]
  if (status !== undefined) return [{ field: 'status', is: status }]
  return [{ field: 'status', in: statuses.filter((one) => one !== 'canceled') }]
}

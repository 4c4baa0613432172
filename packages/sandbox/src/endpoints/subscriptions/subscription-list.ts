import type { Condition } from '../../store/conditions.ts'
import { listing } from '../../protocol/operation.ts'
import { where } from '../../protocol/responses/list-pages.ts'
import { oneOf, range, text } from '../../protocol/parameters/params.ts'

const statuses = ['active', 'canceled', 'incomplete', 'incomplete_expired', 'past_due', 'paused', 'trialing'] as const
const statusFilter = oneOf('all', 'ended', 'paused', 'unpaid', ...statuses)

const filters = {
  collection_method: oneOf('charge_automatically', 'send_invoice'),
  created: range(),
  customer: text(),
  test_clock: text(),
}

export const subscriptionList = listing(
  '/v1/subscriptions',
  'subscription',
  filters,
  { price: text(), status: statusFilter },
  ({ customer, price, status, test_clock: clock }, call) => {
    if (customer !== undefined && call.findDeleted('customer', customer) === undefined)
      call.reference('customer', customer, 'customer')
    if (price !== undefined) call.reference('price', price, 'price')
    return [
      ...withStatus(status),
      // Subscriptions on a test clock are listed only if the request names a clock or a customer. Source: the SDK's documentation of
      // `test_clock`.
      ...(clock === undefined && customer === undefined ? [{ field: 'test_clock', is: null }] : []),
      ...(price === undefined ? [] : [{ field: 'items.data', each: 'price', is: price }]),
    ]
  },
)

/** Returns the conditions for the parameter `status`. Default: all subscriptions except canceled ones. */
function withStatus(status: string | undefined): Condition[] {
  if (status === 'all') return []
  if (status === 'ended') return [{ field: 'status', in: ['canceled', 'incomplete_expired'] }]
  if (status !== undefined) return where('status', status)
  return [{ field: 'status', in: statuses.filter((one) => one !== 'canceled') }]
}

// Balance transactions: what charges and refunds add to and take from the account's balance. The sandbox takes no fees.
import type { BalanceTransactionBody } from '../../objects/session-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { newId } from '../../protocol/ids.ts'
import { day } from '../subscriptions/subscription-records.ts'

/** Seconds until the money of a charge is available: 2 days. */
const settlementTime = 2 * day

interface Movement {
  /** Minor units; negative for a refund. */
  readonly amount: number
  readonly currency: string
  readonly description: string | null
  /** Id of the charge or refund. */
  readonly source: string
  readonly type: BalanceTransactionBody['type']
}

/** Records a movement of the balance and returns its id. */
export function recordMovement(call: OperationContext, movement: Movement): string {
  const { amount, type } = movement
  const body: BalanceTransactionBody = {
    id: newId('txn_3', 23),
    object: 'balance_transaction',
    ...movement,
    available_on: type === 'refund' ? call.now : call.now + settlementTime,
    created: call.now,
    net: amount,
    reporting_category: type === 'refund' ? 'refund' : 'charge',
  }
  return call.create(body, null).id
}

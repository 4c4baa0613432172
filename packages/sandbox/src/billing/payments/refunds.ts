// Refunds of a charge, in full or in part.
import { formatMinor } from '../../money/format.ts'
import type { ChargeBody, RefundBody } from '../../objects/session-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { recordMovement } from './balance-transactions.ts'
import { notSupported, badRequest } from '../../protocol/responses/errors.ts'
import { newId } from '../../protocol/ids.ts'
import type { Metadata } from '../../protocol/parameters/metadata.ts'

interface NewRefund {
  /** Amount to refund in minor units. Default: the amount of the charge that is not refunded yet. */
  readonly amount?: number | undefined
  readonly reason?: RefundBody['reason'] | undefined
  readonly metadata: Metadata
}

/** Refunds a charge. Refuses an amount above what is not refunded yet. The invoice that the charge paid stays paid. */
export function createRefund(call: OperationContext, charge: ChargeBody, params: NewRefund): RefundBody {
  if (charge.status !== 'succeeded')
    throw badRequest(
      `Charge ${charge.id} was not successful and cannot be refunded.`,
      'charge',
      'charge_not_refundable',
    )
  if (charge.refunded)
    throw badRequest(`Charge ${charge.id} has already been refunded.`, undefined, 'charge_already_refunded')
  if (charge.payment_method_details['type'] !== 'card') throw notSupported('refunds of bank debits')
  const left = charge.amount_captured - charge.amount_refunded
  const amount = params.amount ?? left
  if (amount > left) {
    const money = (minor: number): string => formatMinor(minor, charge.currency)
    const of = charge.amount_refunded === 0 ? 'charge amount' : 'unrefunded amount on charge'
    throw badRequest(`Refund amount (${money(amount)}) is greater than ${of} (${money(left)})`, 'amount')
  }
  const id = newId('re_3', 23)
  const { currency, description } = charge
  const made = call.create<RefundBody>(
    {
      id,
      object: 'refund',
      amount,
      balance_transaction: recordMovement(call, { amount: -amount, currency, description, source: id, type: 'refund' }),
      charge: charge.id,
      created: call.now,
      currency: charge.currency,
      customer: charge.customer,
      metadata: params.metadata,
      payment_intent: charge.payment_intent,
      payment_method: charge.payment_method,
      reason: params.reason ?? null,
    },
    'refund.created',
  )
  const given = charge.amount_refunded + amount
  call.update(
    charge,
    { ...charge, amount_refunded: given, refunded: given === charge.amount_captured },
    'charge.refunded',
  )
  return made
}

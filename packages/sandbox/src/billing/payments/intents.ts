// The members that new payment intents and new setup intents share.
import type { AutomaticMethodsBody, IntentBody } from '../../objects/session-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { newId } from '../../protocol/ids.ts'
import type { Metadata } from '../../protocol/parameters/metadata.ts'

export interface IntentParams {
  readonly customer: string | null
  readonly description: string | null
  readonly metadata: Metadata
  readonly paymentMethod: string | null
  /** Payment method types that the intent allows. Default: `['card']`. */
  readonly allowed?: readonly string[] | null | undefined
  /** Default: null. */
  readonly automatic?: AutomaticMethodsBody | null
}

const idPrefix = { payment_intent: 'pi_3', setup_intent: 'seti_1' } as const

type BlankIntent<O> = IntentBody & {
  readonly object: O
  readonly status: 'requires_confirmation' | 'requires_payment_method'
}

export function blankIntent<O extends keyof typeof idPrefix>(
  call: OperationContext,
  object: O,
  params: IntentParams,
): BlankIntent<O> {
  const id = newId(idPrefix[object], 23)
  return {
    id,
    object,
    automatic_payment_methods: params.automatic ?? null,
    cancellation_reason: null,
    client_secret: newId(`${id}_secret_`, 25),
    created: call.now,
    customer: params.customer,
    description: params.description,
    metadata: params.metadata,
    next_action: null,
    payment_method: params.paymentMethod,
    payment_method_types: [...(params.allowed ?? ['card'])],
    status: params.paymentMethod === null ? 'requires_payment_method' : 'requires_confirmation',
  }
}

import Stripe from 'stripe'

export interface Refusal {
  readonly status: number | undefined
  readonly type: string | undefined
  readonly code: string | undefined
  readonly param: string | undefined
  readonly message: string
}

/** The error of a refused call. A call that succeeds fails the test. */
export async function refusal(call: Promise<unknown>): Promise<Refusal> {
  try {
    await call
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error
    const { statusCode: status, rawType: type, code, param, message } = error
    return { status, type, code, param, message }
  }
  throw new Error('The call was not refused')
}

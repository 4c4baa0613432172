export type StripeErrorType =
  'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error' | 'temporary_session_expired'

export interface StripeErrorDetails {
  readonly status?: number
  readonly type?: StripeErrorType
  readonly code?: string | undefined
  /** The bank's reason for declining a card. */
  readonly declineCode?: string | undefined
  readonly param?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly objects?: ErrorObjects | undefined
}

/** Objects that a failed payment or setup attempt leaves behind, as its error contains them. Source: the SDK's documentation of errors. */
export interface ErrorObjects {
  /** Id of the failed charge. */
  readonly charge?: string
  readonly payment_intent?: Readonly<Record<string, unknown>>
  readonly payment_method?: Readonly<Record<string, unknown>>
  readonly setup_intent?: Readonly<Record<string, unknown>>
}

/** An error with the text and the shape of the real API. The client gets exactly this, plus the request id. */
export class StripeError extends Error {
  override readonly name = 'StripeError'
  readonly status: number
  readonly type: StripeErrorType
  readonly code: string | undefined
  readonly declineCode: string | undefined
  readonly param: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly objects: ErrorObjects

  constructor(message: string, details: StripeErrorDetails = {}) {
    super(message)
    this.status = details.status ?? 400
    this.type = details.type ?? 'invalid_request_error'
    this.code = details.code
    this.declineCode = details.declineCode
    this.param = details.param
    this.headers = details.headers ?? {}
    this.objects = details.objects ?? {}
  }

  /**
   * Returns the body of the error response. `logUrl` is the URL of the request in the sandbox's log, where the real API links its
   * dashboard.
   */
  toBody(logUrl: string): { error: Readonly<Record<string, unknown>> } {
    return {
      error: {
        ...this.objects,
        ...(this.code === undefined
          ? {}
          : { code: this.code, doc_url: `https://stripe.com/docs/error-codes/${this.code.replaceAll('_', '-')}` }),
        ...(this.declineCode === undefined ? {} : { decline_code: this.declineCode }),
        message: this.message,
        ...(this.param === undefined ? {} : { param: this.param }),
        request_log_url: logUrl,
        type: this.type,
      },
    }
  }
}

/** Thrown for parameters that the operation does not read. Contains their full names. */
export class UnknownParameters extends StripeError {
  readonly names: readonly string[]

  constructor(names: readonly string[]) {
    const plural = names.length > 1 ? 's' : ''
    super(`Received unknown parameter${plural}: ${names.join(', ')}`, { param: names[0], code: 'parameter_unknown' })
    this.names = names
  }
}

/** Thrown for a value that an enum does not contain. */
export class UnknownValue extends StripeError {
  readonly value: string

  constructor(message: string, param: string, value: string) {
    super(message, { param })
    this.value = value
  }
}

/** Returns the error for a feature of the real API that the sandbox lacks. The text is the sandbox's own. */
export function notSupported(what: string, param?: string): StripeError {
  return new StripeError(`The sandbox does not support ${what}.`, { param })
}

export function badRequest(message: string, param?: string, code?: string): StripeError {
  return new StripeError(message, { param, code })
}

/** Returns the error for an unknown id in the path (404). */
export function noSuchResource(noun: string, id: string, param: string): StripeError {
  return new StripeError(noSuch(noun, id), { status: 404, code: 'resource_missing', param })
}

/** Returns the message for an unknown id. For invoice items it includes the mode. Source: the real API at version 2026-08-26.dahlia. */
function noSuch(noun: string, id: string): string {
  return `No such ${noun}: '${id}'${noun === 'Invoice Item' ? '(livemode=false)' : ''}`
}

/** Returns the error for an unknown id in a parameter (400). */
export function noSuchReference(noun: string, id: string, param: string): StripeError {
  return new StripeError(`No such ${noun}: '${id}'`, { code: 'resource_missing', param })
}

export function noActiveDiscount(noun: string, id: string): StripeError {
  return new StripeError(`No active discount for ${noun}: ${id}`, { status: 404, code: 'resource_missing' })
}

export function alreadyExists(noun: string): StripeError {
  return new StripeError(`${noun} already exists.`, { code: 'resource_already_exists', param: 'id' })
}

export function missingParam(param: string): StripeError {
  return badRequest(`Missing required param: ${param}.`, param, 'parameter_missing')
}

export function onlyOneOf(...params: readonly string[]): StripeError {
  return badRequest(`You may only specify one of these parameters: ${params.join(', ')}.`, params[0])
}

/** Returns the error for a parameter that needs `confirm=true`. Source: the SDK's documentation of `mandate_data`. */
export function onlyWithConfirm(param: string): StripeError {
  return badRequest(`The parameter \`${param}\` can only be used with \`confirm=true\`.`, param)
}

export function unknownUrl(method: string, path: string): StripeError {
  const where = `Unrecognized request URL (${method}: ${path}).`
  return new StripeError(`${where} Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`, {
    status: 404,
  })
}

export function rateLimited(reason: string): StripeError {
  const message = 'Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits.'
  return new StripeError(message, {
    status: 429,
    code: 'rate_limit',
    headers: { 'Stripe-Rate-Limited-Reason': reason },
  })
}

export function lockTimeout(): StripeError {
  const message =
    'This object cannot be accessed right now because another API request or Stripe process is currently accessing it. ' +
    'If you see this error intermittently, retry the request. If you see this error frequently and are making multiple ' +
    'concurrent requests to a single object, make your requests serially or at a lower rate. For more details, see ' +
    'https://stripe.com/docs/rate-limits#object-lock-timeouts.'
  return new StripeError(message, {
    status: 429,
    code: 'lock_timeout',
    headers: { 'Stripe-Rate-Limited-Reason': 'resource-specific' },
  })
}

/** A decline by the bank, with the real API's message. Source: docs.stripe.com/testing, declined payments. */
export interface CardDecline {
  readonly code: string
  /** The bank's reason. Absent if the bank gives no reason beyond the code. */
  readonly decline_code?: string
  readonly message: string
}

export const genericDecline: CardDecline = {
  code: 'card_declined',
  decline_code: 'generic_decline',
  message: 'Your card was declined.',
}

export function cardDeclined(
  { code, decline_code: declineCode, message }: CardDecline = genericDecline,
  objects?: ErrorObjects,
): StripeError {
  return new StripeError(message, { status: 402, type: 'card_error', code, declineCode, objects })
}

export function serverError(): StripeError {
  return new StripeError('An unknown error occurred', { status: 500, type: 'api_error' })
}

export function keyInUse(key: string): StripeError {
  const message =
    'There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, ' +
    `and the other request is still going through): ${key}. Please try again later.`
  return new StripeError(message, { status: 409, type: 'idempotency_error', code: 'idempotency_key_in_use' })
}

export function keyReused(key: string): StripeError {
  const message =
    'Keys for idempotent requests can only be used with the same parameters they were first used with. ' +
    `Try using a key other than '${key}' if you meant to execute a different request.`
  return new StripeError(message, { type: 'idempotency_error' })
}

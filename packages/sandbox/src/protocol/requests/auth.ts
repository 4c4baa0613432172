import { createHash } from 'node:crypto'
import { StripeError } from '../responses/errors.ts'
import { newId } from '../ids.ts'

const notProvided =
  'You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth ' +
  "(e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See https://stripe.com/docs/api#authentication for details, " +
  'or we can help at https://support.stripe.com/.'

/**
 * Returns the account of a request. Each test key (`sk_test_…`, or a restricted `rk_test_…`, which may do everything here) has its own
 * account. All other keys get Stripe's 401. Above all this refuses live keys, because a program that sends one to the sandbox is
 * misconfigured.
 */
export function accountOf(authorization: string | undefined): string {
  const key = keyOf(authorization)
  if (key === undefined || key === '') throw new StripeError(notProvided, { status: 401 })
  if (!isTestKey(key)) {
    throw new StripeError(`Invalid API Key provided: ${maskKey(key)}`, { status: 401 })
  }
  return accountIdOf(key)
}

export const isTestKey = (key: string) => /^[rs]k_test_[A-Za-z0-9_]+$/.test(key)

const tokenForm = /^meter_event_test_(acct_[a-z0-9]+)_(\d+)_[A-Za-z0-9]+$/

/** Returns a token that authorizes a meter event session until `expires` (seconds). */
export function meterEventToken(account: string, expires: number): string {
  return newId(`meter_event_test_${account}_${expires}_`, 24)
}

/** Returns the account and the expiry (seconds) of a meter event session's token. Throws a 401 for anything else. */
export function accountOfToken(authorization: string | undefined): {
  readonly account: string
  readonly expires: number
} {
  const token = keyOf(authorization)
  if (token === undefined || token === '') throw new StripeError(notProvided, { status: 401 })
  const [, account, expires] = tokenForm.exec(token) ?? []
  if (account === undefined) throw new StripeError(`Invalid token provided: ${maskKey(token)}`, { status: 401 })
  return { account, expires: Number(expires) }
}

/** Returns the error for a meter event session that is older than 15 minutes. */
export function sessionExpired(): StripeError {
  return new StripeError('This session has expired. Create a new meter event session.', {
    status: 401,
    type: 'temporary_session_expired',
    code: 'billing_meter_event_session_expired',
  })
}

/** Returns the error for a `Stripe-Account` that the key cannot access. */
export function notConnected(authorization: string | undefined, account: string): StripeError {
  const message =
    `The provided key '${maskKey(keyOf(authorization) ?? '')}' does not have access to account '${account}' ` +
    '(or that account does not exist). Application access may have been revoked.'
  return new StripeError(message, { status: 403, code: 'account_invalid' })
}

/** Returns the account id of a key. It is a hash of the key, so it is stable although no key is stored. */
export function accountIdOf(key: string): string {
  const digest = createHash('sha256').update(`ratecard-sandbox:${key}`).digest('hex')
  return `acct_1${BigInt(`0x${digest.slice(0, 24)}`)
    .toString(36)
    .padStart(15, '0')
    .slice(0, 15)}`
}

function keyOf(authorization: string | undefined): string | undefined {
  const [scheme, value] = authorization?.trim().split(/\s+/, 2) ?? []
  if (scheme?.toLowerCase() === 'bearer') return value
  if (scheme?.toLowerCase() !== 'basic' || value === undefined) return undefined
  return Buffer.from(value, 'base64').toString('utf8').split(':', 1)[0]
}

/** Masks a key as the real API does: its kind (e.g. `sk_test_`) and its last four characters stay visible. */
function maskKey(key: string): string {
  const kind = /^[a-z]+_(?:live|test)_/.exec(key)?.[0] ?? ''
  const secret = key.slice(kind.length)
  if (secret.length <= 4) return kind + '*'.repeat(secret.length)
  return kind + '*'.repeat(secret.length - 4) + secret.slice(-4)
}

// Verifies webhook deliveries of the processor. Uses only Web Crypto, so it runs in workers, Node and browsers.

/** A webhook event of the processor. */
export interface WebhookEvent {
  readonly id: string
  readonly object: 'event'
  readonly type: string
  /** Time of creation in Unix seconds. */
  readonly created: number
  readonly livemode: boolean
  readonly api_version: string | null
  readonly data: {
    readonly object: Readonly<Record<string, unknown>>
    readonly previous_attributes?: Readonly<Record<string, unknown>>
  }
}

export type WebhookErrorCode =
  /** The signature header is missing. */
  | 'signature_missing'
  /** The header has no timestamp, or no signature of a known scheme (`v1`). */
  | 'signature_malformed'
  /** No signature matches the payload with any of the secrets. */
  | 'signature_mismatch'
  /** The signature is valid but too old. It may be a replay of an intercepted delivery. */
  | 'timestamp_too_old'
  /** The payload is not the raw body, or it is not an event. */
  | 'payload_invalid'

export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly code: WebhookErrorCode

  constructor(code: WebhookErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

export interface VerifyOptions {
  /** Maximum age of a delivery in seconds. Default: 300. `Infinity` accepts any age. */
  readonly toleranceSeconds?: number
  /** Current time in epoch milliseconds. Default: `Date.now()`. */
  readonly now?: number
}

/**
 * Returns the event of a genuine delivery, otherwise throws {@link WebhookError}. `payload` is the raw body, before any parsing. During the
 * rotation of a secret, pass the old and the new secret.
 *
 * @example
 * const event = await verifyWebhook(await request.text(), request.headers.get('stripe-signature'), env.WEBHOOK_SECRET)
 */
export async function verifyWebhook(
  payload: string | ArrayBuffer | Uint8Array,
  signatureHeader: string | null | undefined,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const secrets = [secret].flat().filter((each) => each !== '')
  if (secrets.length === 0) throw new TypeError('verifyWebhook needs a signing secret.')
  const body = bytesOf(payload)
  const { timestamp, signatures } = parseHeader(signatureHeader)
  const signed = concat(new TextEncoder().encode(`${timestamp}.`), body)
  if (!(await isSigned(signed, signatures, secrets)))
    throw new WebhookError(
      'signature_mismatch',
      'The delivery was not signed with this secret, or its body was changed.',
    )
  const age = (options.now ?? Date.now()) / 1000 - Number(timestamp)
  if (age > (options.toleranceSeconds ?? 300))
    throw new WebhookError('timestamp_too_old', `The delivery was signed ${Math.round(age)} seconds ago.`)
  return parseEvent(body)
}

type Bytes = Uint8Array<ArrayBuffer>

function bytesOf(payload: string | ArrayBuffer | Uint8Array): Bytes {
  if (typeof payload === 'string') return new TextEncoder().encode(payload)
  if (payload instanceof ArrayBuffer || ArrayBuffer.isView(payload)) return new Uint8Array(payload)
  throw new WebhookError('payload_invalid', 'Pass the raw body of the request: a parsed body cannot be verified.')
}

function parseHeader(header: string | null | undefined): { timestamp: string; signatures: Bytes[] } {
  if (header === null || header === undefined || header === '')
    throw new WebhookError('signature_missing', 'The request has no signature header.')
  const items = header.split(',').map((item) => /^\s*(\w+)=(\w+)\s*$/.exec(item) ?? [])
  const timestamp = items.find(([, name]) => name === 't')?.[2] ?? ''
  const signatures = items.flatMap(([, name, value = '']) =>
    name === 'v1' && /^[0-9a-f]{64}$/i.test(value) ? [bytesOfHex(value)] : [],
  )
  if (!/^\d{1,12}$/.test(timestamp) || signatures.length === 0)
    throw new WebhookError('signature_malformed', 'The signature header is not of the form t=…,v1=….')
  return { timestamp, signatures }
}

/**
 * True if any signature matches with any secret. Verifies every pair in constant time, so that the duration does not reveal which one
 * matched.
 */
async function isSigned(signed: Bytes, signatures: readonly Bytes[], secrets: readonly string[]): Promise<boolean> {
  let genuine = false
  for (const secret of secrets) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['verify'])
    for (const signature of signatures) if (await crypto.subtle.verify('HMAC', key, signature, signed)) genuine = true
  }
  return genuine
}

function parseEvent(body: Bytes): WebhookEvent {
  let event: unknown
  try {
    event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    event = null
  }
  if (isEvent(event)) return event
  throw new WebhookError('payload_invalid', 'The body is genuine, but it is not an event.')
}

function isEvent(value: unknown): value is WebhookEvent {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'data' in value
  )
}

const bytesOfHex = (hex: string): Bytes => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

function concat(first: Bytes, second: Bytes): Bytes {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

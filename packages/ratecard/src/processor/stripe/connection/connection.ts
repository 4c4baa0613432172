// Configures the SDK's client, with the SDK's own retries and telemetry turned off. Errors of this client tell whether the request was
// sent.
import http from 'node:http'
import https from 'node:https'
import { Stripe } from 'stripe'
import { ProcessorError } from '../../processor-error.ts'

/** Error of a request that got no response. */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure'
  /**
   * Stage at which a request failed. `connect`: no connection was made, so nothing was sent. `answer`: the connection was made, and the
   * server may have received the whole request.
   */
  readonly stage: 'connect' | 'answer'
  readonly timedOut: boolean

  constructor(error: unknown) {
    super(error instanceof Error && error.message !== '' ? error.message : String(codeOf(error)), { cause: error })
    this.stage = failedToConnect(error) ? 'connect' : 'answer'
    this.timedOut = codeOf(error) === Stripe.HttpClient.TIMEOUT_ERROR_CODE
  }
}

/**
 * Error for a response whose JSON is not an object, but e.g. a string, a number, null or an array. A proxy between this service and Stripe
 * may send such a response.
 */
export class NotAnObject extends Error {
  override readonly name = 'NotAnObject'
  readonly status: number

  constructor(value: unknown, status: number) {
    super(
      `is ${value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`} in place of an object`,
    )
    this.status = status
  }
}

function failedToConnect(error: unknown): boolean {
  // If a host name has several addresses and all fail, Node throws an AggregateError with one error per address.
  if (error instanceof AggregateError) return error.errors.every(failedToConnect)
  const call = error instanceof Error && 'syscall' in error ? error.syscall : undefined
  if (call === 'connect' || call === 'getaddrinfo') return true
  return /^(ERR_TLS_|ERR_SSL_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/.test(String(codeOf(error)))
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/**
 * HTTP client that hides socket errors from the SDK. Otherwise the SDK would retry a request whose socket closed, even with retries turned
 * off.
 */
class PlainTransport extends Stripe.HttpClient {
  readonly #inner: Stripe.HttpClient

  constructor(protocol: 'http' | 'https') {
    super()
    const sockets = { keepAlive: true, maxSockets: 16 }
    this.#inner = Stripe.createNodeHttpClient(protocol === 'http' ? new http.Agent(sockets) : new https.Agent(sockets))
  }

  override getClientName(): string {
    return this.#inner.getClientName()
  }

  override async makeRequest(
    ...request: Parameters<Stripe.HttpClient['makeRequest']>
  ): Promise<Stripe.HttpClientResponse> {
    try {
      return objectsOnly(await this.#inner.makeRequest(...request))
    } catch (error) {
      throw new TransportFailure(error)
    }
  }
}

/**
 * Wraps the response so that its `toJSON` rejects JSON other than an object. Otherwise the SDK would set properties on the parsed value in
 * a callback. If the value is a string or a number, that throws a TypeError that no caller can catch.
 */
function objectsOnly(response: Stripe.HttpClientResponse): Stripe.HttpClientResponse {
  const toJSON = response.toJSON.bind(response)
  response.toJSON = async () => {
    const value: unknown = await toJSON()
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
    throw new NotAnObject(value, response.getStatusCode())
  }
  return response
}

export interface ConnectionOptions {
  readonly secretKey: string
  /** Base URL of another server with the same API, e.g. the sandbox; null means Stripe itself. */
  readonly apiBase: string | null
  readonly timeoutMs: number
}

/**
 * Creates the SDK's client. Throws `unauthorized` for a key with characters that are invalid in a header, and a plain error for an unusable
 * `apiBase`.
 */
export function createStripe({ secretKey, apiBase, timeoutMs }: ConnectionOptions): Stripe {
  if (!/^[\x21-\x7e]+$/.test(secretKey))
    throw new ProcessorError(
      'unauthorized',
      'The Stripe secret key is empty, or contains spaces, line breaks or other invalid characters.',
    )
  const base = apiBase === null ? null : readBase(apiBase)
  if (base !== null && isLiveKey(secretKey)) throw new Error('A live Stripe key is only ever sent to Stripe itself.')
  return new Stripe(secretKey, {
    ...base,
    httpClient: new PlainTransport(base?.protocol ?? 'https'),
    maxNetworkRetries: 0,
    timeout: timeoutMs,
    telemetry: false,
    appInfo: { name: 'ratecard' },
  })
}

/**
 * Returns the reason why a text cannot be a secret key of Stripe; null if it may be one. Checks only the format. The reason never contains
 * the key.
 */
export function keyProblem(secretKey: string): string | null {
  if (/^(sk|rk)_(test|live)_\w+$/.test(secretKey)) return null
  if (secretKey.startsWith('pk_'))
    return 'STRIPE_SECRET_KEY is a publishable key (pk_…); use a secret key (sk_… or rk_…)'
  return 'STRIPE_SECRET_KEY is not a secret key of Stripe, which begins with sk_test_, sk_live_, rk_test_ or rk_live_'
}

/** True unless the key is clearly a test key, e.g. `sk_test_…`. */
export function isLiveKey(secretKey: string): boolean {
  return !/^[a-z]+_test_/.test(secretKey)
}

function readBase(apiBase: string): { protocol: 'http' | 'https'; host: string; port: number } {
  const url = URL.parse(apiBase)
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '')
    throw new Error('The Stripe API base must look like http://127.0.0.1:4243, without a path.')
  const protocol = url.protocol === 'http:' ? 'http' : 'https'
  const port = url.port === '' ? (protocol === 'http' ? 80 : 443) : Number(url.port)
  // The brackets of an IPv6 address belong to the URL, not to the address.
  return { protocol, host: url.hostname.replace(/^\[|\]$/g, ''), port }
}

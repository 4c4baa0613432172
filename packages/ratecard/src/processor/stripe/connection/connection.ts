// The SDK's client as we want it: no retries of its own, no telemetry, and failures that say whether anything was sent.
import http from 'node:http'
import https from 'node:https'
import { Stripe } from 'stripe'
import { ProcessorError } from '../../processor-error.ts'

/** A request that got no answer. */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure'
  /** `connect`: no connection came about, so nothing was sent. `answer`: the other side may have got it all. */
  readonly stage: 'connect' | 'answer'
  readonly timedOut: boolean

  constructor(error: unknown) {
    super(error instanceof Error && error.message !== '' ? error.message : String(codeOf(error)), { cause: error })
    this.stage = failedToConnect(error) ? 'connect' : 'answer'
    this.timedOut = codeOf(error) === Stripe.HttpClient.TIMEOUT_ERROR_CODE
  }
}

/** A response whose JSON is a string, a number, true, false, null or an array, e.g. of a gateway in between. */
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
  // Several addresses for one name fail as one error.
  if (error instanceof AggregateError) return error.errors.every(failedToConnect)
  const call = error instanceof Error && 'syscall' in error ? error.syscall : undefined
  if (call === 'connect' || call === 'getaddrinfo') return true
  return /^(ERR_TLS_|ERR_SSL_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/.test(String(codeOf(error)))
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/** The SDK repeats a request whose socket closed even when told not to; behind this wrapper it cannot tell such a failure. */
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
 * The same response, but JSON that is no object is refused. The SDK sets properties on what was parsed, in a callback where nobody
 * catches the TypeError that a string or a number makes of it.
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
  /** Scheme, host and port of another server that speaks the API; null is Stripe itself. */
  readonly apiBase: string | null
  readonly timeoutMs: number
}

/** Throws `unauthorized` for a key that no header can carry, and a plain error for an unusable `apiBase`. */
export function connect({ secretKey, apiBase, timeoutMs }: ConnectionOptions): Stripe {
  if (!/^[\x21-\x7e]+$/.test(secretKey))
    throw new ProcessorError(
      'unauthorized',
      'The Stripe secret key is empty or holds spaces, line ends or other strange characters.',
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

/** Why a key cannot be a secret key of Stripe, by its look alone; null when it may be one. Never holds the key. */
export function keyProblem(secretKey: string): string | null {
  if (/^(sk|rk)_(test|live)_\w+$/.test(secretKey)) return null
  if (secretKey.startsWith('pk_'))
    return 'STRIPE_SECRET_KEY is a publishable key (pk_…), which may do nothing here: it has to be a secret one (sk_… or rk_…)'
  return 'STRIPE_SECRET_KEY is no secret key of Stripe: those begin with sk_test_, sk_live_, rk_test_ or rk_live_'
}

/** Keys that are not plainly for test mode count as live. */
export function isLiveKey(secretKey: string): boolean {
  return !/^[a-z]+_test_/.test(secretKey)
}

function readBase(apiBase: string): { protocol: 'http' | 'https'; host: string; port: number } {
  const url = URL.parse(apiBase)
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '')
    throw new Error('The Stripe API base must look like http://127.0.0.1:4243, without a path.')
  const protocol = url.protocol === 'http:' ? 'http' : 'https'
  const port = url.port === '' ? (protocol === 'http' ? 80 : 443) : Number(url.port)
  // Brackets of an IPv6 address belong to the URL, not to the address.
  return { protocol, host: url.hostname.replace(/^\[|\]$/g, ''), port }
}

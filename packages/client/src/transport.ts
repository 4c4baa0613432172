import { RatecardError, errorFromProblem, isRecord } from './error.ts'

export interface ClientOptions {
  /** Address of the service, for example `http://127.0.0.1:4242`. */
  readonly baseUrl: string
  /** Service key, sent as `X-Service-Key`. Never put a service key into a browser. */
  readonly serviceKey?: string | undefined
  /**
   * Session of a tenant, for servers that send requests on behalf of a customer. Sent as two cookies: the service reads `ratecard_session`
   * without TLS and `__Host-ratecard_session` with TLS.
   */
  readonly session?: string | undefined
  /** Credentials mode of `fetch`. With `include`, a browser sends its session cookie to a service of another origin. */
  readonly credentials?: 'omit' | 'same-origin' | 'include'
  readonly fetch?: typeof fetch
  /** Timeout (ms) of each attempt. Default: 30000 (30 seconds). */
  readonly timeoutMs?: number
  /** Number of retries of idempotent requests: reads, and writes with an idempotency key. Default: 2. */
  readonly retries?: number
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
}

export interface RequestOptions extends CallOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** True for an idempotent write. It is sent with an `Idempotency-Key` (generated if missing), so that it can be retried. */
  readonly keyed?: boolean
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
}

export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  /** Parsed JSON; null for an empty body. */
  readonly body: unknown
}

export interface Transport {
  send(path: string, call?: RequestOptions): Promise<ApiResponse>
  /**
   * Returns the response body as a stream. Throws the same errors as `send`. Has no retries and no timeout, because a stream may be idle
   * for long.
   */
  stream(path: string, call?: RequestOptions): Promise<ReadableStream<Uint8Array>>
}

const defaultTimeoutMs = 30_000
const maxBackoffMs = 5_000

export function createTransport(options: ClientOptions): Transport {
  const base = options.baseUrl.replace(/\/+$/, '')
  const doFetch = options.fetch ?? ((input, init) => fetch(input, init))
  const retries = options.retries ?? 2

  const attempt = async (path: string, call: RequestOptions, signal: AbortSignal | null): Promise<Response> => {
    const init: RequestInit = { method: call.method ?? 'GET', headers: headersOf(options, call), signal }
    if (options.credentials !== undefined) init.credentials = options.credentials
    if (call.body !== undefined) init.body = JSON.stringify(call.body)
    return doFetch(urlOf(base, path, call.query), init)
  }

  const once = async (path: string, call: RequestOptions): Promise<ApiResponse> => {
    const timeoutMs = call.timeoutMs ?? options.timeoutMs ?? defaultTimeoutMs
    const timeout = AbortSignal.timeout(timeoutMs)
    const signal = call.signal === undefined ? timeout : AbortSignal.any([timeout, call.signal])
    try {
      return await readAnswer(await attempt(path, call, signal))
    } catch (cause) {
      throw asFailure(cause, base, {
        timedOut: timeout.aborted ? timeoutMs : null,
        aborted: call.signal?.aborted ?? false,
      })
    }
  }

  return {
    async send(path, given = {}) {
      const call = withKey(given)
      for (let tries = 0; ; tries++) {
        try {
          return await once(path, call)
        } catch (error) {
          if (tries >= retries || !isRepeatable(call) || !isTransient(error, call.keyed === true && tries > 0))
            throw error
          await sleep(backoffMs(error, tries), call.signal)
        }
      }
    },
    async stream(path, call = {}) {
      try {
        const response = await attempt(path, call, call.signal ?? null)
        if (!response.ok) await readAnswer(response)
        if (response.body === null)
          throw new RatecardError({ code: 'answer_invalid', message: 'The server sent no body.' })
        return response.body
      } catch (cause) {
        throw asFailure(cause, base, { timedOut: null, aborted: call.signal?.aborted ?? false })
      }
    },
  }
}

function headersOf(options: ClientOptions, call: RequestOptions): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (options.serviceKey !== undefined) headers['x-service-key'] = options.serviceKey
  if (options.session !== undefined) {
    const value = encodeURIComponent(options.session)
    // Sends both cookie names. The service reads the one for its public URL, which may differ from `baseUrl`, e.g. within a cluster.
    headers['cookie'] = `ratecard_session=${value}; __Host-ratecard_session=${value}`
  }
  if (call.body !== undefined) headers['content-type'] = 'application/json'
  for (const [name, value] of Object.entries(call.headers ?? {})) if (value !== undefined) headers[name] = value
  return headers
}

function urlOf(base: string, path: string, query: RequestOptions['query']): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) parameters.set(name, String(value))
  const text = parameters.toString()
  return `${base}${path}${text === '' ? '' : `?${text}`}`
}

async function readAnswer(response: Response): Promise<ApiResponse> {
  const text = await response.text()
  const body = text === '' ? null : parseJson(text)
  if (response.ok && body !== undefined) return { status: response.status, headers: response.headers, body }
  const requestId = response.headers.get('x-request-id')
  const retryAfterMs = retryAfterOf(response.headers.get('retry-after'))
  if (!response.ok && isRecord(body)) throw errorFromProblem(body, { status: response.status, requestId, retryAfterMs })
  throw new RatecardError({
    code: 'answer_invalid',
    status: response.status,
    message: `${response.url || 'The server'} answered ${response.status} with something that is not JSON.`,
    hint: 'Check the address: this does not look like a Ratecard server.',
    requestId,
    retryAfterMs,
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function retryAfterOf(header: string | null): number | null {
  const seconds = header === null ? Number.NaN : Number(header)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null
}

function asFailure(cause: unknown, base: string, why: { timedOut: number | null; aborted: boolean }): RatecardError {
  if (cause instanceof RatecardError) return cause
  if (why.aborted) return new RatecardError({ code: 'request_aborted', message: 'The request was cancelled.', cause })
  if (why.timedOut !== null)
    return new RatecardError({
      code: 'request_timeout',
      message: `${base} did not answer within ${why.timedOut / 1000} seconds.`,
      cause,
    })
  return new RatecardError({
    code: 'server_unreachable',
    message: `No Ratecard server could be reached at ${base} (${reasonOf(cause)}).`,
    cause,
  })
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const inner: unknown = cause.cause
  if (isRecord(inner) && typeof inner['code'] === 'string') return inner['code']
  return inner instanceof Error && inner.message !== '' ? inner.message : cause.message
}

function isRepeatable(call: RequestOptions): boolean {
  return (call.method ?? 'GET') === 'GET' || call.headers?.['idempotency-key'] !== undefined
}

/**
 * Adds an idempotency key to the call; all attempts use the same key. Uses `getRandomValues`, because `crypto.randomUUID` is missing on
 * pages without TLS.
 */
function withKey(call: RequestOptions): RequestOptions {
  if (call.keyed !== true || call.headers?.['idempotency-key'] !== undefined) return call
  const key = Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join('-')
  return { ...call, headers: { ...call.headers, 'idempotency-key': key } }
}

/**
 * True if a retry may succeed. `ownMayRun` means that an earlier attempt of this call may still be running, so the error
 * `request_in_progress` is retried too.
 */
function isTransient(error: unknown, ownMayRun: boolean): boolean {
  if (!(error instanceof RatecardError)) return false
  if (ownMayRun && error.code === 'request_in_progress') return true
  if (error.status === 0) return error.code === 'server_unreachable'
  // A server that asks for a longer pause than a retry would make, e.g. while the processor is down, would only fail again.
  if (error.retryAfterMs !== null && error.retryAfterMs > maxBackoffMs) return false
  return error.status === 429 || error.status === 503
}

function backoffMs(error: unknown, tries: number): number {
  const asked = error instanceof RatecardError ? error.retryAfterMs : null
  if (asked !== null) return asked
  // Half of the delay is random (jitter), so that clients that failed at the same time do not all retry at the same time.
  const full = Math.min(200 * 2 ** tries, maxBackoffMs)
  return full / 2 + (randomFraction() * full) / 2
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(new RatecardError({ code: 'request_aborted', message: 'The request was cancelled.' }))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted === true) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

function randomFraction(): number {
  return (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32
}

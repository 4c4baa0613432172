// Requests of the element to the service.

/** An error response of the service (RFC 9457), or no response at all (`code` null). */
export class ServiceProblem extends Error {
  readonly code: string | null
  /** Text for people, in English. */
  readonly detail: string | null
  /** Page where the customer pays what is overdue; null if the response has none. */
  readonly url: string | null

  constructor(status: number, problem: Readonly<Record<string, unknown>>) {
    super(`The service answered ${String(status)}`)
    this.name = 'ServiceProblem'
    this.code = textOf(problem['code'])
    this.detail = textOf(problem['detail'])
    this.url = textOf(problem['url'])
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

export interface Service {
  /** Base URL of the service; empty for that of the page. */
  readonly base: string
  readonly credentials: RequestCredentials
}

export function get({ base, credentials }: Service, path: string, signal: AbortSignal): Promise<Response> {
  return fetch(addressOf(base, path), { credentials, signal, headers: { accept: 'application/json' } })
}

const packs = new Map<string, Promise<Readonly<Record<string, unknown>>>>()

/** Returns the texts of a language that the service has; none for English. Loaded once for all tables of a page. */
export function readLanguage(base: string, language: string): Promise<Readonly<Record<string, unknown>>> {
  if (language === 'en') return Promise.resolve({})
  const url = `${base.replace(/\/+$/, '')}/pricing-table/${language}.json`
  const known = packs.get(url)
  if (known !== undefined) return known
  const loading = fetch(url, { credentials: 'omit' }).then((response) => {
    if (!response.ok) throw new Error(`${url} answered ${String(response.status)}`)
    return response.json() as Promise<Readonly<Record<string, unknown>>>
  })
  packs.set(url, loading)
  // The next table, or a reload of this one, tries again.
  loading.catch(() => packs.delete(url))
  return loading
}

/** Posts a body as the tenant of the session. `key` is the idempotency key of a write. Throws a {@link ServiceProblem}. */
export async function post(
  { base, credentials }: Service,
  path: string,
  body: unknown,
  { signal, key }: { readonly signal: AbortSignal; readonly key?: string },
): Promise<unknown> {
  const response = await fetch(addressOf(base, path), {
    method: 'POST',
    credentials,
    signal,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  })
  const result: unknown = await response.json().catch(() => null)
  if (response.ok) return result
  throw new ServiceProblem(response.status, typeof result === 'object' && result !== null ? { ...result } : {})
}

const addressOf = (base: string, path: string): URL =>
  new URL(`${base.replace(/\/+$/, '')}/api/v1/billing/${path}`, document.baseURI)

/** Returns a random idempotency key. `crypto.randomUUID` is missing on pages without TLS. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

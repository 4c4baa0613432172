// Deploys a worker of this project to Cloudflare with two API requests: the upload of the code, then the replacement of its schedules. The
// error of a failed request names its step. Writes no log, and no error contains a secret.
import { setTimeout as delay } from 'node:timers/promises'
import { schedulesRequest, uploadRequest, type CloudflareWorker, type UploadRequest } from './requests.ts'

export interface CloudflareAccess {
  readonly accountId: string
  readonly apiToken: string
  /** Base URL of Cloudflare's API, e.g. of a proxy or a test server. Default: {@link defaultBaseUrl}. */
  readonly baseUrl?: string
}

export interface CloudflareDeployment {
  readonly name: string
  /** Cloudflare's ETag of the uploaded script; null if the response has none. */
  readonly etag: string | null
  /** Cron expressions that Cloudflare returns after the update. */
  readonly crons: readonly string[]
}

export type CloudflareProblem = 'unreachable' | 'refused'

export class CloudflareError extends Error {
  override readonly name = 'CloudflareError'
  readonly problem: CloudflareProblem
  /** The request that failed. */
  readonly step: 'upload' | 'schedules'
  /** HTTP status of Cloudflare's response to the failed request; null if there was no response. */
  readonly status: number | null

  constructor(
    problem: CloudflareProblem,
    step: CloudflareError['step'],
    message: string,
    more: { readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause })
    this.problem = problem
    this.step = step
    this.status = more.status ?? null
  }
}

const defaultBaseUrl = 'https://api.cloudflare.com/client/v4'
/** Timeout (ms) of one request, long enough to upload 10 MB of code. */
const timeoutMs = 60_000
/** Pauses (ms) before the retries. A request is retried if it got no response, or a response for which {@link isTemporary} is true. */
const retryPausesMs = [500, 1_000]

/**
 * Uploads the script and replaces its schedules; rejects with a {@link CloudflareError}. A failed deployment can be retried, because both
 * requests are idempotent.
 */
export async function deployToCloudflare(
  worker: CloudflareWorker,
  access: CloudflareAccess,
): Promise<CloudflareDeployment> {
  const { name, crons } = worker.manifest
  const upload = uploadRequest(access.accountId, worker)
  const uploaded = await putResource<Partial<Uploaded>>(access, 'upload', upload.path, () => formOf(upload))
  const schedules = schedulesRequest(access.accountId, { name, crons })
  const json = new Blob([JSON.stringify(schedules.body)], { type: 'application/json' })
  const set = await putResource<Partial<Schedules>>(access, 'schedules', schedules.path, () => json)
  return { name, etag: uploaded.etag ?? null, crons: (set.schedules ?? []).map(({ cron }) => cron) }
}

interface Uploaded {
  readonly etag: string
}

interface Schedules {
  readonly schedules: readonly { readonly cron: string }[]
}

/** JSON object that encloses the result in every response of Cloudflare's API. */
interface Envelope<Result> {
  readonly result: Result | null
  readonly errors: readonly { readonly code: number; readonly message: string }[]
}

/** Returns the multipart form that Cloudflare documents: `metadata` as one JSON part, and each module as a part under its own name. */
function formOf({ metadata, modules }: UploadRequest): FormData {
  const form = new FormData()
  form.set('metadata', new Blob([JSON.stringify(metadata)], { type: 'application/json' }))
  for (const { name, contentType, content } of modules)
    form.set(
      name,
      new File([typeof content === 'string' ? content : new Uint8Array(content)], name, { type: contentType }),
      name,
    )
  return form
}

/** Sends one PUT request, up to three times. A PUT replaces the whole resource, so a retry after a lost response does no harm. */
async function putResource<Result extends object>(
  { apiToken, baseUrl }: CloudflareAccess,
  step: CloudflareError['step'],
  path: string,
  body: () => FormData | Blob,
): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    const pause = retryPausesMs[attempt]
    try {
      return await putOnce<Result>(`${baseUrl ?? defaultBaseUrl}${path}`, apiToken, step, body())
    } catch (error) {
      if (pause === undefined || !(error instanceof CloudflareError) || !isTemporary(error)) throw error
      await delay(pause)
    }
  }
}

const isTemporary = ({ status }: CloudflareError) =>
  status === null || [408, 409, 429].includes(status) || status >= 500

async function putOnce<Result extends object>(
  url: string,
  token: string,
  step: CloudflareError['step'],
  body: FormData | Blob,
): Promise<Result> {
  const init = { method: 'PUT', headers: { authorization: `Bearer ${token}` }, body }
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) }).catch((cause: unknown) => {
    throw new CloudflareError('unreachable', step, 'The API of Cloudflare could not be reached.', { cause })
  })
  const { status } = response
  // A proxy may respond with an HTML page instead of the API's JSON.
  const answer = (await response.json().catch(() => null)) as Partial<Envelope<Result>> | null
  if (response.ok && typeof answer?.result === 'object' && answer.result !== null) return answer.result
  const reasons = (answer?.errors ?? []).map(({ code, message }) => `${message} (${String(code)})`).join('; ')
  throw new CloudflareError('refused', step, reasons === '' ? `It answered ${String(status)}.` : reasons, { status })
}

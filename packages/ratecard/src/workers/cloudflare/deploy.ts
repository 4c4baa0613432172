// Deploys a worker of this project to Cloudflare with Cloudflare's own client. Uploads the code first and replaces the schedules second;
// the error of a failure between the two names the step. Writes no log, and no error contains a secret.
import { schedulesRequest, uploadRequest } from './requests.ts'
import type { CloudflareWorker, UploadRequest } from './requests.ts'

export interface CloudflareAccess {
  readonly accountId: string
  readonly apiToken: string
  /** Base URL of the API, for tests and proxies; default {@link defaultBaseUrl}. */
  readonly baseUrl?: string
}

export interface CloudflareDeployment {
  readonly name: string
  /** Cloudflare's ETag of the uploaded script; null if the response has none. */
  readonly etag: string | null
  /** Cron expressions that Cloudflare returns after the update. */
  readonly crons: readonly string[]
}

export type CloudflareProblem = 'client_missing' | 'unreachable' | 'refused'

export class CloudflareError extends Error {
  override readonly name = 'CloudflareError'
  readonly problem: CloudflareProblem
  /** The step that failed. */
  readonly step: 'start' | 'upload' | 'schedules'
  /** HTTP status of Cloudflare's response; null if there was no response. */
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

/**
 * Uploads the script and replaces its schedules; rejects with a {@link CloudflareError}. Idempotent, so a failed deployment can be retried.
 */
export async function deployToCloudflare(
  worker: CloudflareWorker,
  access: CloudflareAccess,
): Promise<CloudflareDeployment> {
  const { client, describe } = await openClient(access)
  const { name } = worker.manifest
  const upload = uploadRequest(access.accountId, worker)
  const uploaded = await client.put(upload.path, { body: formOf(upload) }).catch((error: unknown) => {
    throw describe(error, 'upload')
  })
  const schedules = schedulesRequest(access.accountId, { name, crons: worker.manifest.crons })
  const params = { account_id: access.accountId, body: [...schedules.body] }
  const answer = await client.workers.scripts.schedules.update(name, params).catch((error: unknown) => {
    throw describe(error, 'schedules')
  })
  return { name, etag: etagOf(uploaded), crons: answer.schedules.map(({ cron }) => cron) }
}

/**
 * The multipart form as Cloudflare documents it: `metadata` as one JSON part, each module as a part under its own name. The encoder of the
 * client flattens both into fields with other names, which Cloudflare rejects.
 */
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

async function openClient({ apiToken, baseUrl }: CloudflareAccess) {
  const library = await import('cloudflare').catch((cause: unknown) => {
    throw new CloudflareError('client_missing', 'start', 'The package "cloudflare" is not installed.', { cause })
  })
  const client = new library.default({
    apiToken,
    // If omitted, the client reads these credentials from the environment variables of the process.
    apiKey: null,
    apiEmail: null,
    userServiceKey: null,
    baseURL: baseUrl ?? defaultBaseUrl,
    logLevel: 'off',
  })
  const describe = (error: unknown, step: CloudflareError['step']): unknown => {
    if (error instanceof library.APIConnectionError)
      return new CloudflareError('unreachable', step, 'The API of Cloudflare could not be reached.', { cause: error })
    if (!(error instanceof library.APIError) || typeof error.status !== 'number') return error
    const said = error.errors.map(({ code, message }) => `${message} (${code})`).join('; ')
    const message = said === '' ? `It answered ${error.status}.` : said
    return new CloudflareError('refused', step, message, { status: error.status })
  }
  return { client, describe }
}

function etagOf(answer: unknown): string | null {
  if (typeof answer !== 'object' || answer === null || !('result' in answer)) return null
  const { result } = answer
  if (typeof result !== 'object' || result === null || !('etag' in result)) return null
  return typeof result.etag === 'string' ? result.etag : null
}

// Workers of this project on Cloudflare, through Cloudflare's own client. The code goes first, its schedules after it; what a
// failure between the two leaves behind is said. Never logs, and no error repeats a secret.
import { schedulesRequest, uploadRequest } from './requests.ts'
import type { CloudflareWorker, UploadRequest } from './requests.ts'

export interface CloudflareAccess {
  readonly accountId: string
  readonly apiToken: string
  /** Another address of the API, for tests and proxies. */
  readonly baseUrl?: string
}

export interface CloudflareDeployment {
  readonly name: string
  /** What Cloudflare calls this content; null when it did not say. */
  readonly etag: string | null
  /** As Cloudflare has them now. */
  readonly crons: readonly string[]
}

export type CloudflareProblem = 'client_missing' | 'unreachable' | 'refused'

export class CloudflareError extends Error {
  override readonly name = 'CloudflareError'
  readonly problem: CloudflareProblem
  /** The step that failed. */
  readonly step: 'start' | 'upload' | 'schedules'
  /** Of Cloudflare's answer; null when there was none. */
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

/** Uploads and replaces the schedules; rejects with a {@link CloudflareError}. Safe to repeat. */
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
 * The form as Cloudflare documents it: `metadata` as one JSON part, each module under its own name. The client's own encoder
 * flattens both into fields of other names, which Cloudflare refuses.
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
    // Left out, the client would take these from the environment of the process.
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

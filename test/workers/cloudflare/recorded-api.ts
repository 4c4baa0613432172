// A strict fake of Cloudflare's API with the two calls of a deployment. It refuses what the documentation and Cloudflare's own tools say
// that the real API refuses.
import http from 'node:http'
import { listenLocally } from '../../support/listen.ts'

export interface SeenPart {
  readonly filename: string | null
  readonly type: string
  readonly content: string
}

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string
  readonly parts: Readonly<Record<string, SeenPart>>
  readonly json: unknown
}

export interface RecordedApi {
  readonly url: string
  readonly seen: SeenRequest[]
  /** Refuses the next requests whose path ends with `pathEnd`, with this error. */
  refuse(pathEnd: string, status: number, code: number, message: string): void
  close(): Promise<void>
}

export const account = '023e105f4ecef8ad9ca31a8372d0c353'
export const token = 'v1.0-secret-token-of-the-account'

export async function startRecordedApi(): Promise<RecordedApi> {
  const seen: SeenRequest[] = []
  const refusals: { pathEnd: string; status: number; code: number; message: string }[] = []
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      void answer(request, Buffer.concat(chunks), seen, refusals).then(({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      })
    })
  })
  const port = await listenLocally(server)
  return {
    url: `http://127.0.0.1:${port}/client/v4`,
    seen,
    refuse: (pathEnd, status, code, message) => void refusals.push({ pathEnd, status, code, message }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const failure = (status: number, code: number, message: string) => ({
  status,
  body: { result: null, success: false, errors: [{ code, message }], messages: [] },
})
const success = (result: unknown) => ({ status: 200, body: { result, success: true, errors: [], messages: [] } })

async function answer(
  request: http.IncomingMessage,
  body: Buffer,
  seen: SeenRequest[],
  refusals: readonly { pathEnd: string; status: number; code: number; message: string }[],
) {
  const path = new URL(request.url ?? '/', 'http://api').pathname
  const type = request.headers['content-type'] ?? ''
  const parts = type.startsWith('multipart/form-data') ? await partsOf(type, body) : {}
  const json: unknown = type.startsWith('application/json') ? JSON.parse(body.toString('utf8')) : null
  const { authorization = '' } = request.headers
  seen.push({ method: request.method ?? '', path, authorization, parts, json })
  if (authorization !== `Bearer ${token}`) return failure(403, 10000, 'Authentication error')
  const refusal = refusals.find(({ pathEnd }) => path.endsWith(pathEnd))
  if (refusal !== undefined) return failure(refusal.status, refusal.code, refusal.message)
  const [, accountId, script, rest] =
    /^\/client\/v4\/accounts\/([^/]+)\/workers\/scripts\/([^/]+)(\/schedules)?$/.exec(path) ?? []
  if (accountId !== account || script === undefined || request.method !== 'PUT')
    return failure(404, 7003, 'Could not route to this path')
  return rest === undefined ? uploaded(script, parts) : scheduled(json)
}

function uploaded(script: string, parts: Readonly<Record<string, SeenPart>>) {
  const { metadata, ...modules } = parts
  if (metadata?.type !== 'application/json') return failure(400, 10021, 'could not read content for part metadata')
  const { main_module: main } = JSON.parse(metadata.content) as { main_module?: string }
  const part = main === undefined ? undefined : modules[main]
  if (part === undefined) return failure(400, 10021, `No such module "${main ?? ''}"`)
  if (part.type !== 'application/javascript+module') return failure(400, 10021, 'the main module is no ES module')
  return success({ id: script, etag: 'ea95132c15732412d22c1476fa83f27a', has_modules: true, startup_time_ms: 2 })
}

/** Cloudflare numbers the days of the week from 1 to 7 and refuses 0. */
function scheduled(json: unknown) {
  const crons = Array.isArray(json) ? json.map((item: { cron?: string }) => item.cron ?? '') : null
  if (crons === null) return failure(400, 10026, 'Could not parse request body')
  const bad = crons.find((cron) => cron.split(' ').length !== 5 || /(^|[-,])0/.test(cron.split(' ')[4] ?? ''))
  if (bad !== undefined) return failure(400, 10100, `invalid cron string: ${bad}`)
  return success({ schedules: crons.map((cron) => ({ cron, created_on: '2026-11-21T00:00:00Z' })) })
}

async function partsOf(type: string, body: Buffer): Promise<Record<string, SeenPart>> {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- a small form that this very process sent
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  const parts: Record<string, SeenPart> = {}
  for (const [name, value] of form)
    parts[name] =
      typeof value === 'string'
        ? { filename: null, type: 'text/plain', content: value }
        : { filename: value.name, type: value.type, content: Buffer.from(await value.arrayBuffer()).toString('latin1') }
  return parts
}

// Serves the script of `<ratecard-pricing-table>` and its texts in other languages from its npm package. Pages of any origin may load them.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { configAnswer } from './config-answer.ts'

/**
 * Browsers cache the script for 5 minutes, and after that still use the stale copy while they revalidate it. So a new release reaches all
 * pages within about an hour.
 */
const cacheControl = 'public, max-age=300, stale-while-revalidate=3600'
const scriptKind = { mediaType: 'text/javascript; charset=utf-8', cacheControl }
const languageKind = { mediaType: 'application/json; charset=utf-8', cacheControl }

interface PackageFile {
  readonly body: Buffer
  readonly etag: string
}

const { resolve } = createRequire(import.meta.url)
const files = new Map<string, Promise<PackageFile>>()

async function read(place: string): Promise<PackageFile> {
  const body = await readFile(place)
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` }
}

/** Reads a file at its first request, then keeps it for the lifetime of the process. If the read failed, the next request retries it. */
async function readOnce(place: string): Promise<PackageFile> {
  const reading = files.get(place) ?? read(place)
  files.set(place, reading)
  try {
    return await reading
  } catch (error) {
    files.delete(place)
    throw error
  }
}

async function send(request: FastifyRequest, reply: FastifyReply, place: string, kind: typeof scriptKind) {
  const answer = await configAnswer(
    await readOnce(place),
    {
      acceptEncoding: [request.headers['accept-encoding'] ?? []].flat().join(',') || undefined,
      ifNoneMatch: request.headers['if-none-match'],
    },
    kind,
  )
  return reply.code(answer.status).headers(answer.headers).send(answer.body)
}

export function registerPricingTable(app: FastifyInstance): void {
  const hidden = { schema: { hide: true } }
  app.get('/pricing-table.js', hidden, (request, reply) =>
    send(request, reply, resolve('@ratecard/pricing-table/script'), scriptKind),
  )
  // The folder of the package has exactly the languages that exist.
  const folder = path.join(path.dirname(resolve('@ratecard/pricing-table/script')), 'languages')
  app.get<{ Params: { file: string } }>('/pricing-table/:file', hidden, async (request, reply) => {
    const { file } = request.params
    const names = await readdir(folder)
    if (!names.includes(file))
      throw new ServiceError('route_not_found', 'The pricing table has no texts in this language.')
    return send(request, reply, path.join(folder, file), languageKind)
  })
}

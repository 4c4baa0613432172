// Serves the script of `<ratecard-pricing-table>` from its npm package. Pages of any origin may load the script.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { configAnswer } from './config-answer.ts'

/**
 * Browsers cache the script for 5 minutes, and after that still use the stale copy while they revalidate it. So a new release reaches all
 * pages within about an hour.
 */
const kind = {
  mediaType: 'text/javascript; charset=utf-8',
  cacheControl: 'public, max-age=300, stale-while-revalidate=3600',
}

let script: Promise<{ readonly body: Buffer; readonly etag: string }> | null = null

async function readScript() {
  const file = createRequire(import.meta.url).resolve('@ratecard/pricing-table/script')
  const body = await readFile(file)
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` }
}

/**
 * Reads the script at the first request, then caches it for the lifetime of the process. If the read failed, the next request retries it.
 */
async function scriptOnce() {
  script ??= readScript()
  try {
    return await script
  } catch (error) {
    script = null
    throw error
  }
}

export function registerPricingTable(app: FastifyInstance): void {
  app.get('/pricing-table.js', { schema: { hide: true } }, async (request, reply) => {
    const answer = await configAnswer(
      await scriptOnce(),
      {
        acceptEncoding: [request.headers['accept-encoding'] ?? []].flat().join(',') || undefined,
        ifNoneMatch: request.headers['if-none-match'],
      },
      kind,
    )
    return reply.code(answer.status).headers(answer.headers).send(answer.body)
  })
}

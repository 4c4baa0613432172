// Serves the script of `<ratecard-pricing-table>` from its package, for pages of any origin.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { configAnswer } from './config-answer.ts'

/** Cached for 5 minutes, then served stale while it is revalidated: a new release reaches pages within an hour. */
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

/** Read at the first request, then cached for the lifetime of the process. A failed read is retried at the next request. */
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

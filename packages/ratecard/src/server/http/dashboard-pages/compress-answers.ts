import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { encodingOf } from '../response/config-answer.ts'

const compress = promisify(brotliCompress)

/** Size (bytes) from which an answer is compressed. A smaller one fits into a packet or two. */
const leastBytes = 1_000

/**
 * Compresses what the dashboard's pages read. A price list of 200 products is 83 kB of JSON, and 6 kB compressed. Runs after secrets were
 * redacted. Webhooks are left out, because the length of a compressed secret tells something of it to who can repeat a part beside it.
 */
export function compressAnswers(scope: FastifyInstance): void {
  scope.addHook('onSend', async (request, reply, payload) => {
    const isJson = String(reply.getHeader('content-type') ?? '').startsWith('application/json')
    if (request.method !== 'GET' || !isJson || reply.hasHeader('content-encoding')) return payload
    if ((typeof payload !== 'string' && !Buffer.isBuffer(payload)) || payload.length < leastBytes) return payload
    if (request.url.includes('/webhooks') || encodingOf(request.headers['accept-encoding']) !== 'br') return payload
    const body = await compress(payload, { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } })
    reply.header('content-encoding', 'br').header('content-length', body.length).header('vary', 'Accept-Encoding')
    return body
  })
}

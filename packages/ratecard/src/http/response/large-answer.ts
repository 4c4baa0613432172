// Answers of megabytes go out piece by piece: to encode and to write one in one go would hold everybody else up.
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { pause } from '../../turns.ts'

/** Up to this many characters an answer is written at once: a fraction of a millisecond. */
const pieceLength = 64 * 1024

/** For every route. Registered after whatever looks at the text of an answer. */
export function sendInPieces(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length <= 4 * pieceLength) return payload
    let bytes = 0
    for (const piece of piecesOf(payload)) {
      bytes += Buffer.byteLength(piece)
      await pause()
    }
    reply.header('content-length', bytes)
    return Readable.from(encoded(payload), { objectMode: false })
  })
}

async function* encoded(text: string): AsyncGenerator<Buffer> {
  for (const piece of piecesOf(text)) {
    yield Buffer.from(piece)
    await pause()
  }
}

/** No piece ends between the two halves of a character. */
export function* piecesOf(text: string, length = pieceLength): Generator<string> {
  for (let from = 0; from < text.length;) {
    const to = from + length
    const isSplit = /[\ud800-\udbff]/.test(text.charAt(to - 1)) && /[\udc00-\udfff]/.test(text.charAt(to))
    const end = isSplit ? to + 1 : to
    yield text.slice(from, end)
    from = end
  }
}

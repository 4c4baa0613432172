// JSON bodies: UTF-8 only, read so that no input can surprise what comes after or holds up others.
import type { FastifyInstance } from 'fastify'
import { inTurns } from '../../turns.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { malformed, readJsonTurns } from './read-json.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Only `application/json` is taken, everywhere. An empty body is `undefined`: routes that need one say so. */
export function registerJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const encoding = request.headers['content-encoding']
    if (encoding !== undefined && encoding !== 'identity') {
      done(new ServiceError('media_type_unsupported', 'The body must come without Content-Encoding.'))
      return
    }
    if (body.length === 0) {
      done(null, undefined)
      return
    }
    parseJson(typeof body === 'string' ? Buffer.from(body) : body).then(
      (value) => {
        done(null, value)
      },
      (error: unknown) => {
        done(error instanceof Error ? error : malformed('The body is not JSON.'))
      },
    )
  })
}

async function parseJson(bytes: Buffer): Promise<unknown> {
  return inTurns(readJsonTurns(decode(bytes)))
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw malformed('The body is not UTF-8.')
  }
}

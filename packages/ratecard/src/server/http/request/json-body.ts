// Strict JSON body parser, UTF-8 only. Bodies with configuration documents stay text, because the worker thread for large documents parses
// them.
import type { FastifyInstance } from 'fastify'
import { malformed, readJson } from '../../../document/files/read-json.ts'
import type { Issue } from '../../../base/errors/issue.ts'
import { ServiceError } from '../../../base/errors/service-error.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True: the body is passed on as JSON text, without parsing or validation. */
    readonly keepsText?: boolean
  }
}

/**
 * Registers the parser for `application/json`; other content types are refused. An empty body becomes `undefined`, which routes that
 * require a body refuse.
 */
export function registerJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const encoding = request.headers['content-encoding']
    if (encoding !== undefined && encoding !== 'identity') {
      done(
        new ServiceError(
          'media_type_unsupported',
          'The request must not have the header Content-Encoding: send the body uncompressed.',
        ),
      )
      return
    }
    if (body.length === 0) {
      done(null, undefined)
      return
    }
    try {
      const text = decode(typeof body === 'string' ? Buffer.from(body) : body)
      done(null, request.routeOptions.config.keepsText === true ? text : jsonOf(text))
    } catch (error) {
      done(error instanceof Error ? error : jsonMalformed(malformed('The body is not JSON.')))
    }
  })
}

function jsonOf(text: string): unknown {
  const { value, issue } = readJson(text)
  if (issue !== null) throw jsonMalformed(issue)
  return value
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw jsonMalformed(malformed('The body is not UTF-8.'))
  }
}

export function jsonMalformed(issue: Issue): ServiceError {
  return new ServiceError('json_malformed', issue.detail, { issues: [issue] })
}

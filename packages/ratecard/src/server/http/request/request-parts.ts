// Parsing of headers and bodies that several routes need.
import type { FastifyRequest } from 'fastify'
import { isMoment } from '../../../document/schema/moment.ts'
import { malformed } from '../../../document/files/read-json.ts'
import { pointerOf } from '../../../base/errors/issue.ts'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { jsonMalformed } from './json-body.ts'
import type { Actor, Caller } from '../../../api/notation/callers.ts'

/**
 * Returns author and message of a change from the request headers. Decodes percent-encoded UTF-8, because many clients can send only ASCII
 * in headers.
 */
export function actorOf(request: FastifyRequest): Actor {
  return {
    author: textHeader(request, 'x-ratecard-author', 200),
    by: request.caller === null ? null : { keyId: request.caller.id, keyName: request.caller.name },
    message: textHeader(request, 'x-ratecard-message', 2000),
  }
}

/** Returns the caller with the request id, for the audit trail and for jobs. */
export function callerOf(request: FastifyRequest): Actor & Caller {
  return { ...actorOf(request), requestId: request.id }
}

/** Returns the epoch milliseconds of a body member that contains a time. Throws if the text is no time with a zone. */
export function timeOf(text: string, member: string): number {
  if (isMoment(text)) return Date.parse(text)
  throw memberInvalid(member, `"${member}" must be a time with a zone, for example 2031-01-31T12:00:00Z.`)
}

/** Creates the error for a body whose shape is valid, but in which a member has an unusable value. */
export function memberInvalid(
  member: string,
  detail: string,
  code: 'value_invalid' | 'field_missing' = 'value_invalid',
): ServiceError {
  return new ServiceError('request_invalid', detail, {
    issues: [{ code, pointer: pointerOf([member]), severity: 'error', detail }],
  })
}

function textHeader(request: FastifyRequest, name: string, maxLength: number): string | null {
  const raw = request.headers[name]
  if (typeof raw !== 'string' || raw.trim() === '') return null
  const text = decodeHeader(raw).trim()
  if (text.length <= maxLength) return text
  throw headerInvalid(name, `"${name}" must be at most ${String(maxLength)} characters long.`)
}

// Decodes a header value: Node reads header bytes as Latin-1, but clients may send UTF-8 or percent-encoding. Invalid percent-encoding such
// as "100%" is returned unchanged.
function decodeHeader(raw: string): string {
  const utf8 = Buffer.from(raw, 'latin1').toString('utf8')
  const text = utf8.includes('\uFFFD') ? raw : utf8
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function headerInvalid(name: string, detail: string): ServiceError {
  return new ServiceError('request_invalid', detail, {
    issues: [{ code: 'value_invalid', pointer: pointerOf(['header', name]), severity: 'error', detail }],
  })
}

/** Returns the configuration document of the body as text, which the service parses and validates. Throws if the body is empty. */
export function documentOf(request: FastifyRequest): string {
  if (typeof request.body !== 'string' || request.body.trim() === 'null')
    throw jsonMalformed(malformed('The body is empty. Send the configuration document as JSON.'))
  return request.body
}

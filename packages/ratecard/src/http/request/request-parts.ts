// Request parsing that several routes share.
import type { FastifyRequest } from 'fastify'
import { isMoment } from '../../config/schema/moment.ts'
import { malformed } from '../../config/schema/read-json.ts'
import { pointerOf } from '../../errors/issue.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { Actor } from '../../service/service.ts'
import type { Caller } from '../../service/tenants.ts'
import { jsonMalformed } from './json-body.ts'

/** Author and message of a change. Many clients send ASCII headers only, so percent-encoded UTF-8 is decoded. */
export function actorOf(request: FastifyRequest): Actor {
  return {
    author: textHeader(request, 'x-ratecard-author', 200),
    by: request.caller === null ? null : { keyId: request.caller.id, keyName: request.caller.name },
    message: textHeader(request, 'x-ratecard-message', 2000),
  }
}

/** The caller, for the audit trail and for jobs. */
export function callerOf(request: FastifyRequest): Actor & Caller {
  return { ...actorOf(request), requestId: request.id }
}

/** Epoch milliseconds of a body member that contains a time. */
export function timeOf(text: string, member: string): number {
  if (isMoment(text)) return Date.parse(text)
  throw memberInvalid(member, `"${member}" must be a time with a zone, for example 2031-01-31T12:00:00Z.`)
}

/** Error for a body with a valid shape but an unusable member. */
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
  throw headerInvalid(name, `"${name}" is at most ${String(maxLength)} characters long.`)
}

// Node decodes header bytes as Latin-1. Invalid percent-encoding such as "100%" is returned unchanged.
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

/** The document as text, which the service parses and validates. An empty body is refused. */
export function documentOf(request: FastifyRequest): string {
  if (typeof request.body !== 'string' || request.body.trim() === 'null')
    throw jsonMalformed(malformed('The body is empty. Send the configuration document as JSON.'))
  return request.body
}

// Pieces that several routes read from a request.
import type { FastifyRequest } from 'fastify'
import { isMoment } from '../../config/schema/moment.ts'
import { malformed } from '../../config/schema/read-json.ts'
import { pointerOf } from '../../errors/issue.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { Actor } from '../../service/service.ts'
import type { Caller } from '../../service/tenants.ts'
import { jsonMalformed } from './json-body.ts'

/** Author and message of a change. Header values are ASCII at many clients, so percent-encoded UTF-8 is understood. */
export function actorOf(request: FastifyRequest): Actor {
  return {
    author: textHeader(request, 'x-ratecard-author', 200),
    by: request.caller === null ? null : { keyId: request.caller.id, keyName: request.caller.name },
    message: textHeader(request, 'x-ratecard-message', 2000),
  }
}

/** Who asks, for the audit trail and the jobs. */
export function callerOf(request: FastifyRequest): Actor & Caller {
  return { ...actorOf(request), requestId: request.id }
}

/** Epoch milliseconds of a body member that holds a time. */
export function timeOf(text: string, member: string): number {
  if (isMoment(text)) return Date.parse(text)
  throw memberInvalid(member, `"${member}" must be a time with a zone, for example 2031-01-31T12:00:00Z.`)
}

/** The body has the right shape, yet one of its members cannot be used. */
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

// Node hands header bytes over as Latin-1. "100%" is no percent-encoding and stays as it is.
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

/** The text of the document; the service reads and checks it. An empty body is refused here. */
export function documentOf(request: FastifyRequest): string {
  if (typeof request.body !== 'string' || request.body.trim() === 'null')
    throw jsonMalformed(malformed('The body is empty. Send the configuration document as JSON.'))
  return request.body
}

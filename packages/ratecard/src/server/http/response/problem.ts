// Converts errors of Ratecard and of Fastify to problem responses (RFC 9457). Any other error becomes `internal`, and its cause is only
// logged.
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { problemCodes, type ProblemCode, type ProblemRow } from '../../../base/errors/codes.ts'
import { pointerOf, type Issue as ServiceIssue } from '../../../base/errors/issue.ts'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { validationIssues } from '../request/request-issues.ts'
import { newRequestId } from '../request/request-id.ts'
import { toWire } from '../../../api/notation/case-conversion.ts'
import { Issue } from '../../../api/server/problem.ts'

export const problemMediaType = 'application/problem+json; charset=utf-8'

/** Returns the URL of the error documentation; relative if no public URL is configured. */
export function errorsUrl(publicUrl: string | null): string {
  return `${(publicUrl ?? '').replace(/\/+$/, '')}/docs/errors`
}

/** Returns the problem as JSON. `error.extra` cannot override the standard members. */
export function problemOf(error: ServiceError, requestId: string, docsUrl: string): Record<string, unknown> {
  return {
    ...error.extra,
    type: `${docsUrl}#${error.code}`,
    title: problemCodes[error.code].title,
    status: error.status,
    detail: error.message,
    instance: `urn:request:${requestId}`,
    code: error.code,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(error.issues.length === 0 ? {} : { errors: error.issues.map((issue) => toWire(Issue, issue)) }),
    ...(error.processor === undefined ? {} : { processor: error.processor }),
  }
}

/**
 * Adds a JSON pointer to the body member that caused the error, if the error table lists members for its code. The HTTP layer does this,
 * because only this layer has the body.
 */
function withPointer(error: ServiceError, body: unknown): ServiceError {
  const row: ProblemRow = problemCodes[error.code]
  if (error.issues.length > 0 || row.about === undefined || typeof body !== 'object' || body === null) return error
  const member = row.about.find((name) => Object.hasOwn(body, name))
  if (member === undefined) return error
  const code = error.status === 404 ? 'reference_unknown' : 'value_invalid'
  return new ServiceError(error.code, error.message, {
    hint: error.hint,
    issues: [{ code, pointer: pointerOf([member]), severity: 'error', detail: error.message }],
    processor: error.processor,
    retryAfter: error.retryAfter,
    extra: error.extra,
    cause: error.cause,
  })
}

/** Problem codes for Fastify's error codes. An error with another Fastify code becomes `request_invalid` if its status is below 500. */
const frameworkCodes: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['media_type_unsupported', 'The body must be sent as application/json.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'The body exceeds the limit of this route.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['request_invalid', 'The body is shorter or longer than Content-Length says.'],
  FST_ERR_BAD_URL: ['request_invalid', 'The path is not a valid URL.'],
  FST_ERR_NOT_FOUND: ['route_not_found', 'There is nothing at this path.'],
}

/** Converts any error to a `ServiceError`. `bodyLimit` is the limit of the route in bytes, for the detail of `body_too_large`. */
export function toServiceError(error: unknown, bodyLimit?: number): ServiceError {
  if (error instanceof ServiceError) return error
  if (!(error instanceof Error)) return internalError(error)
  const { code, validation, validationContext, statusCode } = error as Partial<FastifyError>
  if (validation !== undefined) {
    const issues = validationIssues(validation, validationContext ?? 'body')
    return new ServiceError('request_invalid', detailOf(issues), { issues })
  }
  const known = code === undefined ? undefined : frameworkCodes[code]
  if (known?.[0] === 'body_too_large' && bodyLimit !== undefined)
    return new ServiceError(
      'body_too_large',
      `The body is larger than ${String(bodyLimit)} bytes, the limit of this route.`,
    )
  if (known !== undefined) return new ServiceError(known[0], known[1])
  if (code?.startsWith('FST_') === true && statusCode !== undefined && statusCode < 500)
    return new ServiceError('request_invalid', error.message)
  return internalError(error)
}

/**
 * Returns the first issue in full, and the number of further issues, e.g. `"value" must be >= 0. And 2 more problems.` The member `errors`
 * contains all issues.
 */
function detailOf(issues: readonly ServiceIssue[]): string {
  const [first, ...others] = issues
  if (first === undefined) return 'The request is invalid.'
  if (issues.every(({ code }) => code === 'field_unknown'))
    return `The request has members that the route does not take. ${issues.map(({ detail }) => detail).join(' ')}`
  if (others.length === 0) return first.detail
  return `${first.detail} And ${others.length} more ${others.length === 1 ? 'problem' : 'problems'}.`
}

function internalError(cause: unknown): ServiceError {
  return new ServiceError(
    'internal',
    'The request could not be completed. Search the log for the request id to find the cause.',
    {
      cause,
    },
  )
}

/** Creates a function that sends the problem response for an error. The function logs server errors (5xx) but not client errors. */
export function createProblemSender(docsUrl: string) {
  return function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const problem = withPointer(toServiceError(error, request.routeOptions.bodyLimit), request.body)
    if (problem.code === 'internal') request.log.error({ err: error, request_id: request.id }, 'request failed')
    else if (problem.status >= 500) request.log.warn({ err: problem, request_id: request.id }, problem.code)
    if (problem.retryAfter !== undefined) reply.header('retry-after', String(Math.ceil(problem.retryAfter)))
    // Keeps the connection open for a short time and reads the rest of the body. Otherwise a client that is still sending would be cut off
    // and never read the response.
    if (problem.code === 'body_too_large') reply.removeHeader('connection')
    if (problem.status === 401) reply.header('www-authenticate', 'ServiceKey header="X-Service-Key"')
    return reply
      .code(problem.status)
      .header('x-request-id', request.id)
      .header('cache-control', 'no-store')
      .type(problemMediaType)
      .send(JSON.stringify(problemOf(problem, request.id, docsUrl)))
  }
}

/** Timeout (ms) for sending the last response of a connection. */
const lingerMs = 2_000

const answered = new WeakSet<Socket>()

/** Marks the current response as the last one of its connection. Bytes that arrive after it get no response. */
export function answerIsLast(socket: Socket): void {
  answered.add(socket)
}

/**
 * Answers bytes that are not HTTP with a problem response. There is no request object for such bytes, so the response is written directly
 * to the socket.
 */
export function answerClientError(error: Error & { code?: string }, socket: Socket, docsUrl: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  // Destroys the socket after the timeout, because the peer may never close its side.
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => {
    clearTimeout(timer)
  })
  if (answered.has(socket)) return
  const requestId = newRequestId()
  const problem = JSON.stringify(
    problemOf(
      new ServiceError('request_invalid', 'The request is not valid HTTP, or was not sent in time.'),
      requestId,
      docsUrl,
    ),
  )
  socket.end(
    [
      `HTTP/1.1 400 ${STATUS_CODES[400] ?? ''}`,
      `Content-Type: ${problemMediaType}`,
      `Content-Length: ${String(Buffer.byteLength(problem))}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      '',
      problem,
    ].join('\r\n'),
  )
}

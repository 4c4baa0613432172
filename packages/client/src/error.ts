import type { Issue } from './issue.ts'
import type { ProblemCode } from './wire.generated.ts'

/**
 * Error codes known to this version: those of the service (docs/reference/errors.md), and the client's own codes for calls without a valid
 * response.
 */
export type ErrorCode = ProblemCode | 'server_unreachable' | 'request_timeout' | 'request_aborted' | 'answer_invalid'

/** Error fields of the payment processor, unchanged. */
export interface ProcessorWords {
  readonly type?: string
  readonly code?: string
  readonly message?: string
  readonly param?: string
  readonly request_id?: string
}

export interface RatecardErrorFields {
  readonly code: string
  readonly message: string
  /** HTTP status; 0 if there was no response, e.g. because the server is unreachable or the request timed out. */
  readonly status?: number
  readonly title?: string
  readonly hint?: string | undefined
  readonly errors?: readonly Issue[]
  readonly requestId?: string | null
  readonly processor?: ProcessorWords | null
  readonly retryAfterMs?: number | null
  readonly problem?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/**
 * Error of every failed call. Check its `code`. It is a code from the server's problem document, or one of the client's own:
 * `server_unreachable`, `request_timeout`, `request_aborted` or `answer_invalid`.
 */
export class RatecardError extends Error {
  override readonly name = 'RatecardError'
  /** Error code. It may be a code that this version does not list, because the service may be newer. */
  readonly code: ErrorCode | (string & {})
  readonly status: number
  readonly title: string
  readonly hint: string | undefined
  readonly errors: readonly Issue[]
  readonly requestId: string | null
  readonly processor: ProcessorWords | null
  readonly retryAfterMs: number | null
  /** The problem document (the JSON body of an error response), unchanged, with additional members such as `push_id`. */
  readonly problem: Readonly<Record<string, unknown>>

  constructor(fields: RatecardErrorFields) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause })
    this.code = fields.code
    this.status = fields.status ?? 0
    this.title = fields.title ?? fields.message
    this.hint = fields.hint
    this.errors = fields.errors ?? []
    this.requestId = fields.requestId ?? null
    this.processor = fields.processor ?? null
    this.retryAfterMs = fields.retryAfterMs ?? null
    this.problem = fields.problem ?? {}
  }
}

/** Creates the error for a problem document (RFC 9457). */
export function errorFromProblem(
  problem: Readonly<Record<string, unknown>>,
  answer: { readonly status: number; readonly requestId?: string | null; readonly retryAfterMs?: number | null },
): RatecardError {
  const text = (name: string) => (typeof problem[name] === 'string' ? problem[name] : undefined)
  const title = text('title') ?? `The server answered ${answer.status}`
  return new RatecardError({
    code: text('code') ?? 'answer_invalid',
    status: answer.status,
    title,
    message: text('detail') ?? title,
    hint: text('hint'),
    errors: Array.isArray(problem['errors']) ? problem['errors'].filter(isIssue) : [],
    requestId: answer.requestId ?? text('instance') ?? null,
    processor: isRecord(problem['processor']) ? problem['processor'] : null,
    retryAfterMs: answer.retryAfterMs ?? null,
    problem,
  })
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isIssue(value: unknown): value is Issue {
  return isRecord(value) && typeof value['detail'] === 'string' && typeof value['pointer'] === 'string'
}

import type { Issue } from './issue.ts'
import type { ProblemCode } from './wire.generated.ts'

/**
 * Error codes known to this version: those of the service (docs/reference/errors.md), and the client's own for calls without a valid
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
  /** HTTP status; 0 without a response, e.g. if the server is unreachable or the request timed out. */
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
 * Error of every failed call. Check its `code`: a code of the server's problem document, or the client's own `server_unreachable`,
 * `request_timeout`, `request_aborted` or `answer_invalid`.
 */
export class RatecardError extends Error {
  override readonly name = 'RatecardError'
  /** Error code. A newer service may return codes that this version does not list. */
  readonly code: ErrorCode | (string & {})
  readonly status: number
  readonly title: string
  readonly hint: string | undefined
  readonly errors: readonly Issue[]
  readonly requestId: string | null
  readonly processor: ProcessorWords | null
  readonly retryAfterMs: number | null
  /** The problem document of the server, unchanged, with additional members such as `push_id`. */
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

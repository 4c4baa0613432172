import { problemCodes, type ProblemCode } from './codes.ts'
import type { Issue } from './issue.ts'

/** The error fields in the processor's response, unchanged except that secrets are redacted. */
export interface ProcessorWords {
  readonly type?: string | undefined
  readonly code?: string | undefined
  readonly message?: string | undefined
  readonly param?: string | undefined
  readonly request_id?: string | undefined
}

export interface ServiceErrorOptions {
  readonly hint?: string | undefined
  readonly issues?: readonly Issue[] | undefined
  readonly processor?: ProcessorWords | undefined
  /** Value of the header `Retry-After` in seconds. */
  readonly retryAfter?: number | undefined
  /** Further members of the problem document, e.g. `push_id`. Names are snake_case, values are JSON without secrets. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined
  readonly cause?: unknown
}

/** The error class of the service's operations: a code from the table in `codes.ts`, with the details of this occurrence. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ProblemCode
  readonly hint: string | undefined
  readonly issues: readonly Issue[]
  readonly processor: ProcessorWords | undefined
  readonly retryAfter: number | undefined
  readonly extra: Readonly<Record<string, unknown>>

  constructor(code: ProblemCode, detail: string, options: ServiceErrorOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.hint = options.hint
    this.issues = options.issues ?? []
    this.processor = options.processor
    this.retryAfter = options.retryAfter
    this.extra = options.extra ?? {}
  }

  get status(): number {
    return problemCodes[this.code].status
  }
}

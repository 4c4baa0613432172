import { RatecardError } from '@ratecard/client'
import type { PlacedIssue } from '../document/files/source.ts'
import type { Issue } from '../base/errors/issue.ts'
import { problemCodes } from '../base/errors/codes.ts'
import { ServiceError } from '../base/errors/service-error.ts'
import type { FailureCode } from './failure-codes.ts'

/**
 * Exit codes: 0 success, 1 refused, invalid or conflict, 2 usage error, 3 changes or drift found, 70 internal error or unreachable server.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 70

/** Members of a problem document (RFC 9457), e.g. of an error response. Failures of the CLI itself have the same members. */
export interface Problem {
  readonly code: FailureCode
  readonly title: string
  readonly detail: string
  readonly hint?: string | undefined
  readonly status?: number | undefined
  readonly errors?: readonly (Issue | PlacedIssue | RatecardError['errors'][number])[] | undefined
  readonly requestId?: string | null
  readonly processor?: Readonly<Record<string, unknown>> | null
  /** Other members of the server's problem document, e.g. `push_id`. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** An expected failure of a command: the problem to show, and the exit code. */
export class CliFailure extends Error {
  override readonly name = 'CliFailure'
  readonly exit: ExitCode
  readonly problem: Problem

  constructor(exit: ExitCode, problem: Problem) {
    super(problem.detail)
    this.exit = exit
    this.problem = problem
  }
}

/** A usage error (exit code 2). */
export function usageFailure(detail: string, hint?: string): CliFailure {
  return new CliFailure(2, { code: 'usage', title: 'The command was not understood', detail, hint })
}

/** Startup errors of the embedded server that the operator can fix. The exit code is then 1 instead of 70. */
const startMistakes: ReadonlySet<string> = new Set([
  'settings_invalid',
  'secret_unreadable',
  'store_in_use',
  'store_behind',
])

/** Converts any thrown value to a failure that can be displayed. */
export function toFailure(error: unknown, io: { readonly apiUrl?: string | undefined } = {}): CliFailure {
  if (error instanceof CliFailure) return error
  if (error instanceof RatecardError) return fromClient(error, io.apiUrl)
  if (error instanceof ServiceError)
    return new CliFailure(startMistakes.has(error.code) ? 1 : exitOf(error.status), {
      code: error.code,
      title: problemCodes[error.code].title,
      detail: error.message,
      hint: error.hint,
      errors: error.issues,
      extra: error.extra,
    })
  if (isSystemError(error)) return fromSystem(error)
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return new CliFailure(70, {
    code: 'internal',
    title: 'Something went wrong on our side',
    detail,
    hint: 'Please report this, with the text above.',
  })
}

const standardMembers = new Set([
  'type',
  'title',
  'status',
  'detail',
  'instance',
  'code',
  'hint',
  'errors',
  'processor',
])

function fromClient(error: RatecardError, apiUrl: string | undefined): CliFailure {
  if (error.code === 'server_unreachable' || error.code === 'request_timeout')
    return new CliFailure(70, {
      code: error.code as FailureCode,
      title: error.code === 'server_unreachable' ? 'The server could not be reached' : 'The server did not answer',
      detail: error.message,
      hint: 'Start a server with `ratecard server start`, or pass its address with --api-url or RATECARD_API_URL.',
    })
  const extra = Object.fromEntries(Object.entries(error.problem).filter(([name]) => !standardMembers.has(name)))
  return new CliFailure(exitOf(error.status), {
    // The cast is needed because a newer server may have codes that this version does not know.
    code: error.code as FailureCode,
    title: error.title,
    detail: error.message,
    hint: hintFor(error, apiUrl),
    status: error.status,
    errors: error.errors,
    requestId: error.requestId,
    processor: error.processor === null ? null : { ...error.processor },
    extra,
  })
}

/** Operations that the server's hints name, with the command that does the same. */
const commandsFor: Readonly<Record<string, string>> = {
  'GET admin/tenants/{id}/subscriptions': 'ratecard tenants subscriptions <tenant>',
  'GET admin/tenants/{id}/discounts': 'ratecard tenants discounts list <tenant>',
  'POST admin/tenants/{id}/discounts': 'ratecard tenants discounts add <tenant>',
  'DELETE admin/tenants/{id}/discounts/{discount}': 'ratecard tenants discounts remove <tenant> <discount>',
  'GET admin/jobs': 'ratecard jobs list',
  'GET admin/pushes': 'ratecard billing pushes',
}

/** Writes commands in place of the API's operations. An operation without a command stays. */
export function inCommands(hint: string): string {
  const operation = /`?\b((?:GET|POST|PUT|DELETE) admin\/[\w/{}]+)`?/g
  return hint.replace(operation, (whole, name: string) => {
    const command = commandsFor[name]
    return command === undefined ? whole : `\`${command}\``
  })
}

/** Returns a hint that names the CLI's flag, because the server's own hint refers to its API. */
function hintFor(error: RatecardError, apiUrl: string | undefined): string | undefined {
  const at = apiUrl === undefined ? 'the server' : apiUrl
  switch (error.code) {
    case 'service_key_missing':
      return `Give the service key of ${at} with --service-key or RATECARD_SERVICE_KEY.`
    case 'service_key_invalid':
      return `Check --service-key or RATECARD_SERVICE_KEY: ${at} does not know this key.`
    case 'processor_drift':
      return error.hint ?? 'See `ratecard billing drift`. To overwrite the edits, push again with --force.'
    case 'worker_not_found':
      return 'List them with `ratecard cloud workers list`.'
    case 'job_not_found':
      return 'List them with `ratecard jobs list`.'
    case 'subscription_not_found':
      return 'List them with `ratecard tenants subscriptions`. A first subscription is sold by a checkout; at a sandbox `ratecard sandbox buy` makes and pays one.'
    case 'already_subscribed':
      return 'See what the change costs with `ratecard subscriptions preview`, then make it with `ratecard subscriptions change`.'
    case 'impact_not_approved':
      return 'Read what it affects, then push again with --approve-impact.'
    case 'version_conflict':
      return error.hint ?? 'Raise `version` in the configuration and push again.'
    case 'config_not_found':
      return error.hint ?? 'Push a configuration first: `ratecard billing push`.'
    case 'push_in_progress':
      return error.hint ?? 'Wait for it, or follow it with `ratecard billing pushes`.'
    default:
      return error.hint === undefined ? undefined : inCommands(error.hint)
  }
}

function exitOf(status: number): ExitCode {
  return status >= 400 && status < 500 ? 1 : 70
}

interface SystemError extends Error {
  readonly code: string
  readonly syscall: string
  readonly path?: string
}

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string'
}

function fromSystem(error: SystemError): CliFailure {
  const what: Record<string, string> = {
    ENOENT: 'does not exist',
    EACCES: 'may not be read or written by this user',
    EPERM: 'may not be read or written by this user',
    EISDIR: 'is a directory',
    ENOTDIR: 'is not a directory',
    ENOSPC: 'cannot be written: the disk is full',
    EROFS: 'is on a read-only file system',
  }
  // `mkdir` on the path of a file fails with EEXIST, and in a file system that creates its own files (e.g. /proc) with ENOENT.
  const ofFolder: Record<string, string> = { EEXIST: 'is not a directory', ENOENT: 'cannot be created' }
  const reason = (error.syscall === 'mkdir' ? ofFolder[error.code] : undefined) ?? what[error.code]
  const code =
    error.code === 'ENOENT' ? 'file_not_found' : error.code === 'EADDRINUSE' ? 'address_in_use' : 'file_error'
  const detail = reason !== undefined && error.path !== undefined ? `${error.path} ${reason}.` : `${error.message}.`
  return new CliFailure(1, {
    code,
    title: code === 'address_in_use' ? 'The port is taken' : 'A file could not be used',
    detail,
    hint:
      code === 'address_in_use'
        ? 'Choose another port with --port, or stop the program that listens there.'
        : undefined,
  })
}

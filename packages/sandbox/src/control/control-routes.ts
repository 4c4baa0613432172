import type { IncomingHttpHeaders } from 'node:http'
import type { ApiReply } from '../protocol/api.ts'
import { parseTime } from '../clock.ts'
import { ceilings } from './ceilings.ts'
import { ClockBusyError, SeedError, usageChecks, type SandboxControl, type SeedCall } from './control.ts'
import { isTestKey } from '../protocol/requests/auth.ts'
import { ClockClosedError } from '../transactions.ts'
import { faultKinds, type FaultOrder } from './faults.ts'
import { isRecord } from '../protocol/parameters/form.ts'
import { rateProfiles, type RateProfile } from '../protocol/requests/rate-limit.ts'

interface ControlRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: string
  readonly headers: IncomingHttpHeaders
  /** Aborted when the client closes the connection. */
  readonly gone: AbortSignal
}

/** Thrown for an invalid control request. The response has status 400 (or `status`) and contains the reason. */
class ControlError extends Error {
  readonly status: number
  constructor(message: string, status = 400) {
    super(message)
    this.status = status
  }
}

/**
 * Handles a request to `/_sandbox/…`; request and response are JSON. A request with an API key concerns the key's account, a request
 * without a key all accounts.
 */
export async function handleControl(control: SandboxControl, request: ControlRequest): Promise<ApiReply> {
  try {
    refuseForeignOrigins(request.headers)
    return reply(200, await run(control, request))
  } catch (error) {
    if (error instanceof ControlError) return reply(error.status, { error: error.message })
    // `SandboxControl` throws a RangeError for a value above its maximum.
    if (error instanceof RangeError) return reply(400, { error: error.message })
    if (error instanceof ClockBusyError) return reply(409, { error: error.message })
    if (error instanceof ClockClosedError) return reply(503, { error: error.message })
    if (error instanceof SeedError) return reply(400, { error: error.message, call: error.index, answer: error.answer })
    throw error
  }
}

function reply(status: number, value: unknown): ApiReply {
  return { status, headers: {}, body: `${JSON.stringify(value, null, 2)}\n`, wire: 'whole' }
}

/**
 * Refuses host names and origins other than loopback. Otherwise a web page in the user's browser could read or empty the sandbox (e.g. with
 * DNS rebinding).
 */
function refuseForeignOrigins(headers: IncomingHttpHeaders): void {
  const host = hostOf(`http://${headers.host ?? ''}`)
  const origin = headers.origin === undefined ? host : hostOf(headers.origin)
  for (const name of [host, origin]) {
    if (!/^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(name))
      throw new ControlError(
        'Control routes accept requests from this machine only (localhost, 127.0.0.1 or [::1]).',
        403,
      )
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : ''
}

async function run(control: SandboxControl, request: ControlRequest): Promise<unknown> {
  const [, , resource = '', name, action] = request.path.split('/')
  const key = keyOf(request.headers.authorization)
  if (key !== undefined && !isTestKey(key))
    throw new ControlError('Accounts belong to test keys (sk_test_…, rk_test_…). The key of this request is none.', 401)
  switch (
    `${request.method} ${resource}${name === undefined ? '' : '/:name'}${action === undefined ? '' : `/${action}`}`
  ) {
    case 'GET ':
    case 'GET /:name':
      return control.status()
    case 'POST reset':
      control.reset(key)
      return { reset: key === undefined ? 'everything' : 'account' }
    case 'POST seed':
      if (key === undefined)
        throw new ControlError('A seed needs an API key: its objects are created in that account.', 401)
      return { answers: await control.seed(key, readCalls(jsonOf(request.body))) }
    case 'GET requests':
      return { requests: control.requests({ apiKey: key, limit: readLimit(request.query) }) }
    case 'GET requests/:name': {
      const found = control.request(name ?? '')
      if (found === undefined)
        throw new ControlError('There is no such request in the log, which keeps the latest 10,000.', 404)
      return found
    }
    case 'DELETE requests':
      control.clearRequests()
      return { requests: [] }
    case 'GET faults':
      return { faults: control.faults() }
    case 'POST faults':
      return { id: control.fail(readFault(jsonOf(request.body))) }
    case 'DELETE faults':
      control.clearFaults()
      return { faults: [] }
    case 'POST late':
      return { landed: await control.land() }
    case 'GET deliveries':
      return { deliveries: control.deliveries({ apiKey: key, limit: readLimit(request.query) }) }
    case 'GET clock':
      if (key === undefined)
        throw new ControlError('Each account has its own clock: send the API key of the account.', 401)
      return { now: control.now(key) }
    case 'POST clock':
      await control.advanceInSlices(
        readAdvance(jsonOf(request.body), key === undefined ? undefined : control.now(key)),
        key,
        request.gone,
      )
      return key === undefined ? { advanced: 'everything' } : { now: control.now(key) }
    case 'DELETE clock':
      return { stopped: control.stopClocks(key) }
    case 'PUT profile':
      control.setProfile(choiceOf(jsonOf(request.body), 'profile', Object.keys(rateProfiles) as RateProfile[]))
      return { profile: control.status().profile }
    case 'PUT usage':
      control.checkUsage(choiceOf(jsonOf(request.body), 'check', usageChecks))
      return { usage_check: control.status().usage_check }
    case 'PUT search':
      control.setSearchDelay(countOf(jsonOf(request.body), 'delay_seconds', ceilings.searchDelay) ?? 0)
      return { search_delay_seconds: control.status().search_delay_seconds }
    case 'PUT snapshots/:name':
      if ((name ?? '').length > ceilings.text)
        throw new ControlError(`A name can be at most ${ceilings.text} characters.`)
      control.snapshot(name ?? '', key)
      return { snapshots: control.status().snapshots }
    case 'POST snapshots/:name/restore':
      if (!control.restore(name ?? '')) throw new ControlError(`There is no snapshot "${name ?? ''}".`, 404)
      return { restored: name }
    default:
      throw new ControlError(`There is no control route ${request.method} ${request.path}.`, 404)
  }
}

function keyOf(authorization: string | undefined): string | undefined {
  const [scheme, value] = authorization?.trim().split(/\s+/, 2) ?? []
  if (value === undefined) return undefined
  return scheme?.toLowerCase() === 'basic' ? Buffer.from(value, 'base64').toString('utf8').split(':', 1)[0] : value
}

function jsonOf(body: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    throw new ControlError('The body must be JSON.')
  }
  if (!isRecord(value)) throw new ControlError('The body must be a JSON object.')
  return value
}

function readLimit(query: string): number | undefined {
  const limit = new URLSearchParams(query).get('limit')
  if (limit === null) return undefined
  if (!/^[1-9]\d{0,4}$/.test(limit) || Number(limit) > ceilings.rows)
    throw new ControlError(`limit must be a whole number from 1 to ${ceilings.rows}.`)
  return Number(limit)
}

/**
 * Returns the number of seconds by which to advance: `advance_seconds` or, with an API key, the time until `to` (epoch seconds or RFC
 * 3339).
 */
function readAdvance(body: Record<string, unknown>, now: number | undefined): number {
  const seconds = countOf(body, 'advance_seconds', ceilings.clockAhead)
  if (seconds !== undefined) return seconds
  const to = body['to']
  const moment = typeof to === 'string' ? Math.floor(parseTime(to) / 1000) : to
  if (typeof moment !== 'number' || !Number.isSafeInteger(moment))
    throw new ControlError(
      to === undefined
        ? 'Send `advance_seconds` or `to`.'
        : '`to` must be epoch seconds, or a time that exists with its zone, e.g. 2027-01-31T00:00:00Z.',
    )
  if (now === undefined) throw new ControlError('`to` moves the clock of one account: send its API key.')
  if (moment < now) throw new ControlError('A clock only moves forward: `to` must not be before its current time.')
  return moment - now
}

function choiceOf<const T extends string>(body: Record<string, unknown>, member: string, choices: readonly T[]): T {
  const found = choices.find((name) => name === body[member])
  if (found === undefined) throw new ControlError(`${member} must be one of ${choices.join(', ')}.`)
  return found
}

function readCalls(body: Record<string, unknown>): SeedCall[] {
  const calls = body['calls']
  if (!Array.isArray(calls)) throw new ControlError('calls must be a list of { path, params }.')
  if (calls.length > ceilings.seedCalls)
    throw new ControlError(`calls can have at most ${ceilings.seedCalls} elements.`)
  return calls.map((call: unknown, index) => {
    if (!isRecord(call)) throw new ControlError(`calls[${index}] must be an object.`)
    const params = call['params']
    if (params !== undefined && !isRecord(params)) throw new ControlError(`calls[${index}].params must be an object.`)
    const path = textOf(call, 'path')
    if (path === undefined) throw new ControlError(`calls[${index}].path is missing.`)
    return { path, method: textOf(call, 'method'), params, as: textOf(call, 'as') }
  })
}

function readFault(body: Record<string, unknown>): FaultOrder {
  const known = ['kind', 'method', 'path', 'count', 'skip', 'latency_ms', 'reason', 'keep', 'account']
  const unknown = Object.keys(body).find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new ControlError(`${unknown} is unknown; the members of a fault are ${known.join(', ')}.`)
  const kind = choiceOf(body, 'kind', faultKinds)
  const keep = body['keep']
  if (keep !== undefined && typeof keep !== 'boolean') throw new ControlError('keep must be true or false.')
  const latencyMs = countOf(body, 'latency_ms', ceilings.latencyMs)
  if (kind === 'latency' && latencyMs === undefined) throw new ControlError('latency needs latency_ms.')
  return {
    kind,
    method: textOf(body, 'method'),
    path: textOf(body, 'path'),
    count: body['count'] === null ? null : countOf(body, 'count', ceilings.faultRequests),
    skip: countOf(body, 'skip', ceilings.faultRequests),
    latencyMs,
    reason: textOf(body, 'reason'),
    keep,
    account: textOf(body, 'account'),
  }
}

function textOf(body: Record<string, unknown>, name: string): string | undefined {
  const value = body[name]
  if (value === undefined) return undefined
  if (typeof value === 'string' && value.length <= ceilings.text) return value
  if (typeof value === 'string') throw new ControlError(`${name} can be at most ${ceilings.text} characters.`)
  throw new ControlError(`${name} must be a string.`)
}

function countOf(body: Record<string, unknown>, name: string, most: number): number | undefined {
  const value = body[name]
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most) return value
  throw new ControlError(`${name} must be a whole number of at most ${most}.`)
}

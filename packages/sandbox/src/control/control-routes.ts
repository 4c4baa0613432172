import type { IncomingHttpHeaders } from 'node:http'
import type { ApiReply } from '../protocol/api.ts'
import { ceilings } from './ceilings.ts'
import { ClockBusy, SeedRefused, usageChecks } from './control.ts'
import type { SandboxControl, SeedCall, UsageCheck } from './control.ts'
import { faultKinds } from './faults.ts'
import type { FaultOrder } from './faults.ts'
import { rateProfiles } from '../protocol/rate-limit.ts'
import type { RateProfile } from '../protocol/rate-limit.ts'

interface ControlRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: string
  readonly headers: IncomingHttpHeaders
  /** Aborted when the caller hangs up. */
  readonly gone: AbortSignal
}

/** A mistake of the caller: told with 400 and the reason. */
class BadControl extends Error {
  readonly status: number
  constructor(message: string, status = 400) {
    super(message)
    this.status = status
  }
}

/** `/_sandbox/…`: JSON in, JSON out. With an API key only that account is meant, without one all of them. */
export async function answerControl(control: SandboxControl, request: ControlRequest): Promise<ApiReply> {
  try {
    refuseStrangers(request.headers)
    return reply(200, await run(control, request))
  } catch (error) {
    if (error instanceof BadControl) return reply(error.status, { error: error.message })
    // What the control refuses by itself: a value beyond its ceiling.
    if (error instanceof RangeError) return reply(400, { error: error.message })
    if (error instanceof ClockBusy) return reply(409, { error: error.message })
    if (error instanceof SeedRefused)
      return reply(400, { error: error.message, call: error.index, answer: error.answer })
    throw error
  }
}

function reply(status: number, value: unknown): ApiReply {
  return { status, headers: {}, body: `${JSON.stringify(value, null, 2)}\n`, wire: 'whole' }
}

/** A web page in the same user's browser can reach loopback; it must not be able to empty or read the sandbox. */
function refuseStrangers(headers: IncomingHttpHeaders): void {
  const host = hostOf(`http://${headers.host ?? ''}`)
  const origin = headers.origin === undefined ? host : hostOf(headers.origin)
  for (const name of [host, origin]) {
    if (!/^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(name))
      throw new BadControl('Control routes are for this machine only.', 403)
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : ''
}

async function run(control: SandboxControl, request: ControlRequest): Promise<unknown> {
  const [, , resource = '', name, action] = request.path.split('/')
  const key = keyOf(request.headers.authorization)
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
      if (key === undefined) throw new BadControl('Seeding needs an API key: it goes into that account.', 401)
      return { answers: await control.seed(key, readCalls(jsonOf(request.body))) }
    case 'GET requests':
      return { requests: control.requests({ apiKey: key, limit: readLimit(request.query) }) }
    case 'GET requests/:name': {
      const found = control.request(name ?? '')
      if (found === undefined) throw new BadControl('No such request is remembered.', 404)
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
      if (key === undefined) throw new BadControl('Each account has a clock of its own: send its API key.', 401)
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
      control.setProfile(readProfile(jsonOf(request.body)))
      return { profile: control.status().profile }
    case 'PUT usage':
      control.checkUsage(readUsageCheck(jsonOf(request.body)))
      return { usage_check: control.status().usage_check }
    case 'PUT search':
      control.setSearchDelay(countOf(jsonOf(request.body), 'delay_seconds', ceilings.searchDelay) ?? 0)
      return { search_delay_seconds: control.status().search_delay_seconds }
    case 'PUT snapshots/:name':
      if ((name ?? '').length > ceilings.text)
        throw new BadControl(`A name can be at most ${ceilings.text} characters.`)
      control.snapshot(name ?? '', key)
      return { snapshots: control.status().snapshots }
    case 'POST snapshots/:name/restore':
      if (!control.restore(name ?? '')) throw new BadControl(`There is no snapshot "${name ?? ''}".`, 404)
      return { restored: name }
    default:
      throw new BadControl(`There is no control route ${request.method} ${request.path}.`, 404)
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
    throw new BadControl('The body must be JSON.')
  }
  if (!isRecord(value)) throw new BadControl('The body must be a JSON object.')
  return value
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readLimit(query: string): number | undefined {
  const limit = new URLSearchParams(query).get('limit')
  if (limit === null) return undefined
  if (!/^[1-9]\d{0,4}$/.test(limit) || Number(limit) > ceilings.rows)
    throw new BadControl(`limit must be a whole number from 1 to ${ceilings.rows}.`)
  return Number(limit)
}

/** `advance_seconds`, or for one account `to` (seconds since the epoch, or RFC 3339). */
function readAdvance(body: Record<string, unknown>, now: number | undefined): number {
  const seconds = countOf(body, 'advance_seconds', ceilings.clockAhead)
  if (seconds !== undefined) return seconds
  const to = body['to']
  const moment = typeof to === 'string' ? Math.floor(Date.parse(to) / 1000) : to
  if (typeof moment !== 'number' || !Number.isSafeInteger(moment)) throw new BadControl('Send advance_seconds, or to.')
  if (now === undefined) throw new BadControl('Send the API key of the account whose clock goes to a moment.')
  if (moment < now) throw new BadControl('A clock only goes forward.')
  return moment - now
}

function readProfile(body: Record<string, unknown>): RateProfile {
  const names = Object.keys(rateProfiles) as RateProfile[]
  const found = names.find((name) => name === body['profile'])
  if (found === undefined) throw new BadControl(`profile must be one of ${names.join(', ')}.`)
  return found
}

function readUsageCheck(body: Record<string, unknown>): UsageCheck {
  const found = usageChecks.find((name) => name === body['check'])
  if (found === undefined) throw new BadControl(`check must be one of ${usageChecks.join(', ')}.`)
  return found
}

function readCalls(body: Record<string, unknown>): SeedCall[] {
  const calls = body['calls']
  if (!Array.isArray(calls)) throw new BadControl('calls must be a list of { path, params }.')
  if (calls.length > ceilings.seedCalls) throw new BadControl(`calls can be at most ${ceilings.seedCalls}.`)
  return calls.map((call: unknown, index) => {
    if (!isRecord(call)) throw new BadControl(`calls[${index}] must be an object.`)
    const params = call['params']
    if (params !== undefined && !isRecord(params)) throw new BadControl(`calls[${index}].params must be an object.`)
    const path = textOf(call, 'path')
    if (path === undefined) throw new BadControl(`calls[${index}].path is missing.`)
    return { path, method: textOf(call, 'method'), params, as: textOf(call, 'as') }
  })
}

function readFault(body: Record<string, unknown>): FaultOrder {
  const known = ['kind', 'method', 'path', 'count', 'skip', 'latency_ms', 'reason', 'keep', 'account']
  const unknown = Object.keys(body).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new BadControl(`${unknown} is not known; a fault has ${known.join(', ')}.`)
  const kind = faultKinds.find((name) => name === body['kind'])
  if (kind === undefined) throw new BadControl(`kind must be one of ${faultKinds.join(', ')}.`)
  const keep = body['keep']
  if (keep !== undefined && typeof keep !== 'boolean') throw new BadControl('keep must be true or false.')
  const latencyMs = countOf(body, 'latency_ms', ceilings.latencyMs)
  if (kind === 'latency' && latencyMs === undefined) throw new BadControl('latency needs latency_ms.')
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
  if (typeof value === 'string') throw new BadControl(`${name} can be at most ${ceilings.text} characters.`)
  throw new BadControl(`${name} must be a string.`)
}

function countOf(body: Record<string, unknown>, name: string, most: number): number | undefined {
  const value = body[name]
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most) return value
  throw new BadControl(`${name} must be a whole number of at most ${most}.`)
}

// Sends the responses of pushes. A response is sent at the end of the push or, with `Prefer: respond-async`, as soon as the push is in the
// journal. A retry with the same Idempotency-Key gets the stored response.
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../../base/errors/service-error.ts'
import type { configOperations } from '../../../api/push/config.ts'
import type { pushOperations, PushOptions, PushOutcome } from '../../../api/push/pushes.ts'
import { problemMediaType, problemOf, toServiceError } from './problem.ts'
import { actorOf, headerInvalid } from '../request/request-parts.ts'
import { overrideOf } from '../request/override.ts'
import type { RouteResponse, RouteContext } from '../contract/route.ts'
import type { Service } from '../../service/service.ts'

export const pushesPath = '/api/v1/billing/admin/pushes'

export interface PushAnswering {
  readonly service: Pick<Service, 'idempotent'>
  readonly docsUrl: string
}

type PushFn = (options: PushOptions) => Promise<PushOutcome>
type PushCall =
  RouteContext<(typeof configOperations)['pushConfig']> | RouteContext<(typeof configOperations)['rollbackConfig']>
type ResumeCall = RouteContext<(typeof pushOperations)['resumePush']>

/** Runs a push (or rollback) with the options of the request, then sends the response. The push continues if the client disconnects. */
export async function answerPush(answering: PushAnswering, call: PushCall, run: PushFn): Promise<FastifyReply> {
  const { request, reply } = call
  const { override, ...query } = call.query
  const expectPlan = expectedPlan(request)
  const written = writtenForm(request)
  const options: PushOptions = {
    ...actorOf(request),
    ...query,
    ...overrideOf(request, override, query),
    ...(expectPlan === null ? {} : { expectPlan }),
    ...(written === null ? {} : { written }),
  }
  const isAsync = !query.dryRun && prefersAsync(request)
  return answerOnce(answering, request, reply, query.dryRun ? null : idempotencyKeyOf(request), () =>
    runPush(run, options, call, isAsync),
  )
}

/** Finishes a push that is already in the journal, then sends the response. A retry finds that the push is already finished. */
export async function answerResume(
  call: ResumeCall,
  run: (options: Pick<PushOptions, 'onOpen' | 'override' | 'by' | 'message'>) => Promise<PushOutcome>,
): Promise<FastifyReply> {
  const { request, reply } = call
  const options = { ...actorOf(request), ...overrideOf(request, call.query.override) }
  const answer = await runPush(run, options, call, prefersAsync(request))
  const body = (await answer.content()) ?? ''
  addStartedHeaders(reply, answer.status, body)
  return reply.code(answer.status).type('application/json; charset=utf-8').send(body)
}

interface PushAnswers {
  readonly request: FastifyRequest
  answer(status: 202, value: { readonly pushId: string; readonly state: 'running' }): RouteResponse
  answer(status: 200, value: PushOutcome): RouteResponse
}

async function runPush(run: PushFn, options: PushOptions, call: PushAnswers, isAsync: boolean) {
  const result = isAsync ? await untilOpen(run, options, call.request) : await run(options)
  return typeof result === 'string' ? call.answer(202, { pushId: result, state: 'running' }) : call.answer(200, result)
}

function addStartedHeaders(reply: FastifyReply, status: number, body: Buffer | string): void {
  const pushId = status === 202 ? pushIdOf(body.toString()) : null
  if (pushId !== null) reply.header('location', `${pushesPath}/${pushId}`).header('preference-applied', 'respond-async')
}

/** Runs `work` once per idempotency key and sends its result. A replayed response has the header `Idempotent-Replayed`. */
export async function answerOnce(
  { service, docsUrl }: PushAnswering,
  request: FastifyRequest,
  reply: FastifyReply,
  key: string | null,
  work: () => Promise<RouteResponse>,
): Promise<FastifyReply> {
  const run = () => keepingFailures(work, request, docsUrl)
  const result =
    key === null
      ? { ...(await run()), replayed: false }
      : await service.idempotent(key, fingerprintOf(request), () => runForReplay(run))
  if (result.replayed) reply.header('idempotent-replayed', 'true')
  const body = result.status < 400 ? result.body : withInstance(result.body.toString(), request.id)
  addStartedHeaders(reply, result.status, body)
  return reply
    .code(result.status)
    .type(result.status < 400 ? 'application/json; charset=utf-8' : problemMediaType)
    .send(body)
}

/**
 * Runs `work` and returns its response. If a push is refused after it entered the journal, its error is returned as a response too. That
 * push had effects, so its response must be stored under the idempotency key. Other failures are thrown and not stored, so that a retry
 * runs `work` again. The journal makes such a retry safe.
 */
async function keepingFailures(work: () => Promise<RouteResponse>, request: FastifyRequest, docsUrl: string) {
  try {
    const answer = await work()
    return { status: answer.status, body: (await answer.content()) ?? '' }
  } catch (error) {
    const problem = toServiceError(error)
    if (problem.status >= 500 || typeof problem.extra['push_id'] !== 'string') throw error
    return { status: problem.status, body: JSON.stringify(problemOf(problem, request.id, docsUrl)) }
  }
}

/**
 * Runs a push and returns status and body of its response, which are then stored under the idempotency key. The body is text, because the
 * store needs text.
 */
async function runForReplay(run: () => ReturnType<typeof keepingFailures>) {
  const { status, body } = await run()
  return { status, body: body.toString() }
}

/**
 * Resolves with the push id as soon as the push is in the journal. If the push ends before it enters the journal, resolves with its
 * outcome.
 */
function untilOpen(run: PushFn, options: PushOptions, request: FastifyRequest): Promise<string | PushOutcome> {
  return new Promise((resolve, reject) => {
    let opened: string | null = null
    const onOpen = (pushId: string) => {
      opened = pushId
      resolve(pushId)
    }
    run({ ...options, onOpen }).then(resolve, (error: unknown) => {
      if (opened !== null) request.log.warn({ err: error, push_id: opened }, 'a push answered with 202 has failed')
      reject(error instanceof Error ? error : new Error('the push failed', { cause: error }))
    })
  })
}

export function idempotencyKeyOf(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw headerInvalid('idempotency-key', 'The Idempotency-Key must have 1 to 255 visible ASCII characters.')
}

const expectedPlan = (request: FastifyRequest) =>
  digestHeader(request, 'x-ratecard-plan', 'X-Ratecard-Plan must be the `plan` of a response to a dry run')
const writtenForm = (request: FastifyRequest) =>
  digestHeader(
    request,
    'x-ratecard-written',
    'X-Ratecard-Written must be the `written` of a response to POST admin/config/written',
  )

function digestHeader(request: FastifyRequest, name: string, what: string): string | null {
  const value = request.headers[name]
  if (value === undefined) return null
  if (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) return value
  throw headerInvalid(name, `${what}: 64 hexadecimal digits.`)
}

function prefersAsync(request: FastifyRequest): boolean {
  const preferences = [request.headers['prefer'] ?? []].flat().join(',').toLowerCase()
  return preferences.split(/[,;]/).some((preference) => preference.trim() === 'respond-async')
}

function fingerprintOf(request: FastifyRequest): string {
  const given = [expectedPlan(request), writtenForm(request)].filter((digest) => digest !== null)
  const text = JSON.stringify([request.method, request.url, request.body ?? null, ...given])
  return createHash('sha256').update(text).digest('hex')
}

function pushIdOf(body: string): string | null {
  const value: unknown = JSON.parse(body)
  return typeof value === 'object' && value !== null && 'push_id' in value && typeof value.push_id === 'string'
    ? value.push_id
    : null
}

/** Sets the `instance` of a replayed problem to the id of the current request. */
function withInstance(body: string, requestId: string): string {
  const problem: unknown = JSON.parse(body)
  if (typeof problem !== 'object' || problem === null)
    throw new ServiceError('internal', 'The response stored for this Idempotency-Key is not a JSON object.')
  return JSON.stringify({ ...problem, instance: `urn:request:${requestId}` })
}

// Writes that a caller may repeat with an Idempotency-Key: the first answer is given again, to the same caller only.
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { ProblemCode } from '../errors/codes.ts'
import type { Service } from '../service.ts'
import { idempotencyKeyOf } from './push-answer.ts'

export const keyHeader = {
  'idempotency-key': Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'A repeat with the same key answers the first result.' }),
  ),
}
/** What a key adds to the errors of a route. */
export const keyErrors = ['idempotency_key_reused', 'request_in_progress'] as const satisfies readonly ProblemCode[]

export interface KeyedAnswer {
  readonly status: number
  readonly body: object
  readonly location?: string
}

/**
 * Runs `work` once per key and caller and answers with its result. Failures are not kept: the next try runs again. `about` says
 * what the request depends on besides itself; it is asked only when there is a key.
 */
export async function answerKeyed(
  service: Pick<Service, 'idempotent'>,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<KeyedAnswer>,
  about?: () => Promise<string>,
): Promise<FastifyReply> {
  const key = idempotencyKeyOf(request)
  const session = request.tenantSession
  // A tenant's keys are a space of their own: what it calls a request neither meets nor blocks another's.
  const ownKey = key === null || session === null ? key : `tenant:${session.tenantId}:${key}`
  const result = await service.idempotent(
    ownKey,
    fingerprintOf(request, key === null ? '' : ((await about?.()) ?? '')),
    async () => {
      const { status, body, location } = await work()
      return { status, body: JSON.stringify({ body, ...(location === undefined ? {} : { location }) }) }
    },
  )
  const kept = JSON.parse(result.body) as { readonly body: object; readonly location?: string }
  if (result.replayed) reply.header('idempotent-replayed', 'true')
  if (kept.location !== undefined) reply.header('location', kept.location)
  return reply.code(result.status).send(kept.body)
}

function fingerprintOf(request: FastifyRequest, about: string): string {
  const caller = request.tenantSession?.tenantId ?? null
  return createHash('sha256')
    .update(
      JSON.stringify([request.method, request.url, request.body ?? null, caller, request.caller?.id ?? null, about]),
    )
    .digest('hex')
}

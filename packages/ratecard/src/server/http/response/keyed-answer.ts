// Handles writes that a caller may retry with an Idempotency-Key. A retry by the same caller gets the first response again.
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Operation } from '../../../api/notation/operation.ts'
import { idempotencyKeyOf } from './push-answer.ts'
import type { KeyedCaller } from '../../../api/notation/callers.ts'
import { callerOf } from '../request/request-parts.ts'
import { RouteResponse, type RouteContext } from '../contract/route.ts'
import type { Service } from '../../service/service.ts'

/**
 * Runs `work` once per idempotency key and caller, and replays its result on a retry. Failures are not stored, so a retry after a failure
 * runs `work` again. `about` returns further data that the result depends on, to detect a key that is reused for a different request. It is
 * called only if there is a key.
 */
export async function answerKeyed<Row extends Operation>(
  service: Pick<Service, 'idempotent'>,
  { request }: Pick<RouteContext<Row>, 'request'>,
  work: () => Promise<RouteResponse<Row>>,
  about?: () => Promise<string>,
): Promise<RouteResponse<Row>> {
  const key = idempotencyKeyOf(request)
  const session = request.tenantSession
  // Idempotency keys of tenant sessions get the tenant id as prefix, so that equal keys of two tenants do not collide.
  const ownKey = key === null || session === null ? key : `tenant:${session.tenantId}:${key}`
  const result = await service.idempotent(
    ownKey,
    fingerprintOf(request, key === null ? '' : ((await about?.()) ?? '')),
    async () => {
      const answer = await work()
      return { status: answer.status, body: JSON.stringify({ body: answer.body(), ...answer.headers }) }
    },
  )
  const { body, ...headers } = JSON.parse(result.body) as { readonly body: object; readonly location?: string }
  return new RouteResponse(
    result.status,
    { schema: null, value: body },
    {
      ...headers,
      ...(result.replayed ? { 'idempotent-replayed': 'true' } : {}),
    },
  )
}

/** Returns the caller with the request's idempotency key. */
export const keyedCallerOf = (request: FastifyRequest): KeyedCaller => ({
  ...callerOf(request),
  idempotencyKey: idempotencyKeyOf(request),
})

function fingerprintOf(request: FastifyRequest, about: string): string {
  const caller = request.tenantSession?.tenantId ?? null
  return createHash('sha256')
    .update(
      JSON.stringify([request.method, request.url, request.body ?? null, caller, request.caller?.id ?? null, about]),
    )
    .digest('hex')
}

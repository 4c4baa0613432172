import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Page, Service } from '../../service.ts'
import { describeRoute, pushErrors } from '../contract.ts'
import { eventStream } from '../event-stream.ts'
import { answerResume, pushHeaders, pushesPath, pushStartedAnswer } from '../push-answer.ts'
import { idParams, pageQuery } from '../request-parts.ts'
import type { IdParams } from '../request-parts.ts'
import { paginationToWire, pushEventToWire, pushReportToWire, pushSummaryToWire } from '../wire.ts'
import { PaginationSchema, PushOutcomeSchema, PushReportSchema, PushSummarySchema } from '../wire-schemas.ts'

export interface AdminPushDeps {
  readonly service: Pick<Service, 'listPushes' | 'findPush' | 'pushEvents' | 'resumePush' | 'cancelPush'>
  /** Aborts when the server drains: streams end then. */
  readonly closing: AbortSignal
}

/** Pushes as the journal knows them: what ran, what runs, and how to finish what was interrupted. */
export function adminPushRoutes(app: FastifyInstance, { service, closing }: AdminPushDeps): void {
  app.get<{ Querystring: Page }>(
    '/pushes',
    {
      schema: describeRoute({
        operationId: 'listPushes',
        scope: 'read',
        summary: 'Pushes, newest first',
        tag: 'Pushes',
        access: 'service_key',
        query: pageQuery,
        answers: {
          200: {
            description: 'A page of pushes.',
            schema: Type.Object(
              { pushes: Type.Array(PushSummarySchema), pagination: PaginationSchema },
              { additionalProperties: false },
            ),
          },
        },
      }),
    },
    async ({ query: { limit, offset } }) => {
      const page = { limit, offset }
      const { items, total } = await service.listPushes(page)
      return { pushes: items.map(pushSummaryToWire), pagination: paginationToWire(page, total, items.length) }
    },
  )
  app.get<{ Params: IdParams }>(
    '/pushes/:id',
    {
      schema: describeRoute({
        operationId: 'getPush',
        scope: 'read',
        summary: 'A push with each of its steps',
        tag: 'Pushes',
        access: 'service_key',
        params: idParams,
        answers: { 200: { description: 'The push.', schema: PushReportSchema } },
        errors: ['push_not_found'],
      }),
    },
    async ({ params }) => pushReportToWire(await service.findPush(params.id)),
  )
  eventsRoute(app, { service, closing })
  app.post<{ Params: IdParams }>(
    '/pushes/:id/resume',
    {
      schema: describeRoute({
        operationId: 'resumePush',
        scope: 'write',
        summary: 'Finish an interrupted push',
        tag: 'Pushes',
        access: 'service_key',
        params: idParams,
        headers: { prefer: pushHeaders.prefer },
        answers: {
          200: { description: 'The push is applied.', schema: PushOutcomeSchema },
          202: pushStartedAnswer,
        },
        errors: ['push_not_found', 'push_not_resumable', ...pushErrors],
      }),
    },
    (request, reply) => answerResume(request, reply, (options) => service.resumePush(request.params.id, options)),
  )
  app.post<{ Params: IdParams }>(
    '/pushes/:id/cancel',
    {
      schema: describeRoute({
        operationId: 'cancelPush',
        scope: 'write',
        summary: 'Stop a running push between two steps',
        description:
          'What was sent to the processor is waited for. The push is then interrupted: it can be resumed, and the earlier version is still served.',
        tag: 'Pushes',
        access: 'service_key',
        params: idParams,
        answers: { 202: { description: 'The push as it is now; it stops shortly.', schema: PushSummarySchema } },
        errors: ['push_not_found', 'push_not_running'],
      }),
    },
    async ({ params }, reply) => {
      const summary = pushSummaryToWire(await service.cancelPush(params.id))
      return reply.code(202).header('location', `${pushesPath}/${summary.id}`).send(summary)
    },
  )
}

function eventsRoute(app: FastifyInstance, { service, closing }: AdminPushDeps): void {
  app.get<{ Params: IdParams }>(
    '/pushes/:id/events',
    {
      exposeHeadRoute: false,
      schema: describeRoute({
        operationId: 'followPush',
        scope: 'read',
        summary: 'Live events of a push',
        description: 'Server-sent events `state` and `step`, from the present state until the push ends.',
        tag: 'Pushes',
        access: 'service_key',
        params: idParams,
        answers: { 200: { description: 'The events.', schema: Type.String(), mediaType: 'text/event-stream' } },
        errors: ['push_not_found'],
      }),
    },
    async (request, reply) => {
      const gone = new AbortController()
      reply.raw.once('close', () => {
        gone.abort()
      })
      const signal = AbortSignal.any([closing, gone.signal])
      const stream = await eventStream(service.pushEvents(request.params.id, signal), (event) => ({
        event: event.type,
        data: pushEventToWire(event),
      }))
      return reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no').send(stream)
    },
  )
}

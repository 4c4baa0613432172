// The configuration as its owners see it: read, push, validate, roll back, pull, drift, reset.
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Service } from '../../service.ts'
import { describeRoute, processorErrors, pushErrors } from '../contract.ts'
import type { KeyRoute } from '../contract.ts'
import { answerOnce, answerPush, idempotencyKeyOf, pushHeaders, pushQuery, pushStartedAnswer } from '../push-answer.ts'
import type { PushAnswering, PushQuery } from '../push-answer.ts'
import { actorHeaders, actorOf, documentOf } from '../request-parts.ts'
import { driftToWire, pulledToWire, resetToWire, servedConfigToWire, validationToWire } from '../wire.ts'
import {
  DriftSchema,
  PulledSchema,
  PushOutcomeSchema,
  ref,
  ResetSchema,
  ServedConfigSchema,
  ValidationSchema,
} from '../wire-schemas.ts'

export interface AdminConfigDeps extends PushAnswering {
  readonly service: Service
}

/** Configuration documents may be this large. */
const documentLimit = 10 * 1024 * 1024

const contract = (rest: Omit<KeyRoute, 'tag' | 'access'>) =>
  describeRoute({ tag: 'Configuration', access: 'service_key', ...rest })

const pushAnswers = {
  200: { description: 'Applied, unchanged, or (`dry_run`) planned.', schema: PushOutcomeSchema },
  202: pushStartedAnswer,
} as const

export function adminConfigRoutes(app: FastifyInstance, deps: AdminConfigDeps): void {
  readAndPush(app, deps)
  keepWritten(app, deps)
  validate(app, deps)
  rollback(app, deps)
  pullAndDrift(app, deps)
  reset(app, deps)
}

function readAndPush(app: FastifyInstance, deps: AdminConfigDeps): void {
  app.get(
    '/config',
    {
      schema: contract({
        operationId: 'getFullConfig',
        scope: 'read',
        summary: 'The whole configuration',
        answers: { 200: { description: 'The configuration, hidden prices and all.', schema: ServedConfigSchema } },
        errors: ['config_not_found'],
      }),
    },
    async () => servedConfigToWire(await deps.service.fullConfig()),
  )
  app.post<{ Querystring: PushQuery }>(
    '/config',
    {
      bodyLimit: documentLimit,
      schema: contract({
        operationId: 'pushConfig',
        scope: 'dry_run',
        summary: 'Push a configuration document',
        description:
          'Validates, plans, and applies the difference to the processor. The document is the whole truth: what is not in it is archived.',
        query: pushQuery,
        headers: { ...pushHeaders, ...actorHeaders },
        body: ref('BillingConfig'),
        answers: pushAnswers,
        errors: pushErrors,
      }),
    },
    (request, reply) => {
      const document = documentOf(request)
      return answerPush(deps, request, reply, (options) => deps.service.push(document, options))
    },
  )
}

function keepWritten(app: FastifyInstance, { service }: AdminConfigDeps): void {
  app.post(
    '/config/written',
    {
      bodyLimit: documentLimit,
      schema: contract({
        scope: 'write',
        operationId: 'keepWritten',
        summary: 'Keep a document as its author wrote it, with `${NAME}`, to push with',
        description:
          'The body is the document before its variables were expanded. Its id goes with the push of the expanded one (`X-Ratecard-Written`); what no push uses within a day is forgotten.',
        body: Type.Object({}, { additionalProperties: true }),
        answers: {
          200: {
            description: 'Kept.',
            schema: Type.Object(
              { written: Type.String({ description: 'Id for `X-Ratecard-Written`: 64 hexadecimal digits.' }) },
              { additionalProperties: false },
            ),
          },
        },
      }),
    },
    async (request) => ({ written: await service.keepWritten(documentOf(request)) }),
  )
}

function validate(app: FastifyInstance, { service }: AdminConfigDeps): void {
  app.post(
    '/config/validate',
    {
      bodyLimit: documentLimit,
      schema: contract({
        operationId: 'validateConfig',
        scope: 'read',
        summary: 'Validate a configuration document; applies nothing',
        body: ref('BillingConfig'),
        answers: {
          200: { description: 'The verdict, for valid and invalid documents alike.', schema: ValidationSchema },
        },
      }),
    },
    async (request) => validationToWire(await service.validate(documentOf(request))),
  )
}

function rollback(app: FastifyInstance, deps: AdminConfigDeps): void {
  app.post<{ Querystring: PushQuery; Body: { revision: number } }>(
    '/config/rollback',
    {
      schema: contract({
        operationId: 'rollbackConfig',
        scope: 'dry_run',
        summary: 'Push the content of an earlier revision as a new one',
        query: pushQuery,
        headers: { ...pushHeaders, ...actorHeaders },
        body: Type.Object(
          {
            revision: Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'The revision to go back to.' }),
          },
          { additionalProperties: false },
        ),
        answers: pushAnswers,
        errors: ['revision_not_found', ...pushErrors],
      }),
    },
    (request, reply) =>
      answerPush(deps, request, reply, (options) => deps.service.rollback(request.body.revision, options)),
  )
}

function pullAndDrift(app: FastifyInstance, { service }: AdminConfigDeps): void {
  app.get<{ Querystring: { report: boolean } }>(
    '/config/pull',
    {
      schema: contract({
        operationId: 'pullConfig',
        scope: 'read',
        summary: 'A configuration document of what is active at the processor',
        query: {
          report: Type.Boolean({ default: false, description: 'Also list what the document cannot express.' }),
        },
        answers: {
          200: {
            description: 'The document; with `report`, the document and what it cannot express.',
            schema: Type.Union([ref('BillingConfig'), PulledSchema]),
            headers: {
              'X-Ratecard-Unrepresented': {
                type: 'integer',
                description: 'How many objects have parts that the document cannot express.',
              },
            },
          },
        },
        errors: [...processorErrors, 'account_mismatch'],
      }),
    },
    async (request, reply) => {
      const pulled = await service.pull()
      reply.header('x-ratecard-unrepresented', String(pulled.unrepresentable.length))
      return request.query.report ? pulledToWire(pulled) : pulled.document
    },
  )
  app.get(
    '/config/drift',
    {
      schema: contract({
        operationId: 'getDrift',
        scope: 'read',
        summary: 'Differences between the last applied version and the live processor',
        answers: { 200: { description: 'The differences, field by field.', schema: DriftSchema } },
        errors: ['config_not_found', ...processorErrors, 'account_mismatch'],
      }),
    },
    async () => driftToWire(await service.drift()),
  )
}

function reset(app: FastifyInstance, deps: AdminConfigDeps): void {
  app.post<{ Querystring: { scope: 'managed' | 'account' } }>(
    '/config/reset',
    {
      schema: contract({
        operationId: 'resetConfig',
        scope: 'write',
        summary: 'Archive everything',
        description: 'Archives every managed product, price, meter, coupon and promotion code. Webhooks stay.',
        query: {
          scope: Type.Enum(['managed', 'account'], {
            default: 'managed',
            description: '`account` also takes what Ratecard did not make.',
          }),
        },
        headers: { 'idempotency-key': pushHeaders['idempotency-key'], ...actorHeaders },
        answers: { 200: { description: 'What was archived.', schema: ResetSchema } },
        errors: pushErrors,
      }),
    },
    (request, reply) =>
      answerOnce(deps, request, reply, idempotencyKeyOf(request), async () => {
        const report = await deps.service.reset({ ...actorOf(request), scope: request.query.scope })
        return { status: 200, body: JSON.stringify(resetToWire(report)) }
      }),
  )
}

import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Service } from '../../service.ts'
import type { EnterpriseTarget } from '../../service-tenants.ts'
import { describeRoute, customerErrors } from '../contract.ts'
import type { KeyRoute } from '../contract.ts'
import {
  ApplyCustomSchema,
  ApplyTemplateSchema,
  CoverageSchema,
  EnterpriseOutcomeSchema,
  JobSchema,
  MoveTemplateSchema,
  RemoveEnterpriseSchema,
} from '../enterprise-schemas.ts'
import { coverageToWire, enterpriseOutcomeToWire, jobToWire } from '../enterprise-wire.ts'
import { answerKeyed, keyErrors, keyHeader } from '../keyed-answer.ts'
import { actorHeaders, callerOf } from '../request-parts.ts'
import { jobsPath } from './admin-jobs.ts'

export interface AdminEnterpriseDeps {
  readonly service: Pick<Service, 'applyEnterprise' | 'enterpriseCoverage' | 'moveTemplate' | 'idempotent'>
}

interface ApplyBody {
  readonly tenant_id: string
  readonly enterprise_template?: string
  readonly enterprise_id?: string
  readonly unmatched?: 'keep' | 'base'
}

const contract = (rest: Omit<KeyRoute, 'tag' | 'access'>) =>
  describeRoute({ tag: 'Enterprise', access: 'service_key', ...rest })

/** Negotiated prices: given to a tenant, taken back, and which of them there are. */
export function adminEnterpriseRoutes(app: FastifyInstance, deps: AdminEnterpriseDeps): void {
  applyRoute(app, deps, {
    path: '/enterprise/apply-template',
    operationId: 'applyTemplate',
    summary: 'Move a tenant to the prices of a template',
    body: ApplyTemplateSchema,
    targetOf: ({ enterprise_template: template }) => ({ kind: 'template', template: template ?? '' }),
  })
  applyRoute(app, deps, {
    path: '/enterprise/apply-custom',
    operationId: 'applyCustom',
    summary: 'Move a tenant to the prices of an enterprise id',
    body: ApplyCustomSchema,
    targetOf: ({ enterprise_id: enterpriseId }) => ({ kind: 'custom', enterpriseId: enterpriseId ?? '' }),
  })
  applyRoute(app, deps, {
    path: '/enterprise/remove',
    operationId: 'removeEnterprise',
    summary: 'Move a tenant back to the base prices',
    body: RemoveEnterpriseSchema,
    targetOf: () => ({ kind: 'none' }),
  })
  coverageRoute(app, deps)
  moveRoute(app, deps)
}

interface Apply extends Pick<KeyRoute, 'operationId' | 'summary'> {
  readonly path: string
  readonly body: NonNullable<KeyRoute['body']>
  readonly targetOf: (body: ApplyBody) => EnterpriseTarget
}

function applyRoute(app: FastifyInstance, { service }: AdminEnterpriseDeps, apply: Apply): void {
  app.post<{ Body: ApplyBody; Querystring: { dry_run: boolean } }>(
    apply.path,
    {
      schema: contract({
        operationId: apply.operationId,
        scope: 'dry_run',
        summary: apply.summary,
        description: 'Nothing is charged or credited now: the new price is first billed at the renewal.',
        query: { dry_run: Type.Boolean({ default: false, description: 'Tell only: nothing is written anywhere.' }) },
        headers: { ...keyHeader, ...actorHeaders },
        body: apply.body,
        answers: { 200: { description: 'What moved and what did not.', schema: EnterpriseOutcomeSchema } },
        errors: [
          'tenant_not_found',
          'enterprise_price_not_found',
          'config_not_found',
          'tenant_busy',
          ...customerErrors,
          ...keyErrors,
        ],
      }),
    },
    async (request, reply) => {
      const { dry_run: dryRun } = request.query
      const run = async () => {
        const { unmatched } = request.body
        const options = { ...callerOf(request), ...(unmatched === undefined ? {} : { unmatched }), dryRun }
        const outcome = await service.applyEnterprise(request.body.tenant_id, apply.targetOf(request.body), options)
        return { status: 200, body: enterpriseOutcomeToWire(outcome) }
      }
      return dryRun ? reply.send((await run()).body) : answerKeyed(service, request, reply, run)
    },
  )
}

function coverageRoute(app: FastifyInstance, { service }: AdminEnterpriseDeps): void {
  app.get(
    '/enterprise/coverage',
    {
      schema: contract({
        operationId: 'getEnterpriseCoverage',
        scope: 'read',
        summary: 'Which base prices have which enterprise prices, and the gaps',
        answers: { 200: { description: 'The matrix.', schema: CoverageSchema } },
        errors: ['config_not_found'],
      }),
    },
    async () => coverageToWire(await service.enterpriseCoverage()),
  )
}

function moveRoute(app: FastifyInstance, { service }: AdminEnterpriseDeps): void {
  app.post<{ Body: { enterprise_template: string } }>(
    '/enterprise/move-template',
    {
      schema: contract({
        operationId: 'moveTemplate',
        scope: 'write',
        summary: 'Apply a template anew to every tenant that has it',
        headers: { ...keyHeader, ...actorHeaders },
        body: MoveTemplateSchema,
        answers: {
          202: {
            description: 'Journalled and running.',
            schema: JobSchema,
            headers: { Location: { type: 'string', description: 'Where the job is followed.' } },
          },
        },
        errors: ['enterprise_price_not_found', 'config_not_found', 'tenant_busy', ...customerErrors, ...keyErrors],
      }),
    },
    (request, reply) =>
      answerKeyed(service, request, reply, async () => {
        const job = await service.moveTemplate(request.body.enterprise_template, callerOf(request))
        return { status: 202, body: jobToWire(job), location: `${jobsPath}/${job.id}` }
      }),
  )
}

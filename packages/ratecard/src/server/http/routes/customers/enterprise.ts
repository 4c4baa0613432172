import type { FastifyRequest } from 'fastify'
import {
  enterpriseOperations as rows,
  enterprisePriceOperations as prices,
  type ApplyChoices,
  type EnterpriseTarget,
} from '../../../../api/customers/enterprise.ts'
import { jobsPath } from '../../../../api/customers/jobs.ts'
import type { Operation } from '../../../../api/notation/operation.ts'
import { answerKeyed } from '../../response/keyed-answer.ts'
import { overrideOf } from '../../request/override.ts'
import { callerOf, memberInvalid, timeOf } from '../../request/request-parts.ts'
import type { RouteDeps } from '../deps.ts'
import { route, type RouteResponse, type Routes } from '../../contract/route.ts'

/** Routes of negotiated prices: apply to a tenant, remove, and list. */
export const enterpriseRoutes = ({ service }: RouteDeps): Routes<typeof rows> => ({
  applyTemplate: route(rows.applyTemplate, (call) => {
    const target = { kind: 'template', template: call.body.enterpriseTemplate } as const
    return runOnce(service, call, async () => call.answer(200, await apply(service, call, target)))
  }),
  applyCustom: route(rows.applyCustom, (call) => {
    const target = { kind: 'custom', enterpriseId: call.body.enterpriseId } as const
    return runOnce(service, call, async () => call.answer(200, await apply(service, call, target)))
  }),
  removeEnterprise: route(rows.removeEnterprise, (call) =>
    runOnce(service, call, async () =>
      call.answer(200, await apply(service, call, { kind: 'none', ...optionalTo(call.body) })),
    ),
  ),
  getEnterpriseCoverage: route(rows.getEnterpriseCoverage, () => service.enterpriseCoverage()),
  moveTemplate: route(rows.moveTemplate, (call) =>
    answerKeyed(service, call, async () => {
      const job = await service.moveTemplate(call.body.enterpriseTemplate, {
        ...callerOf(call.request),
        ...overrideOf(call.request, call.query.override),
      })
      return call.answer(202, job, { location: `${jobsPath}/${job.id}` })
    }),
  ),
})

const optionalTo = ({ to }: { readonly to?: 'base' | 'signed' }) => (to === undefined ? {} : { to })

interface Apply {
  readonly body: { readonly tenantId: string; readonly endsAt?: string | null } & Pick<
    ApplyChoices,
    'unmatched' | 'then'
  >
  readonly query: { readonly dryRun: boolean; readonly override?: string }
  readonly request: FastifyRequest
}

function apply(service: RouteDeps['service'], { body, query, request }: Apply, target: EnterpriseTarget) {
  const { unmatched, endsAt, then } = body
  if (then !== undefined && typeof endsAt !== 'string')
    throw memberInvalid('then', '"then" needs "ends_at": the time at which the deal ends.')
  const choices = {
    ...(unmatched === undefined ? {} : { unmatched }),
    ...(endsAt === undefined ? {} : { endsAt: endsAt === null ? null : timeOf(endsAt, 'ends_at') }),
    ...(then === undefined ? {} : { then }),
  }
  return service.applyEnterprise(body.tenantId, target, {
    ...callerOf(request),
    ...choices,
    ...overrideOf(request, query.override, query),
    dryRun: query.dryRun,
  })
}

/** Runs `work` once per idempotency key. A dry run has no effects, so it runs at every request. */
const runOnce = <Row extends Operation>(
  service: RouteDeps['service'],
  call: Apply,
  work: () => Promise<RouteResponse<Row>>,
): Promise<RouteResponse<Row>> => (call.query.dryRun ? work() : answerKeyed(service, call, work))

export const enterprisePriceRoutes = ({ service }: RouteDeps): Routes<typeof prices> => ({
  listTemplatePrices: route(prices.listTemplatePrices, async ({ params }) => ({
    prices: await service.enterprisePrices(params),
  })),
  listEnterprisePrices: route(prices.listEnterprisePrices, async ({ params }) => ({
    prices: await service.enterprisePrices(params),
  })),
})

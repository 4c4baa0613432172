import type { FastifyRequest } from 'fastify'
import type { ApplyChoices, EnterpriseTarget } from '../../service/tenants.ts'
import { enterpriseOperations as rows, enterprisePriceOperations as prices } from '../../api/enterprise.ts'
import { jobsPath } from '../../api/jobs.ts'
import type { Operation } from '../../api/notation/operation.ts'
import { answerKeyed } from '../response/keyed-answer.ts'
import { callerOf } from '../request/request-parts.ts'
import type { RouteDeps } from './deps.ts'
import { route, type RouteResponse, type Routes } from '../contract/route.ts'

/** Routes of negotiated prices: apply to a tenant, remove, and list. */
export const enterpriseRoutes = ({ service }: RouteDeps): Routes<typeof rows> => ({
  applyTemplate: route(rows.applyTemplate, (call) => {
    const target = { kind: 'template', template: call.body.enterpriseTemplate } as const
    return once(service, call, async () => call.answer(200, await apply(service, call, target)))
  }),
  applyCustom: route(rows.applyCustom, (call) => {
    const target = { kind: 'custom', enterpriseId: call.body.enterpriseId } as const
    return once(service, call, async () => call.answer(200, await apply(service, call, target)))
  }),
  removeEnterprise: route(rows.removeEnterprise, (call) =>
    once(service, call, async () => call.answer(200, await apply(service, call, { kind: 'none' }))),
  ),
  getEnterpriseCoverage: route(rows.getEnterpriseCoverage, () => service.enterpriseCoverage()),
  moveTemplate: route(rows.moveTemplate, (call) =>
    answerKeyed(service, call, async () => {
      const job = await service.moveTemplate(call.body.enterpriseTemplate, callerOf(call.request))
      return call.answer(202, job, { location: `${jobsPath}/${job.id}` })
    }),
  ),
})

interface Apply {
  readonly body: { readonly tenantId: string } & ApplyChoices
  readonly query: { readonly dryRun: boolean }
  readonly request: FastifyRequest
}

function apply(service: RouteDeps['service'], { body, query, request }: Apply, target: EnterpriseTarget) {
  const choices = body.unmatched === undefined ? {} : { unmatched: body.unmatched }
  return service.applyEnterprise(body.tenantId, target, { ...callerOf(request), ...choices, ...query })
}

/** Runs `work` once per idempotency key. A dry run has no effects, so it runs every time. */
const once = <Row extends Operation>(
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

import { creditOperations as rows } from '../../../../api/customers/credits.ts'
import { timeOf } from '../../request/request-parts.ts'
import { answerKeyed, keyedCallerOf } from '../../response/keyed-answer.ts'
import type { RouteDeps } from '../deps.ts'
import { route, type Routes } from '../../contract/route.ts'

export const creditRoutes = ({ service }: RouteDeps): Routes<typeof rows> => ({
  listCredits: route(rows.listCredits, ({ params }) => service.tenantCredits(params.id)),
  addCredit: route(rows.addCredit, (call) => {
    const { params, body, request } = call
    const { expiresAt, ...credit } = body
    const expires = expiresAt === undefined ? {} : { expiresAt: timeOf(expiresAt, 'expires_at') }
    return answerKeyed(service, call, async () =>
      call.answer(201, await service.addCredit(params.id, { ...credit, ...expires }, keyedCallerOf(request))),
    )
  }),
})

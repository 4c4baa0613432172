import { toWire } from '../../../../api/notation/case-conversion.ts'
import { pushEvents, pushOperations as rows } from '../../../../api/push/pushes.ts'
import { eventStream, goneWith, sendEvents } from '../../response/event-stream.ts'
import { pageOf } from '../../response/page.ts'
import { answerResume, pushesPath } from '../../response/push-answer.ts'
import type { RouteDeps } from '../deps.ts'
import { rawRoute, route, type Routes } from '../../contract/route.ts'

/** Routes of pushes in the journal: list, follow a running push, and resume an interrupted one. */
export const pushRoutes = ({ service, closing }: RouteDeps): Routes<typeof rows> => ({
  listPushes: route(rows.listPushes, async ({ query }) => {
    const { items: pushes, pagination } = pageOf(query, await service.listPushes(query))
    return { pushes, pagination }
  }),
  getPush: route(rows.getPush, ({ params }) => service.findPush(params.id)),
  followPush: rawRoute(
    rows.followPush,
    async ({ params, reply }) => {
      const events = service.pushEvents(params.id, AbortSignal.any([closing, goneWith(reply)]))
      const stream = await eventStream(events, (event) => ({
        event: event.type,
        data: event.type === 'state' ? toWire(pushEvents.state, event) : toWire(pushEvents.step, event),
      }))
      return sendEvents(reply, stream)
    },
    { exposeHeadRoute: false },
  ),
  resumePush: rawRoute(rows.resumePush, (call) =>
    answerResume(call, (options) => service.resumePush(call.params.id, options)),
  ),
  cancelPush: route(rows.cancelPush, async ({ params, answer }) => {
    const push = await service.cancelPush(params.id)
    return answer(202, push, { location: `${pushesPath}/${push.id}` })
  }),
})

// Meter event streams of API v2: meter events in bulk. A session returns a token. Events sent with the token are counted, or an error is
// reported later.
import { meterEventToken } from '../../protocol/requests/auth.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { newId } from '../../protocol/ids.ts'
import type { HandlerResult, Operation } from '../../protocol/operation.ts'
import { list, mapOf, required, shape, text } from '../../protocol/parameters/params.ts'
import { recordStreamed } from './meter-events.ts'

const validFor = 15 * 60

function open(call: OperationContext): HandlerResult {
  call.read({})
  const expires = call.now + validFor
  const moment = (seconds: number): string => new Date(seconds * 1000).toISOString()
  return {
    unstored: {
      id: newId('mes_test_', 24),
      object: 'v2.billing.meter_event_session',
      authentication_token: meterEventToken(call.account, expires),
      created: moment(call.now),
      expires_at: moment(expires),
      livemode: false,
    },
  }
}

const fields = {
  events: required(
    list(
      shape({
        event_name: required(text({ max: 100 })),
        identifier: text({ max: 100 }),
        payload: required(mapOf(text({ max: 100 }), () => undefined)),
        timestamp: text(),
      }),
      { max: 100 },
    ),
  ),
}

function send(call: OperationContext): HandlerResult {
  for (const event of call.read(fields).events) recordStreamed(call, event)
  return { unstored: {} }
}

export const streamPath = '/v2/billing/meter_event_stream'

export const meterEventStream: readonly Operation[] = [
  { method: 'POST', path: '/v2/billing/meter_event_session', of: null, run: open },
  { method: 'POST', path: streamPath, of: null, run: send },
]

// Usage in bulk: it is sent with the token of a session, valid usage is billed, and errors are reported later.
import { expect } from 'vitest'
import { sandboxTest as test, type TestSandbox } from '../../support/sandbox.ts'

const meter = { display_name: 'Calls', event_name: 'calls', default_aggregation: { formula: 'sum' } } as const
const day = 86_400

function send({ url }: TestSandbox, token: string, events: unknown): Promise<Response> {
  return fetch(`${url}/v2/billing/meter_event_stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ events }),
  })
}

async function reports({ url, apiKey }: TestSandbox): Promise<{ readonly type: string; readonly code: unknown }[]> {
  const answer = await fetch(`${url}/v2/core/events`, { headers: { authorization: `Bearer ${apiKey}` } })
  const { data } = (await answer.json()) as {
    readonly data: readonly {
      readonly type: string
      readonly data: { readonly reason: { readonly error_types: readonly { readonly code: string }[] } }
    }[]
  }
  return data.map(({ type, data: { reason } }) => ({ type, code: reason.error_types[0]?.code }))
}

test('usage events sent through the stream API are counted once per identifier', async ({ sandbox }) => {
  const { stripe, clock } = sandbox
  const { id } = await stripe.billing.meters.create(meter)
  const { id: customer } = await stripe.customers.create()
  const session = await stripe.v2.billing.meterEventSession.create()
  expect(session).toMatchObject({ object: 'v2.billing.meter_event_session', livemode: false })
  expect(Date.parse(session.expires_at) - Date.parse(session.created)).toBe(15 * 60_000)
  const event = (value: string, identifier: string) => ({
    ...{ event_name: 'calls', identifier, timestamp: new Date(clock.now()).toISOString() },
    payload: { stripe_customer_id: customer, value },
  })
  const sent = await send(sandbox, session.authentication_token, [event('3', 'a'), event('4', 'b'), event('4', 'b')])
  expect([sent.status, await sent.json()]).toEqual([200, {}])
  const start = Math.floor(clock.now() / 1000 / day) * day
  const { data } = await stripe.billing.meters.listEventSummaries(id, {
    ...{ customer, start_time: start, end_time: start + day },
  })
  expect(data.map(({ aggregated_value: value }) => value)).toEqual([7])
  expect(await reports(sandbox)).toEqual([])
})

test('usage events sent through the stream API are reported as invalid without a customer, a meter or a valid timestamp', async ({
  sandbox,
}) => {
  const { stripe } = sandbox
  await stripe.billing.meters.create(meter)
  const { authentication_token: token } = await stripe.v2.billing.meterEventSession.create()
  const events = [
    { event_name: 'calls', payload: { value: '1' } },
    { event_name: 'other', payload: { value: '1' } },
    { event_name: 'calls', payload: { value: '1' }, timestamp: 'yesterday' },
  ]
  expect((await send(sandbox, token, events)).status).toBe(200)
  expect((await reports(sandbox)).toReversed()).toEqual([
    { type: 'v1.billing.meter.error_report_triggered', code: 'meter_event_no_customer_defined' },
    { type: 'v1.billing.meter.no_meter_found', code: 'no_meter' },
    { type: 'v1.billing.meter.error_report_triggered', code: 'timestamp_malformed' },
  ])
})

test('the stream API accepts only a session token, and each token only for 15 minutes', async ({ sandbox }) => {
  const { stripe, apiKey, clock, url } = sandbox
  const { authentication_token: token } = await stripe.v2.billing.meterEventSession.create()
  expect((await send(sandbox, apiKey, [])).status).toBe(401)
  const asKey = await fetch(`${url}/v1/customers`, { headers: { authorization: `Bearer ${token}` } })
  expect(asKey.status).toBe(401)
  clock.advance(15 * 60_000 + 1000)
  const late = await send(sandbox, token, [])
  expect([late.status, await late.json()]).toMatchObject([
    401,
    { error: { type: 'temporary_session_expired', code: 'billing_meter_event_session_expired' } },
  ])
})

test('API v2 accepts only JSON, and refuses an unsupported operation with a message that names the operation', async ({
  sandbox,
}) => {
  const { url, apiKey } = sandbox
  const ask = async (path: string, body: string, type = 'application/json'): Promise<unknown> => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': type }
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body })
    return [answer.status, ((await answer.json()) as { readonly error: { readonly message: string } }).error.message]
  }
  expect(await ask('/v2/billing/meter_event_session', '{')).toEqual([
    ...[400, 'Invalid request (the body is not a JSON object).'],
  ])
  expect(await ask('/v2/billing/meter_event_session', 'a=b', 'application/x-www-form-urlencoded')).toEqual([
    ...[400, 'Invalid request (check that your POST content type is application/json).'],
  ])
  expect(await ask('/v2/billing/meter_event_adjustments', '{}')).toEqual([
    ...[400, 'The sandbox does not support POST /v2/billing/meter_event_adjustments.'],
  ])
})

import type Stripe from 'stripe'
import { describe, expect } from 'vitest'
import { sandboxTest as test } from '../../support/sandbox.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'

const calls: Stripe.Billing.MeterCreateParams = {
  display_name: 'Calls',
  event_name: 'api_calls',
  default_aggregation: { formula: 'sum' },
}

describe('meters of the sandbox:', () => {
  test('a new meter is active and has the payload keys of the real API', async ({ sandbox: { stripe } }) => {
    const meter = await stripe.billing.meters.create(calls)
    expect(meter).toMatchObject({
      ...calls,
      object: 'billing.meter',
      status: 'active',
      customer_mapping: { type: 'by_id', event_payload_key: 'stripe_customer_id' },
      value_settings: { event_payload_key: 'value' },
      event_time_window: null,
      status_transitions: { deactivated_at: null },
    })
    expect(meter).not.toHaveProperty('metadata')
  })

  test('an event name can be used by only one active meter', async ({ sandbox: { stripe } }) => {
    const first = await stripe.billing.meters.create(calls)
    expect(await refusal(stripe.billing.meters.create(calls))).toMatchObject({
      status: 400,
      message:
        "An active meter already exists for event name 'api_calls'. " +
        'To create a new meter with the same event name, first deactivate the currently active meter.',
    })
    await stripe.billing.meters.deactivate(first.id)
    await stripe.billing.meters.create(calls)
    expect(await refusal(stripe.billing.meters.reactivate(first.id))).toMatchObject({
      message: expect.stringContaining('An active meter already exists') as string,
    })
  })

  test('the deactivation and reactivation of a meter set timestamps and emit events', async ({
    sandbox: { stripe, clock },
  }) => {
    const meter = await stripe.billing.meters.create(calls)
    clock.advance(10_000)
    const now = Math.floor(clock.now() / 1000)
    expect(await stripe.billing.meters.deactivate(meter.id)).toMatchObject({
      status: 'inactive',
      status_transitions: { deactivated_at: now },
      updated: now,
    })
    expect(await stripe.billing.meters.reactivate(meter.id)).toMatchObject({
      status: 'active',
      status_transitions: { deactivated_at: null },
    })
    expect((await stripe.events.list()).data.map((event) => event.type)).toEqual([
      'billing.meter.reactivated',
      'billing.meter.deactivated',
      'billing.meter.created',
    ])
  })

  test('only the display name of a meter can be updated', async ({ sandbox: { stripe } }) => {
    const { id } = await stripe.billing.meters.create(calls)
    expect(await stripe.billing.meters.update(id, { display_name: 'API calls' })).toMatchObject({
      display_name: 'API calls',
    })
    for (const param of ['event_name', 'default_aggregation', 'metadata']) {
      expect(await refusal(stripe.billing.meters.update(id, { [param]: 'x' }))).toMatchObject({
        code: 'parameter_unknown',
        param,
      })
    }
  })

  test('the error about a missing parameter of a meter contains the parameter’s path', async ({
    sandbox: { stripe },
  }) => {
    const empty = { ...calls, default_aggregation: { formula: '' } }
    expect(await refusal(stripe.billing.meters.create(empty as never))).toMatchObject({
      param: 'default_aggregation[formula]',
      code: 'parameter_invalid_empty',
    })
    const wrong = { ...calls, default_aggregation: { formula: 'max' } }
    expect(await refusal(stripe.billing.meters.create(wrong))).toMatchObject({
      message: 'Invalid default_aggregation[formula]: must be one of count, last, or sum',
    })
    const { display_name: name } = calls
    expect(await refusal(stripe.billing.meters.create({ display_name: name } as never))).toMatchObject({
      message: 'Missing required param: default_aggregation.',
    })
  })

  test('the list of meters can be filtered by status', async ({ sandbox: { stripe } }) => {
    const one = await stripe.billing.meters.create(calls)
    const two = await stripe.billing.meters.create({ ...calls, event_name: 'other' })
    await stripe.billing.meters.deactivate(one.id)
    const ids = async (status?: 'active' | 'inactive'): Promise<string[]> =>
      (await stripe.billing.meters.list(status === undefined ? {} : { status })).data.map((meter) => meter.id)
    expect(await ids()).toEqual([two.id, one.id])
    expect(await ids('active')).toEqual([two.id])
    expect(await ids('inactive')).toEqual([one.id])
  })
})

import { expect, it } from 'vitest'
import { stepSentences } from '../../../packages/ratecard/src/base/wording/job-words.ts'

const running = { kind: 'migration', state: 'running', resumesAt: null }
interface More {
  result?: object
  error?: object
  job?: object
  tenantName?: string
}
const sentences = (state: string, step: object, more: More = {}) =>
  stepSentences(
    { state, tenantName: null, step: { ...step }, result: null, error: null, ...more } as Parameters<
      typeof stepSentences
    >[0],
    {
      job: { ...running, ...more.job },
      time: (at) => at.slice(0, 10),
    },
  )

const swap = {
  subscription: 'sub_1',
  effective: 'period_end',
  items: [{ from: 'pro', to: 'pro', from_processor_id: 'price_1', to_processor_id: 'price_2', quantity: 3 }],
}

it('a job step is described as a sentence for prices, discounts, credits, webhooks and subscription changes', () => {
  expect(sentences('succeeded', { tenant_id: 'acme', ...swap }, { result: { ...swap, effective_at: null } })).toEqual([
    'acme, sub_1: price "pro" × 3 went from price_1 to price_2, when the period ends.',
  ])
  const moved = { ...swap, items: [{ ...swap.items[0], to: 'pro_gold' }] }
  expect(sentences('succeeded', { tenant_id: 'acme', ...moved }, { tenantName: 'Acme Rockets' })).toEqual([
    'Acme Rockets (acme), sub_1: price "pro" × 3 became "pro_gold", when the period ends.',
  ])
  expect(sentences('succeeded', { subscription: 'sub_1', keep: [], add: { coupon: 'SPRING' }, remove: null })).toEqual([
    'sub_1: the discount SPRING was added.',
  ])
  expect(sentences('succeeded', { customer: 'cus_1' }, { result: { credit_grant: 'credgr_1' } })).toEqual([
    'cus_1: the credit credgr_1 was granted.',
  ])
  expect(sentences('pending', { op: 'switch_off', webhook_id: 'hook', processor_id: 'we_1' })).toEqual([
    'hook: the old endpoint will be switched off.',
  ])
  expect(sentences('succeeded', { op: 'cancel', subscription: 'sub_1' })).toEqual(['sub_1: it was cancelled.'])
})

it('a subscription change that is not paid yet is described as pending on the payment of its invoice', () => {
  const step = { op: 'update', subscription: 'sub_1' }
  expect(sentences('succeeded', step, { result: { ...step, payment: null } })).toEqual([
    'sub_1: the items were changed.',
  ])
  expect(sentences('succeeded', step, { result: { ...step, payment: { invoice: 'in_1', url: null } } })).toEqual([
    'sub_1: the change depends on its payment; it is made when the invoice in_1 is paid.',
  ])
})

it('a job step that has not started is described as future only while its job continues; a waiting job’s step has the date', () => {
  const [update, move] = [{ op: 'update', subscription: 'sub_1' }, { tenant_id: 'acme' }]
  expect([...sentences('pending', update), ...sentences('pending', move)]).toEqual([
    'sub_1: the items will be changed.',
    'acme has not been done.',
  ])
  for (const state of ['failed', 'cancelled'])
    expect([
      ...sentences('pending', update, { job: { state } }),
      ...sentences('pending', move, { job: { state } }),
    ]).toEqual(['sub_1: the items were not changed.', 'acme was not done.'])
  const waiting = { state: 'waiting', resumesAt: '2026-12-03T09:00:00Z' }
  expect([
    ...sentences(
      'pending',
      { op: 'switch_off', webhook_id: 'hook' },
      { job: { ...waiting, kind: 'webhook_rotation' } },
    ),
    ...sentences('pending', move, { job: waiting }),
    ...sentences('pending', update, { job: { ...waiting, kind: 'subscription_change' } }),
  ]).toEqual([
    'hook: the old endpoint will be switched off when the job goes on, at 2026-12-03.',
    'acme waits: the job goes on at 2026-12-03.',
    'sub_1: the items were not changed.',
  ])
})

it('a job step that was refused, skipped or has an unknown outcome is described with the reason', () => {
  expect(sentences('failed', { tenant_id: 'acme' }, { error: { detail: 'The card was declined.' } })).toEqual([
    'acme was refused: The card was declined.',
  ])
  expect(sentences('skipped', { tenant_id: 'acme' }, { result: { reason: 'It has the price already.' } })).toEqual([
    'acme stays as it is: It has the price already.',
  ])
  expect(sentences('begun', { tenant_id: 'acme' })).toEqual([
    'acme: the outcome is not known yet. It is looked up when the job continues.',
  ])
})

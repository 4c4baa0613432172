import { expect, test } from 'vitest'
import { waysBack } from '../../../packages/ratecard/src/cli/follow/job-sentences.ts'
import { closedPagesText, outcomeOf, printWaiting } from '../../../packages/ratecard/src/cli/follow/job-outcome.ts'

test('the message about closed checkout pages has a singular and a plural form', () => {
  expect(closedPagesText(1)).toBe('1 open checkout page closed, because it sold a former price of the tenant.')
  expect(closedPagesText(2)).toBe('2 open checkout pages closed, because they sold a former price of the tenant.')
})

test('the hint about a waiting webhook rotation contains the command of the rotation, and no commands for tenants and deals', () => {
  const rotation = {
    id: 'j',
    kind: 'webhook_rotation',
    subject: 'hook',
    state: 'waiting',
    allows: [],
    steps: [{ state: 'succeeded' }],
  }
  const [way, ...more] = waysBack(rotation as unknown as Parameters<typeof waysBack>[0])
  expect(way).toContain('ratecard billing webhook rotate hook')
  expect(more).toEqual([])
})

test('the hint about a subscription change contains the command that undoes it; only a resumable job has a hint to resume', () => {
  const job = { id: 'j', kind: 'subscription_change', subject: 'acme', state: 'failed', allows: [], steps: [] }
  const ways = (more: object) => waysBack({ ...job, ...more } as unknown as Parameters<typeof waysBack>[0])
  expect(ways({})).toEqual([])
  const [undo, ...rest] = ways({ steps: [{ state: 'succeeded' }] })
  expect(undo).toContain('ratecard subscriptions resume acme')
  expect(undo).not.toContain('enterprise')
  expect(rest).toEqual([])
  expect(ways({ kind: 'migration', allows: ['resume'] })).toEqual(['To continue: ratecard jobs resume j'])
})

test('a change that is not paid yet is printed as waiting for its payment, and counts as not moved', () => {
  const said: string[] = []
  const step = { state: 'succeeded', step: { op: 'update' }, result: { payment: { invoice: 'in_1' } } }
  const job = {
    ...{ id: 'j', kind: 'subscription_change', state: 'waiting', input: {} },
    ...{ resumesAt: '2026-12-03T09:00:00Z', steps: [step] },
  } as unknown as Parameters<typeof printWaiting>[0]
  printWaiting(job, { say: (text: string) => void said.push(text) } as Parameters<typeof printWaiting>[1])
  expect(said).toEqual([
    'The change waits for its payment. If it is never paid, the service puts back the scheduled change that it took off. It looks again at 2026-12-03 09:00:00 UTC.',
  ])
  expect(outcomeOf(job).moved).toBe(0)
})

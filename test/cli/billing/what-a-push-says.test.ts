// The output of a push matches its plan and omits none of its steps.
import { expect, it } from 'vitest'
import { serverWorld } from '../server-world.ts'
import { startedForAll } from '../../support/started.ts'

const world = startedForAll(() => serverWorld('what-a-push-says-key'))

const document = (webhooks: object[]) => ({
  version: '1.0.0',
  webhooks,
  products: [
    {
      id: 'pro',
      name: 'Pro',
      prices: [
        { id: 'free', amount: 0, currency: 'usd', interval: 'month' },
        { id: 'pro_monthly', amount: 1900, currency: 'usd', interval: 'month' },
      ],
    },
  ],
})

it('the output of a push numbers only the steps that write to the processor', async () => {
  const hook = { id: 'hook', url: 'https://hooks.example.test/billing', events: ['invoice.paid'] }
  world.write('ratecard/billing/plans.json', document([hook]))
  const { stdout } = await world.run(['billing', 'push'])
  expect(stdout).toContain('3 writes to the processor')
  expect(stdout.match(/\[\d+\/\d+\]/g)).toEqual(['[1/3]', '[2/3]', '[3/3]'])
  expect(stdout).toMatch(/^ +recorded price free \(free\)$/m)
})

it('an archived webhook is listed in the output of a push and in the history', async () => {
  world.write('ratecard/billing/plans.json', document([]))
  const pushed = await world.run(['billing', 'push', '--yes'])
  expect(pushed.stdout).toMatch(/^ +webhook +archived +hook$/m)
  expect((await world.run(['billing', 'history', '--limit', '1'])).stdout).toContain('1 archived')
  const { document: listed } = await world.json(['billing', 'history'])
  expect(listed.versions).toMatchObject([{ archived_webhooks: ['hook'] }, { archived_webhooks: [] }])
})

import { expect, test } from 'vitest'
import { waysBack } from '../../../packages/ratecard/src/cli/follow/job-sentences.ts'
import { closedPagesText } from '../../../packages/ratecard/src/cli/follow/job-outcome.ts'

test('the text about closed checkout pages has a singular and a plural form', () => {
  expect(closedPagesText(1)).toBe('1 open checkout page closed, because it sold a former price of the tenant.')
  expect(closedPagesText(2)).toBe('2 open checkout pages closed, because they sold a former price of the tenant.')
})

test('the hint for a waiting webhook rotation names its own command, and no commands for tenants and deals', () => {
  const rotation = {
    id: 'j',
    kind: 'webhook_rotation',
    subject: 'hook',
    state: 'waiting',
    steps: [{ state: 'succeeded' }],
  }
  const [way, ...more] = waysBack(rotation as unknown as Parameters<typeof waysBack>[0])
  expect(way).toContain('ratecard billing webhook rotate hook')
  expect(more).toEqual([])
})

import picocolors from 'picocolors'
import { expect, test } from 'vitest'
import type { Violation } from '../../../packages/client/src/client.ts'
import { showViolations, verdictText } from '../../../packages/ratecard/src/cli/views/plan/violations.ts'

const paint = picocolors.createColors(false)
const violation = (of: Partial<Violation>): Violation => ({
  ...{ id: 'gentle', rule: 'max_increase_percent', severity: 'deny', kind: 'price', configId: 'solo' },
  ...{ detail: 'It rises.', reason: 'Promised in May' },
  ...of,
})
const many = Array.from({ length: 14 }, (_, index) =>
  violation({ configId: `p${String(index)}`, detail: `The price "p${String(index)}" rises.` }),
)

test('a policy that many changes break is shown once, with the ids in one list, and the verdict last', () => {
  const soft = violation({ id: 'few', severity: 'warn', reason: null, detail: '7 tenants are affected.' })
  expect(showViolations([soft, ...many], [], paint).split('\n')).toEqual([
    '  denied by the policy "gentle" (max_increase_percent): Promised in May',
    ...['p0', 'p1', 'p2'].map((id) => `    The price "${id}" rises.`),
    '    and 11 more: p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13',
    '  warned by the policy "few" (max_increase_percent)',
    '    7 tenants are affected.',
    '  An owner may override it, with a key of scope "owner":',
    '    --override gentle --message "<why>"',
    '✗ Refused by 1 policy: gentle.',
  ])
})

test('there is no verdict if policies only warn, or are overridden', () => {
  expect(verdictText([violation({ severity: 'warn' })])).toBeNull()
  expect(verdictText(many, ['gentle'])).toBeNull()
  expect(verdictText([...many, violation({ id: 'calm' })], [])).toBe('✗ Refused by 2 policies: gentle, calm.')
})

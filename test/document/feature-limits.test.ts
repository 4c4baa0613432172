import { expect, test } from 'vitest'
import { validateConfig } from '../../packages/ratecard/src/document/validation/validate.ts'

const meter = { id: 'api_calls', display_name: 'Calls', event_name: 'api_call' }
const shop = (features: readonly object[], ofPro: readonly unknown[]) => ({
  version: '1.0.0',
  meters: [meter],
  features,
  products: [{ id: 'pro', name: 'Pro', features: ofPro, prices: [] }],
})
const projects = { id: 'projects', name: 'Projects', type: 'limit', unit: 'projects' }
const calls = { id: 'calls', name: 'Calls', type: 'metered', meter: 'api_calls' }
const sso = { id: 'sso', name: 'SSO' }
const issuesOf = (document: unknown) => validateConfig(document).errors.map(({ code, pointer }) => [code, pointer])

test('a product includes features either as switches, listed by id, or as limits, with a number or "unlimited"', () => {
  const given = [
    'sso',
    { id: 'projects', limit: 10, per_quantity: true },
    { id: 'calls', limit: 'unlimited', resets: 'month', beyond: 'allow' },
  ]
  expect(issuesOf(shop([sso, projects, calls], given))).toEqual([])
})

test.each([
  ['a limit without a number', [projects], ['projects'], 'feature_limit_missing', '#/products/0/features/0'],
  ['a switch with a limit', [sso], [{ id: 'sso', limit: 1 }], 'feature_limit_unused', '#/products/0/features/0'],
  [
    'a feature listed twice',
    [projects],
    [
      { id: 'projects', limit: 1 },
      { id: 'projects', limit: 2 },
    ],
    'value_invalid',
    '#/products/0/features/1/id',
  ],
  ['an unknown feature', [projects], [{ id: 'project', limit: 1 }], 'feature_undefined', '#/products/0/features/0/id'],
  [
    'a reset of a feature that is not metered',
    [projects],
    [{ id: 'projects', limit: 1, resets: 'month' }],
    'value_invalid',
    '#/products/0/features/0/resets',
  ],
  ['a negative limit', [projects], [{ id: 'projects', limit: -1 }], 'value_invalid', '#/products/0/features/0/limit'],
  [
    'a misspelled member of a limit',
    [projects],
    [{ id: 'projects', limit: 1, reset: 'month' }],
    'field_unknown',
    '#/products/0/features/0/reset',
  ],
  ['a feature that is a number', [projects], [7], 'value_invalid', '#/products/0/features/0'],
  ['a feature id that is none', [projects], ['pro jects'], 'value_invalid', '#/products/0/features/0'],
  ['a metered feature without a meter', [{ ...calls, meter: undefined }], [], 'meter_missing', '#/features/0'],
  [
    'a metered feature with an unknown meter',
    [{ ...calls, meter: 'calls' }],
    [],
    'meter_undefined',
    '#/features/0/meter',
  ],
  ['a limit with a meter', [{ ...projects, meter: 'api_calls' }], [], 'meter_unused_field', '#/features/0/meter'],
  ['a switch with a unit', [{ ...sso, unit: 'projects' }], [], 'value_invalid', '#/features/0/unit'],
] as const)('%s in a document is refused with the place of the error', (_title, features, given, code, pointer) => {
  const document: unknown = JSON.parse(JSON.stringify(shop(features, given)))
  expect(issuesOf(document)[0]).toEqual([code, pointer])
})

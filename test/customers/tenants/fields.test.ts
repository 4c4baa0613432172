import { describe, expect, test } from 'vitest'
import { checkNewTenant, checkTenantChange } from '../../../packages/ratecard/src/customers/tenants/fields.ts'
import { refusedWith } from '../../support/shop/refused.ts'

const pointers = (tenant: Parameters<typeof checkNewTenant>[0]) =>
  refusedWith(() => {
    checkNewTenant(tenant)
  })?.issues.map(({ pointer }) => pointer) ?? []

describe('the members of a tenant', () => {
  test.each([
    { name: 'A' },
    { id: 'acme_2.eu-west', name: 'Ærø ApS 🏺', email: 'a@b', processorCustomerId: 'cus_1' },
    { id: 'a'.repeat(100), name: 'n'.repeat(250), email: `${'e'.repeat(240)}@b.example`.slice(-250) },
    { name: 'A', email: null, processorCustomerId: null },
  ])('are accepted as: %j', (tenant) => {
    expect(pointers(tenant)).toEqual([])
  })

  test.each([
    ['#/id', { id: '' }],
    ['#/id', { id: '.acme' }],
    ['#/id', { id: 'a/b' }],
    ['#/id', { id: 'a:b' }],
    ['#/id', { id: 'acme\n' }],
    ['#/id', { id: 'a'.repeat(101) }],
    ['#/name', { name: '' }],
    ['#/name', { name: ' \t' }],
    ['#/name', { name: 'a\u0000b' }],
    ['#/name', { name: '\ud800' }],
    ['#/name', { name: 'n'.repeat(251) }],
    ['#/email', { email: 'nobody' }],
    ['#/email', { email: 'a@b@c' }],
    ['#/email', { email: 'a b@c' }],
    ['#/email', { email: `a@${'b'.repeat(250)}` }],
    ['#/processor_customer_id', { processorCustomerId: '' }],
    ['#/processor_customer_id', { processorCustomerId: 'cus 1' }],
  ])('are refused at %s: %j', (pointer, wrong) => {
    expect(pointers({ name: 'Acme', ...wrong })).toEqual([pointer])
  })

  test('are all checked, and all errors are in one response', () => {
    expect(pointers({ id: '-', name: '', email: '' })).toEqual(['#/id', '#/name', '#/email'])
  })

  test('are also validated in an update', () => {
    expect(
      refusedWith(() => {
        checkTenantChange({ name: '' })
      }),
    ).toMatchObject({ code: 'request_invalid' })
    checkTenantChange({})
  })
})

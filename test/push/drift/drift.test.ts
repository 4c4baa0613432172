import { beforeEach, describe, expect, test } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { nobody, startStack } from '../../support/stack.ts'
import { startedForEach } from '../../support/started.ts'

const stack = startedForEach(startStack)
beforeEach(async () => {
  await stack.service.push(shop, nobody)
})

const shop: BillingConfig = {
  version: '1.0.0',
  products: [
    {
      id: 'pro',
      name: 'Pro',
      metadata: { team: 'core' },
      prices: [
        { id: 'pro_monthly', amount: 1000, currency: 'usd', interval: 'month', default: true },
        { id: 'pro_yearly', amount: 9000, currency: 'usd', interval: 'year' },
      ],
    },
  ],
  coupons: [{ id: 'ten', percent_off: 10, duration: 'once' }],
}

describe('an edit in the Stripe dashboard:', () => {
  test('the drift report contains the edit, with the field and both values', async () => {
    await stack.stripe.products.update('rc_pro', { name: 'Pro (edited)' })
    const report = await stack.service.drift()
    expect(report.inSync).toBe(false)
    expect(report.differences).toMatchObject([
      {
        kind: 'product',
        configId: 'pro',
        fields: [{ field: 'name', before: 'Pro (edited)', after: 'Pro', origin: 'drift' }],
      },
    ])
  })

  test('a default price that is an earlier object of the same price is shown by its id, not as a field whose values are the same', async () => {
    const [monthly] = (await stack.stripe.prices.list({ lookup_keys: ['pro_monthly'] })).data
    const former = monthly?.id ?? ''
    const dearer = structuredClone(shop)
    for (const price of dearer.products[0]?.prices ?? []) if (price.id === 'pro_monthly') price.amount = 1200
    await stack.service.push({ ...dearer, version: '1.1.0' }, nobody)
    await stack.stripe.prices.update(former, { active: true })
    await stack.stripe.products.update('rc_pro', { default_price: former })
    const fields = (await stack.service.drift()).differences.flatMap((one) => one.fields)
    expect(fields).toContainEqual({ field: 'default_price', before: former, after: 'pro_monthly', origin: 'drift' })
    expect(fields.filter(({ before, after }) => before === after)).toEqual([])
  })

  test('a push of the same document undoes the edit and creates a new revision', async () => {
    await stack.stripe.products.update('rc_pro', { name: 'Pro (edited)', metadata: { team: 'sales', theirs: 'kept' } })
    const outcome = await stack.service.push(shop, nobody)
    expect(outcome).toMatchObject({ status: 'applied', revision: 2 })
    expect((await stack.service.drift()).inSync).toBe(true)
    expect(await stack.stripe.products.retrieve('rc_pro')).toMatchObject({
      name: 'Pro',
      metadata: { team: 'core', theirs: 'kept' },
    })
  })

  test('the archiving of a price stops the next push, whose error names both values and three solutions, and --force undoes the edit', async () => {
    const [yearly] = (await stack.stripe.prices.list({ lookup_keys: ['pro_yearly'] })).data
    await stack.stripe.prices.update(yearly?.id ?? '', { active: false })
    expect((await stack.service.drift()).differences).toMatchObject([{ configId: 'pro_yearly', because: ['active'] }])
    const before = stack.writes()
    await expect(stack.service.push(shop, nobody)).rejects.toMatchObject({
      code: 'processor_drift',
      hint: expect.stringMatching(/--force.*pull --update.*at the processor/) as string,
      issues: [expect.objectContaining({ code: 'drift', pointer: '#/products/0/prices/1' })],
    })
    expect(stack.writes()).toBe(before)
    const outcome = await stack.service.push(shop, { ...nobody, force: true })
    expect(outcome.details).toMatchObject([
      { kind: 'price', action: 'update', because: ['active'], processorIdAfter: yearly?.id },
    ])
    expect(outcome.warnings).toContainEqual(expect.objectContaining({ code: 'switched_on_again' }))
    expect((await stack.stripe.prices.list({ active: true })).data).toHaveLength(2)
  })

  test('an archived price is restored by a push that changes the price', async () => {
    const [yearly] = (await stack.stripe.prices.list({ lookup_keys: ['pro_yearly'] })).data
    await stack.stripe.prices.update(yearly?.id ?? '', { active: false })
    const edited = structuredClone(shop)
    edited.products[0]!.prices![1]!.metadata = { reviewed: 'yes' }
    const outcome = await stack.service.push(edited, nobody)
    expect(outcome.warnings).toContainEqual(expect.objectContaining({ code: 'switched_on_again' }))
    expect((await stack.stripe.prices.retrieve(yearly?.id ?? '')).active).toBe(true)
  })

  test('an edit of the default price is reported, and undone by a push', async () => {
    const [yearly] = (await stack.stripe.prices.list({ lookup_keys: ['pro_yearly'] })).data
    await stack.stripe.products.update('rc_pro', { default_price: yearly?.id ?? '' })
    expect((await stack.service.drift()).differences).toMatchObject([
      {
        kind: 'product',
        fields: [{ field: 'default_price', before: 'pro_yearly', after: 'pro_monthly', origin: 'drift' }],
      },
    ])
    await stack.service.push(shop, nobody)
    expect((await stack.service.drift()).inSync).toBe(true)
  })

  test('a lookup key that was moved to another price is reported as drift', async () => {
    const thief = await stack.stripe.prices.create({
      product: 'rc_pro',
      currency: 'usd',
      unit_amount: 1,
      lookup_key: 'pro_monthly',
      transfer_lookup_key: true,
    })
    await stack.stripe.products.update('rc_pro', { default_price: thief.id })
    const report = await stack.service.drift()
    expect(report.inSync).toBe(false)
    expect(report.differences).toMatchObject([
      { kind: 'product', configId: 'pro', fields: [{ field: 'default_price', before: thief.id }] },
      { kind: 'price', configId: 'pro_monthly', fields: [{ field: 'lookup_key', after: 'pro_monthly' }] },
    ])
    const before = stack.writes()
    await expect(stack.service.push(shop, { ...nobody, force: true })).rejects.toMatchObject({
      code: 'plan_refused',
      issues: [{ code: 'lookup_key_taken', hint: expect.stringContaining('another lookup key') as string }],
    })
    expect(stack.writes()).toBe(before)
  })

  test('edits that stop a push are listed separately from edits that every push overwrites', async () => {
    const [yearly] = (await stack.stripe.prices.list({ lookup_keys: ['pro_yearly'] })).data
    await stack.stripe.prices.update(yearly?.id ?? '', { active: false })
    await stack.stripe.products.update('rc_pro', { name: 'Pro (edited)' })
    await expect(stack.service.push(shop, nobody)).rejects.toMatchObject({
      code: 'processor_drift',
      message:
        '2 fields were edited at the processor since the last push; 1 of them stops this push. A push would also overwrite edits of product "pro" (name).',
    })
  })

  test('an edited discount of a coupon stops the next push', async () => {
    await stack.stripe.coupons.del('ten')
    await stack.stripe.coupons.create({ id: 'ten', percent_off: 90, duration: 'once' })
    const before = stack.writes()
    await expect(stack.service.push(shop, nobody)).rejects.toMatchObject({
      code: 'processor_drift',
      issues: [{ code: 'drift', pointer: '#/coupons/0/percent_off' }],
    })
    expect(stack.writes()).toBe(before)
    await stack.service.push(shop, { ...nobody, force: true })
    expect((await stack.service.drift()).inSync).toBe(true)
  })

  test('a deleted coupon stays deleted after a push, and is created again with --force', async () => {
    await stack.stripe.coupons.del('ten')
    const plain = await stack.service.push({ ...shop, version: '1.0.1' }, nobody)
    expect(plain.warnings).toContainEqual(expect.objectContaining({ code: 'switched_off_at_processor' }))
    expect((await stack.stripe.coupons.list()).data).toEqual([])
    const code = { ...shop, promotion_codes: [{ id: 'ten_code', code: 'TEN', coupon: 'ten' }] }
    await expect(stack.service.push(code, nobody)).rejects.toMatchObject({ code: 'processor_drift' })
    const outcome = await stack.service.push(shop, { ...nobody, force: true })
    expect(outcome.details).toMatchObject([{ kind: 'coupon', action: 'replace', because: ['processor_id'] }])
    expect((await stack.stripe.coupons.list()).data).toHaveLength(1)
    expect((await stack.service.push(shop, nobody)).status).toBe('unchanged')
  })

  test('a deleted coupon is shown at its promotion code as a change without an earlier value', async () => {
    const sold = { ...shop, promotion_codes: [{ id: 'ten_code', code: 'TEN', coupon: 'ten' }] }
    await stack.service.push(sold, nobody)
    await stack.stripe.coupons.del('ten')
    const { details } = await stack.service.push(sold, { ...nobody, force: true, dryRun: true })
    const fields = details.find(({ kind }) => kind === 'promotion_code')?.fields
    expect(fields).toContainEqual(expect.objectContaining({ field: 'coupon', after: 'ten' }))
    expect(fields?.find(({ field }) => field === 'coupon')?.before).toBeUndefined()
  })

  const code = { id: 'ten_code', code: 'TEN', coupon: 'ten' }
  test.each([
    ['was switched off in between', [{ ...code, active: false }]],
    ['was taken out in between', []],
  ])(
    'the codes of a deleted coupon stay inactive after a rollback: a code that %s is reported as inactive, not as changed',
    async (_, codes) => {
      const { revision } = await stack.service.push({ ...shop, promotion_codes: [code] }, nobody)
      await stack.service.push({ ...shop, promotion_codes: codes }, nobody)
      await stack.stripe.coupons.del('ten')
      const before = stack.writes()
      const back = await stack.service.rollback(revision ?? 0, nobody)
      expect(stack.writes()).toBe(before)
      expect(back.changes.promotion_codes).toEqual({ created: [], updated: [], archived: [] })
      expect(back.warnings).toContainEqual(
        expect.objectContaining({
          code: 'switched_off_at_processor',
          detail: 'The promotion code "ten_code" stays off: its coupon "ten" was deleted at the processor.',
        }),
      )
      expect((await stack.service.push({ ...shop, promotion_codes: [code] }, nobody)).status).toBe('unchanged')
      await stack.service.push({ ...shop, promotion_codes: [code] }, { ...nobody, force: true })
      expect((await stack.stripe.promotionCodes.list({ active: true })).data).toMatchObject([{ code: 'TEN' }])
    },
  )
})

import { describe, expect, test } from 'vitest'
import { fixture } from '../support/fixtures.ts'
import { nobody, startStack } from '../support/stack.ts'
import { startedForEach } from '../support/started.ts'
import { refusalOf } from '../support/stores/store.ts'

const stack = startedForEach(startStack)

const first = () => fixture('01-saas-subscriptions')
const second = () => fixture('07-saas-subscriptions-next-version')

async function processorIdOf(kind: string, id: string): Promise<string | undefined> {
  return (await stack.store.mappings.all()).filter((entry) => entry.kind === kind && entry.configId === id).at(-1)
    ?.processorId
}

describe('a push of a document', () => {
  test('creates all objects in the order of the document if it is the first push', async () => {
    const outcome = await stack.service.push(first(), nobody)
    expect(outcome.status).toBe('applied')
    expect(outcome.revision).toBe(1)
    expect(outcome.changes).toEqual({
      products: { created: ['free', 'solo', 'studio', 'concierge', 'paper_pack'], updated: [], archived: [] },
      prices: {
        created: [
          'free',
          'solo_monthly',
          'solo_quarterly',
          'solo_yearly',
          'studio_monthly',
          'studio_yearly',
          'studio_legacy_beta',
          'concierge_quote',
          'paper_pack_once',
        ],
        updated: [],
        archived: [],
      },
      features: { created: [], updated: [], archived: [] },
      meters: { created: [], updated: [], deactivated: [] },
      webhooks: { created: ['lifecycle_hook'], updated: [], unchanged: [] },
      coupons: { created: [], updated: [], archived: [] },
      promotion_codes: { created: [], updated: [], archived: [] },
      tax_rates: { created: [], updated: [], archived: [] },
      portal: { created: [], updated: [], archived: [] },
    })
  })

  test('reports exactly what changed since the last version', async () => {
    await stack.service.push(first(), nobody)
    const yearly = await processorIdOf('price', 'studio_yearly')
    const outcome = await stack.service.push(second(), nobody)
    expect(outcome.changes).toEqual({
      products: { created: ['ai_addon'], updated: ['solo', 'studio'], archived: ['paper_pack'] },
      prices: {
        created: ['ai_addon_usage'],
        updated: ['solo_monthly', 'studio_yearly'],
        archived: ['studio_legacy_beta', 'paper_pack_once'],
      },
      features: { created: [], updated: [], archived: [] },
      meters: { created: ['ai_credits'], updated: [], deactivated: [] },
      webhooks: { created: ['disputes_hook'], updated: ['lifecycle_hook'], unchanged: [] },
      coupons: { created: [], updated: [], archived: [] },
      promotion_codes: { created: [], updated: [], archived: [] },
      tax_rates: { created: [], updated: [], archived: [] },
      portal: { created: [], updated: [], archived: [] },
    })
    expect(await processorIdOf('price', 'studio_yearly')).toBe(yearly)
    const replaced = await processorIdOf('price', 'solo_monthly')
    const conversion = await stack.service.convert(replaced ?? '', { hidden: false })
    expect(conversion).toMatchObject({ configId: 'solo_monthly', itemType: 'price', historyCount: 2, current: true })
  })

  test('writes nothing at the processor if the document is unchanged', async () => {
    await stack.service.push(first(), nobody)
    await stack.service.push(second(), nobody)
    const before = stack.writes()
    const outcome = await stack.service.push(second(), nobody)
    expect(outcome.status).toBe('unchanged')
    expect(outcome.revision).toBe(2)
    expect(stack.writes()).toBe(before)
    expect((await stack.service.history({ limit: 10, offset: 0 })).total).toBe(2)
  })

  test('makes the same changes as its dry run planned, and the dry run writes nothing', async () => {
    await stack.service.push(first(), nobody)
    const before = stack.writes()
    const planned = await stack.service.push(second(), { ...nobody, dryRun: true })
    expect(planned.status).toBe('planned')
    expect(stack.writes()).toBe(before)
    expect((await stack.service.history({ limit: 10, offset: 0 })).total).toBe(1)
    expect((await stack.service.listPushes({ limit: 10, offset: 0 })).total).toBe(1)
    const applied = await stack.service.push(second(), nobody)
    expect(applied.changes).toEqual(planned.changes)
  })

  test('stores nothing if the first push is a dry run, not even the processor account', async () => {
    await stack.service.push(first(), { ...nobody, dryRun: true })
    expect(await stack.store.facts.get('processor_account')).toBeNull()
    expect(stack.writes()).toBe(0)
  })

  test('is refused if the key belongs to another account than the key of the first push', async () => {
    await stack.service.push(first(), nobody)
    await stack.store.facts.set('processor_account', 'acct_another live')
    await expect(stack.service.push(second(), nobody)).rejects.toMatchObject({ code: 'account_mismatch' })
    expect(await refusalOf(stack.service.push(second(), { ...nobody, dryRun: true }))).toBe('account_mismatch')
  })

  test('reuses the processor price of the earlier amount in a rollback', async () => {
    await stack.service.push(first(), nobody)
    const original = await processorIdOf('price', 'solo_monthly')
    await stack.service.push(second(), nobody)
    const back = await stack.service.rollback(1, nobody)
    expect(back).toMatchObject({ status: 'applied', revision: 3, version: '1.0.0' })
    expect(await processorIdOf('price', 'solo_monthly')).toBe(original)
    expect((await stack.service.convert(original ?? '', { hidden: false })).historyCount).toBe(3)
    const live = (await stack.snapshot()).price.find((price) => price.processorId === original)
    expect(live).toMatchObject({ active: true, fields: { lookupKey: 'solo_monthly' } })
  })

  test('reactivates the objects that a reset archived; the reset itself keeps webhooks', async () => {
    await stack.service.push(first(), nobody)
    const solo = await processorIdOf('price', 'solo_monthly')
    const report = await stack.service.reset({ ...nobody, scope: 'managed' })
    expect(report.errors).toEqual([])
    expect(report.archived.products).toEqual(['free', 'solo', 'studio', 'concierge', 'paper_pack'])
    expect(report.archived.prices).toContain('concierge_quote')
    await expect(stack.service.published()).rejects.toMatchObject({ code: 'config_not_found' })
    expect((await stack.snapshot()).webhook.every((webhook) => webhook.active)).toBe(true)
    expect((await stack.snapshot()).product.some((product) => product.active)).toBe(false)
    const history = await stack.service.history({ limit: 1, offset: 0 })
    expect(history.items[0]).toMatchObject({ kind: 'reset', revision: 2 })
    const again = await stack.service.push(first(), nobody)
    expect(again.changes.prices.created).toHaveLength(9)
    expect(again.details.find((detail) => detail.configId === 'solo_monthly')?.action).toBe('reactivate')
    expect(await processorIdOf('price', 'solo_monthly')).toBe(solo)
  })

  test.each([
    '01-saas-subscriptions',
    '02-usage-billing',
    '04-promotions',
    '06a-split-webhooks+06b-split-catalog+06c-split-enterprise',
    '07-saas-subscriptions-next-version',
  ])('with a document that was just pulled is valid and changes nothing: %s', async (names) => {
    const document = merge(names.split('+').map(fixture))
    await stack.service.push(document, nobody)
    const { document: pulled, unrepresentable } = await stack.service.pull()
    expect(unrepresentable).toEqual([])
    expect((await stack.service.validate(pulled)).errors).toEqual([])
    expect((await stack.service.push(pulled, nobody)).status).toBe('unchanged')
  })
})

function merge(documents: readonly ReturnType<typeof fixture>[]): ReturnType<typeof fixture> {
  const [head, ...rest] = documents
  if (head === undefined) throw new Error('nothing to merge')
  return rest.reduce(
    (whole, part) => ({
      ...whole,
      ...part,
      products: part.products.reduce((list, product) => {
        const present = list.find((one) => one.id === product.id)
        if (present === undefined) return [...list, product]
        return list.map((one) =>
          one === present ? { ...one, prices: [...(one.prices ?? []), ...(product.prices ?? [])] } : one,
        )
      }, whole.products),
    }),
    head,
  )
}

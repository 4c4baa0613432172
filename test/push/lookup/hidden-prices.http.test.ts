import { describe, expect, it, vi } from 'vitest'
import { billing, changedConfig, sampleConfig, startPushedApp } from '../../support/app.ts'
import { startedForAll } from '../../support/started.ts'

const test = startedForAll(startPushedApp)

const path = `${billing}/config`
const withKey = () => ({ 'x-service-key': test.key })

describe('a hidden price', () => {
  const hiddenPrices = ['pro_secret', 'pro_monthly_acme', 'pro_monthly_gold', 'backstage_yearly']
  /** Returns the response without the requested id and the request id. The rest must be equal for hidden and unknown prices. */
  async function trace(request: { url: string; method?: 'POST'; payload?: object }, id: string) {
    const response = await test.inject(request)
    const headers = Object.entries(response.headers).filter(
      ([name]) => !['x-request-id', 'date', 'content-length'].includes(name),
    )
    const problem = response.json()
    return JSON.stringify([response.statusCode, headers, { ...problem, instance: '' }]).replaceAll(id, 'ID')
  }

  it('gets the same response as an unknown price in price lookups, product lookups and cost calculations', async () => {
    for (const id of hiddenPrices) {
      expect(await trace({ url: `${path}/prices/${id}` }, id)).toBe(
        await trace({ url: `${path}/prices/zzz_none` }, 'zzz_none'),
      )
      for (const payload of [{ quantity: 1 }, { quantity: -1 }, { quantity: 'x' }, { q: 1 }, {}])
        expect(await trace({ method: 'POST', url: `${path}/prices/${id}/calculate`, payload }, id)).toBe(
          await trace({ method: 'POST', url: `${path}/prices/zzz_none/calculate`, payload }, 'zzz_none'),
        )
    }
    expect(await trace({ url: `${path}/products/backstage` }, 'backstage')).toBe(
      await trace({ url: `${path}/products/zzz_none` }, 'zzz_none'),
    )
  })

  it('gets the same response as an unknown price in the conversion of ids, as do webhooks, coupons and promotion codes', async () => {
    const config = (await test.service.fullConfig()).config
    const hidden = [
      ...config.products.flatMap(({ prices = [] }) => prices).filter(({ id }) => hiddenPrices.includes(id)),
      ...config.products.filter(({ id }) => id === 'backstage'),
      ...(config.webhooks ?? []),
      ...(config.coupons ?? []),
      ...(config.promotion_codes ?? []),
    ]
    expect(hidden).toHaveLength(8)
    for (const { processor_id: id } of hidden) {
      if (id === undefined) throw new Error('no processor id')
      expect(await trace({ url: `${billing}/convert/processor-id/${id}` }, id)).toBe(
        await trace({ url: `${billing}/convert/processor-id/zzz_none` }, 'zzz_none'),
      )
      const seen = await test.inject({ url: `${billing}/convert/processor-id/${id}`, headers: withKey() })
      expect([seen.statusCode, seen.json().processor_id]).toEqual([200, id])
    }
  })
})

it('a hidden price is not found under its earlier id, and no public response contains the earlier id', async () => {
  const renamed = changedConfig('1.0.1', ({ products }) => {
    const secret = products.flatMap(({ prices = [] }) => prices).find(({ id }) => id === 'pro_secret')
    if (secret !== undefined) Object.assign(secret, { id: 'pro_secret_now', previous_ids: ['pro_secret'] })
  })
  expect((await test.push(renamed)).statusCode).toBe(200)
  for (const id of ['pro_secret', 'pro_secret_now']) {
    expect((await test.inject({ url: `${path}/prices/${id}` })).statusCode).toBe(404)
    const payload = { quantity: 1 }
    expect((await test.inject({ method: 'POST', url: `${path}/prices/${id}/calculate`, payload })).statusCode).toBe(404)
    expect((await test.inject({ url: `${path}/prices/${id}`, headers: withKey() })).json()).toMatchObject({
      price: { id: 'pro_secret_now' },
    })
  }
  expect((await test.inject({ url: path })).body).not.toContain('pro_secret')
  const back = changedConfig('1.0.2', ({ products }) => {
    const secret = products.flatMap(({ prices = [] }) => prices).find(({ id }) => id === 'pro_secret')
    if (secret !== undefined) secret.previous_ids = ['pro_secret_now']
  })
  expect((await test.push(back)).statusCode).toBe(200)
  await test.push(sampleConfig())
})

describe('the conversion of ids between configuration and processor', () => {
  it('finds current and earlier ids after each change, and does not find hidden prices without a key', async () => {
    const convert = async (id: string, key = false) => {
      const response = await test.inject({
        url: `${billing}/convert/processor-id/${id}`,
        ...(key ? { headers: withKey() } : {}),
      })
      return response.statusCode === 200 ? response.json() : response.json().code
    }
    const idOf = async (id: string) => (await test.service.findPrice(id, { hidden: true })).price.processor_id ?? ''
    const first = await idOf('pro_monthly')
    expect(await convert(first)).toEqual({
      config_id: 'pro_monthly',
      processor_id: first,
      item_type: 'price',
      history_count: 1,
      current: true,
    })
    // The amount changes: there is a new processor price, and the old one is still found.
    await test.push(changedConfig('1.1.0', ({ products }) => void ((products[1]?.prices ?? [])[0]!.amount = 1500)))
    const second = await idOf('pro_monthly')
    expect(second).not.toBe(first)
    expect(await convert(first)).toMatchObject({ processor_id: second, history_count: 2, current: false })
    // Back to the first: the history has three entries.
    await test.push(sampleConfig('1.2.0'))
    expect(await idOf('pro_monthly')).toBe(first)
    expect(await convert(second)).toMatchObject({ processor_id: first, history_count: 3, current: false })
    expect(await convert(first)).toMatchObject({ current: true, history_count: 3 })
    // The price is hidden now. Its earlier ids are hidden too, because they would reveal its current one.
    await test.push(changedConfig('1.3.0', ({ products }) => void ((products[1]?.prices ?? [])[0]!.public = false)))
    expect(await convert(first)).toBe('mapping_not_found')
    expect(await convert(second)).toBe('mapping_not_found')
    expect(await convert(first, true)).toMatchObject({ config_id: 'pro_monthly' })
    // A price that is removed while hidden stays hidden. A price that is removed while public is found by the last revision that had it.
    const usage = await idOf('usage_graduated')
    await test.push(changedConfig('1.4.0', ({ products }) => void products.splice(1, 2)))
    expect(await convert(first)).toBe('mapping_not_found')
    expect(await convert(usage)).toMatchObject({ config_id: 'usage_graduated', current: true })
    expect((await test.inject({ url: `${path}/prices/usage_graduated` })).statusCode).toBe(404)
    // Anyone may send this request repeatedly, so the revision (possibly megabytes) is not read each time.
    const readRevision = vi.spyOn(test.store.versions, 'find')
    for (const _time of [1, 2, 3]) {
      expect(await convert(usage)).toMatchObject({ config_id: 'usage_graduated' })
      expect(await convert(first)).toBe('mapping_not_found')
    }
    expect(readRevision).not.toHaveBeenCalled()
    readRevision.mockRestore()
    await test.push(sampleConfig('1.5.0'))
  })

  it('returns the configuration id of a free price', async () => {
    const response = await test.inject({ url: `${billing}/convert/processor-id/free` })
    expect(response.json()).toEqual({
      config_id: 'free',
      processor_id: 'free',
      item_type: 'price',
      history_count: 1,
      current: true,
    })
  })
})

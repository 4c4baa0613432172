import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { emptyReport } from '../../../packages/ratecard/src/catalog/change-report.ts'
import { configId, processorId, type ResourceKind } from '../../../packages/ratecard/src/catalog/resource.ts'
import { checksum } from '../../../packages/ratecard/src/document/schema/canonical/checksum.ts'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { compareDocuments } from '../../../packages/ratecard/src/catalog/compare-documents.ts'
import { createDocuments } from '../../../packages/ratecard/src/server/service/document-thread.ts'
import { createLookups } from '../../../packages/ratecard/src/push/lookup/lookups.ts'
import { createSealer, generateMasterKey } from '../../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../../packages/ratecard/src/store/sql/open-store.ts'
import type { Store } from '../../../packages/ratecard/src/store/store.ts'
import { changedConfig, sampleConfig } from '../../support/app.ts'

let store: Store
let now = 0
let pushes = 0
const clock = { now: () => now }
const documents = createDocuments()

beforeEach(async () => {
  now = Date.UTC(2031, 0, 1)
  store = await openStore({ url: null, file: ':memory:', sealer: createSealer(generateMasterKey()), clock })
})
afterEach(() => store.close())

type Mapping = readonly [ResourceKind, string, string]

/** Publishes a version through the journal, as a push does. If `config` is null, publishes a reset. */
async function publish(config: BillingConfig | null, mappings: readonly Mapping[] = []): Promise<void> {
  const id = `p${String(++pushes)}`
  const kind = config === null ? ('reset' as const) : ('push' as const)
  const document = config === null ? null : JSON.stringify(config)
  const who = { author: null, message: null, keyId: null, keyName: null }
  const base = { document, version: config?.version ?? '0.0.0', ...who, createdAt: now, kind }
  await store.exclusively('push', async ({ token }) => {
    await store.pushes.open({ id, ...base, plan: '{}', baseRevision: null, steps: [] }, token)
    const changes = JSON.stringify(emptyReport())
    const version = { ...base, checksum: config === null ? '' : checksum(config), changes, pushId: id }
    const entries = mappings.map(([type, config_id, processor_id]) => ({
      kind: type,
      configId: configId(config_id),
      processorId: processorId(processor_id),
    }))
    await store.pushes.close(id, version, entries, token)
  })
}

const names = async (lookups: ReturnType<typeof createLookups>) =>
  (await lookups.published()).served.config.products.map(({ name }) => name)

describe('the cached configuration of a replica', () => {
  it('is the same object until a push changes it', async () => {
    await publish(sampleConfig())
    const lookups = createLookups({ store, clock, documents })
    const first = await lookups.published()
    now += 10_000
    expect(await lookups.published()).toBe(first)
    expect(JSON.parse(first.body.toString())).toMatchObject({
      revision: 1,
      updated_at: '2031-01-01T00:00:00.000Z',
      config: first.served.config,
    })
  })

  it('contains a push of the same process immediately, and a push of another replica within half a second', async () => {
    await publish(sampleConfig())
    const [here, there] = [createLookups({ store, clock, documents }), createLookups({ store, clock, documents })]
    await Promise.all([here.published(), there.published()])
    await publish(changedConfig('1.1.0', ({ products }) => void (products[0]!.name = 'Gratis')))
    here.invalidate()
    expect((await names(here))[0]).toBe('Gratis')
    now += 499
    expect((await names(there))[0]).toBe('Free')
    now += 1
    expect((await names(there))[0]).toBe('Gratis')
  })

  it('reads the store at most every half second, however many requests arrive', async () => {
    await publish(sampleConfig())
    let asked = 0
    const counting = { ...pick(store), changeSequence: () => (asked++, store.changeSequence()) }
    const lookups = createLookups({ store: counting, clock, documents })
    await lookups.published()
    asked = 0
    await Promise.all(Array.from({ length: 100 }, () => lookups.published()))
    now += 500
    await Promise.all(Array.from({ length: 100 }, () => lookups.published()))
    expect(asked).toBe(1)
  })

  it('is served from memory while the store is unavailable, and refreshed afterwards', async () => {
    await publish(sampleConfig())
    let down = false
    const flaky = {
      ...pick(store),
      changeSequence: () => (down ? Promise.reject(new Error('store away')) : store.changeSequence()),
    }
    const lookups = createLookups({ store: flaky, clock, documents })
    await lookups.published()
    await publish(sampleConfig('1.1.0'))
    down = true
    now += 500
    expect((await lookups.published()).served.version).toBe('1.0.0')
    lookups.invalidate()
    expect((await lookups.published()).served.version).toBe('1.0.0')
    down = false
    now += 500
    expect((await lookups.published()).served.version).toBe('1.1.0')
    down = true
    await expect(createLookups({ store: flaky, clock, documents }).published()).rejects.toThrow('store away')
  })

  it('is not replaced by stale data that was read before the cache was invalidated', async () => {
    await publish(sampleConfig())
    let release = () => {}
    let held: Promise<void> | null = null
    const slow = {
      ...pick(store),
      changeSequence: async () => {
        const sequence = await store.changeSequence()
        if (held !== null) await held
        return sequence
      },
    }
    const lookups = createLookups({ store: slow, clock, documents })
    await lookups.published()
    held = new Promise((resolve) => (release = resolve))
    now += 500
    const reading = lookups.published()
    await new Promise(setImmediate)
    await publish(sampleConfig('1.2.0'))
    lookups.invalidate()
    held = null
    release()
    await reading
    expect((await lookups.published()).served.version).toBe('1.2.0')
  })

  it('has an ETag that changes only with its content', async () => {
    await publish(sampleConfig())
    const tag = async () => (await createLookups({ store, clock, documents }).published()).etag
    const first = await tag()
    expect(await tag()).toBe(first)
    await publish(sampleConfig(), [['price', 'pro_monthly', 'price_9']])
    expect(await tag()).not.toBe(first)
  })

  it('contains the processor ids of the stored mappings, not those in the document', async () => {
    const config = changedConfig(
      '1.0.0',
      ({ products }) => void ((products[1]?.prices ?? [])[0]!.processor_id = 'price_wish'),
    )
    await publish(config, [
      ['price', 'pro_monthly', 'price_got'],
      ['product', 'pro', 'prod_1'],
    ])
    const { price, product } = await createLookups({ store, clock, documents }).findPrice('pro_monthly', {
      hidden: false,
    })
    expect([price.processor_id, product.processor_id]).toEqual(['price_got', 'prod_1'])
  })

  it('keeps its creation time through each later revision, even a reset', async () => {
    await publish(sampleConfig())
    const first = now
    now += 1000
    await publish(null)
    const lookups = createLookups({ store, clock, documents })
    await expect(lookups.published()).rejects.toMatchObject({ code: 'config_not_found' })
    now += 1000
    await publish(sampleConfig('2.0.0'))
    lookups.invalidate()
    expect((await lookups.published()).served).toMatchObject({ createdAt: first, updatedAt: now, revision: 3 })
  })

  it('is refreshed in the background between start and stop', async () => {
    await publish(sampleConfig())
    const lookups = createLookups({ store, clock, documents })
    await lookups.published()
    await publish(sampleConfig('1.1.0'))
    await lookups.refresh()
    expect((await lookups.published()).served.version).toBe('1.1.0')
    lookups.start()
    lookups.start()
    lookups.stop()
  })
})

describe('the conversion of a processor id', () => {
  it('returns the current item of the id, not an item that had the id earlier', async () => {
    await publish(sampleConfig(), [
      ['price', 'pro_monthly', 'x'],
      ['price', 'free', 'free'],
    ])
    await publish(sampleConfig('1.1.0'), [
      ['price', 'pro_monthly', 'y'],
      ['price', 'usage_graduated', 'x'],
    ])
    const lookups = createLookups({ store, clock, documents })
    expect(await lookups.convert('x', { hidden: true })).toMatchObject({ configId: 'usage_graduated', current: true })
    expect(await lookups.convert('y', { hidden: true })).toMatchObject({ configId: 'pro_monthly', historyCount: 2 })
  })

  it('returns the item that had the id last, not a removed item that had it before', async () => {
    await publish(sampleConfig(), [['price', 'removed', 'x']])
    await publish(sampleConfig('1.1.0'), [['price', 'pro_monthly', 'x']])
    await publish(sampleConfig('1.2.0'), [['price', 'pro_monthly', 'y']])
    const lookups = createLookups({ store, clock, documents })
    expect(await lookups.convert('x', { hidden: true })).toMatchObject({ configId: 'pro_monthly', current: false })
  })
})

describe('the difference between two documents', () => {
  it('is empty if only the notation differs, not the meaning', () => {
    const explicit = changedConfig('9.9.9', (config) => {
      config.$schema = 'https://schema.example.test'
      config.products[0]!.type = 'service'
      const price = (config.products[1]?.prices ?? [])[0]!
      delete price.amount
      Object.assign(price, {
        unit_amount_decimal: '1200.00',
        interval_count: 1,
        usage_type: 'licensed',
        billing_scheme: 'per_unit',
        public: true,
      })
      config.webhooks?.[0]?.events.reverse()
      config.promotion_codes![0]!.active = true
    })
    expect(compareDocuments(sampleConfig(), explicit)).toEqual([])
  })

  it('lists added, changed and removed items by their ids in the document', () => {
    const later = changedConfig('1.1.0', (config) => {
      config.products[1]!.description = 'For bigger teams'
      config.products[1]!.prices!.push({ id: 'pro_yearly', amount: 12_000, currency: 'usd', interval: 'year' })
      config.products[1]!.prices!.splice(1, 1)
      config.meters![0]!.default_aggregation = { formula: 'count' }
      delete config.coupons
      delete config.promotion_codes
    })
    const found = compareDocuments(sampleConfig(), later)
    expect(found.map(({ kind, configId: id, change }) => [kind, id, change])).toEqual([
      ['meter', 'api_calls', 'changed'],
      ['product', 'pro', 'changed'],
      ['price', 'pro_yearly', 'added'],
      ['price', 'pro_secret', 'removed'],
      ['coupon', 'welcome', 'removed'],
      ['promotion_code', 'hello', 'removed'],
    ])
    expect(found[0]?.fields).toEqual([{ field: 'default_aggregation.formula', before: 'sum', after: 'count' }])
    expect(found[1]?.fields).toEqual([{ field: 'description', before: 'For teams', after: 'For bigger teams' }])
    expect(found[2]?.display).toEqual({ before: null, after: '$120.00 / year' })
  })

  it('treats a reset as an empty document', () => {
    expect(compareDocuments(null, sampleConfig()).every(({ change }) => change === 'added')).toBe(true)
    expect(compareDocuments(sampleConfig(), null)).toHaveLength(compareDocuments(null, sampleConfig()).length)
    expect(compareDocuments(null, null)).toEqual([])
  })
})

// The store is a class: spreading it would lose its methods.
function pick({ pushes, versions, writtenForms, mappings, secrets }: Store) {
  return { pushes, versions, writtenForms, mappings, secrets, changeSequence: () => store.changeSequence() }
}

// Work on large documents does not block the event loop. Measures the longest CPU time of the main thread between two turns of its event
// loop, relative to the same work without interruption.
import { beforeAll, describe, expect, it } from 'vitest'
import { configOperations } from '../../../packages/ratecard/src/api/push/config.ts'
import { toWire } from '../../../packages/ratecard/src/api/notation/case-conversion.ts'
import { emptyCatalog } from '../../../packages/ratecard/src/catalog/desired.ts'
import { documentTasks } from '../../../packages/ratecard/src/catalog/document-tasks.ts'
import type { Snapshot } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { validateConfig } from '../../../packages/ratecard/src/document/validation/validate.ts'
import { RouteResponse } from '../../../packages/ratecard/src/server/http/contract/route.ts'
import { admin, startTestApp } from '../../support/app.ts'
import { startedForAll } from '../../support/started.ts'

const test = startedForAll(startTestApp)
const large = documentOf(1_000)

beforeAll(async () => {
  // Compiles the validation first, so that it is not measured.
  await test.app.inject(validation(documentOf(1)))
})

function documentOf(products: number, cents = 1_000): BillingConfig {
  return {
    version: '1.0.0',
    products: Array.from({ length: products }, (_, index) => ({
      id: `product_${String(index)}`,
      name: `Product ${String(index)}`,
      prices: (['day', 'week', 'month', 'year'] as const).map((interval) => ({
        id: `price_${String(index)}_${interval}`,
        currency: 'eur',
        amount: cents + index,
        interval,
        ui: { features: ['One feature', 'Another feature'] },
      })),
    })),
  }
}

const withKey = () => ({ 'x-service-key': test.key })
const validation = (document: unknown) =>
  ({ method: 'POST', url: `${admin}/config/validate`, headers: withKey(), payload: document as object }) as const

const cpuNow = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function costOf(work: () => unknown): number {
  const began = cpuNow()
  work()
  return cpuNow() - began
}

interface Stretch {
  readonly longest: number
  readonly all: number
}

/** Measures the CPU milliseconds of this thread while `work` runs: in total, and the maximum between two turns of the event loop. */
async function stretchesOf(work: () => Promise<unknown>): Promise<Stretch> {
  const began = cpuNow()
  let [turn, longest, over] = [began, 0, false]
  const look = () => {
    const now = cpuNow()
    longest = Math.max(longest, now - turn)
    turn = now
  }
  const watch = async () => {
    while (!over) {
      await new Promise((resolve) => setImmediate(resolve))
      look()
    }
  }
  const watching = watch()
  await work()
  over = true
  await watching
  return { longest, all: cpuNow() - began }
}

describe('the event loop is not blocked for other requests by', () => {
  it.each([
    ['valid', { ...documentOf(3_500) }],
    ['full of mistakes', { version: '1.0.0', products: Array.from({ length: 60_000 }, () => ({ id: 'same' })) }],
  ])('the validation of a large document, %s', async (_name, document) => {
    const inOnePiece = Math.min(...[1, 2].map(() => costOf(() => validateConfig(document))))
    const status: number[] = []
    const { longest } = await stretchesOf(async () => {
      status.push((await test.app.inject(validation(document))).statusCode)
    })
    expect(status).toEqual([200])
    expect(longest).toBeLessThan(inOnePiece / 2)
  })

  it.each([
    ['very many lists in lists', '[[[[[[1]]]]]]'],
    ['very many objects of their own names', '{"kINDEX":{"qINDEX":1}}'],
  ])('a request body that consists of %s', async (_name, item) => {
    const items: string[] = []
    for (let size = 0; size < 1_500_000; size += (items.at(-1)?.length ?? 0) + 1)
      items.push(item.replaceAll('INDEX', String(items.length)))
    const payload = `{"version":"1.0.0","products":[${items.join(',')}]}`
    const inOnePiece = Math.min(...[1, 2].map(() => costOf(() => JSON.parse(payload) as unknown)))
    const status: number[] = []
    const longest: number[] = []
    // The minimum of three runs, because a garbage collection may slow one down. Parsing the body here would slow down all.
    for (const _time of [1, 2, 3]) {
      const stretches = await stretchesOf(async () => {
        const headers = { ...withKey(), 'content-type': 'application/json' }
        status.push((await test.app.inject({ ...validation({}), headers, payload })).statusCode)
      })
      longest.push(stretches.longest)
    }
    expect(status).toEqual([200, 200, 200])
    expect(Math.min(...longest)).toBeLessThan(inOnePiece / 2)
  })

  it('many large documents at the same time during a health check', async () => {
    const document = documentOf(2_500)
    let under = 8
    const all = Promise.all(
      Array.from({ length: under }, async () => {
        expect((await test.app.inject(validation(document))).statusCode).toBe(200)
        under--
      }),
    )
    let checks = 0
    while (under > 0) {
      expect((await test.app.inject({ url: '/healthz' })).statusCode).toBe(200)
      // Starts each request in a new turn, as a socket does. Injected requests would leave the event loop no turn.
      await new Promise((resolve) => setImmediate(resolve))
      checks++
    }
    await all
    // If each document blocked the event loop, there would be only one check between two documents.
    expect(checks).toBeGreaterThan(100)
  })

  it('the validation of a large document, whose result is the same as without yielding', async () => {
    const broken = { ...large, meters: [{ id: 'calls' }], products: [...large.products, { id: 'product_0' }] }
    const { errors, warnings } = validateConfig(broken)
    const answer = await test.asAdmin(validation(broken))
    expect(answer.json()).toEqual({ valid: false, errors, warnings })
    const pushed = await test.asAdmin({ method: 'POST', url: `${admin}/config?dry_run=true`, payload: broken })
    expect(pushed.statusCode).toBe(422)
    expect(pushed.json<{ errors: unknown }>().errors).toEqual([...errors, ...warnings])
  })

  it('the plan of a push with thousands of prices', async () => {
    const text = JSON.stringify(large)
    const task = { text, previous: null, snapshot: emptyCatalog as unknown as Snapshot, mappings: [] }
    const inOnePiece = Math.min(...[1, 2].map(() => costOf(() => documentTasks.plan(task))))
    const status: number[] = []
    const { longest } = await stretchesOf(async () => {
      const response = await test.app.inject({
        method: 'POST',
        url: `${admin}/config?dry_run=true`,
        headers: withKey(),
        payload: large,
      })
      status.push(response.statusCode)
      expect(response.json<{ details: unknown[] }>().details).toHaveLength(5_000)
    })
    expect(status).toEqual([200])
    expect(longest).toBeLessThan(inOnePiece / 2)
  })

  it('a response with tens of thousands of items', async () => {
    const items = Array.from({ length: 40_000 }, (_, index) => ({
      ...{
        kind: 'price' as const,
        configId: `price_${String(index)}`,
        action: 'create' as const,
        because: [],
        fields: [],
      },
      ...{ processorIdBefore: null, processorIdAfter: null, display: { before: null, after: '€12.00 / month' } },
    }))
    const value = {
      inSync: false,
      editedFields: 1,
      revision: 1,
      version: '1.0.0',
      differences: items,
      notes: [],
      unmanaged: [],
    }
    const schema = configOperations.getDrift.answers[200].schema
    const inOnePiece = Math.min(...[1, 2].map(() => costOf(() => JSON.stringify(toWire(schema, value)))))
    const longest: number[] = []
    // The minimum of three runs, because a garbage collection may slow one down.
    for (const _time of [1, 2, 3]) {
      let content: string | Buffer | undefined
      const stretch = await stretchesOf(async () => {
        content = await new RouteResponse(200, { schema, value }, {}).content()
      })
      longest.push(stretch.longest)
      expect(content?.toString()).toBe(JSON.stringify(toWire(schema, value)))
    }
    expect(Math.min(...longest)).toBeLessThan(inOnePiece / 2)
  })

  it('a page of the history whose revisions have large change lists', async () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => `price_with_a_long_name_${String(index)}`)
    const nothing = { created: [], updated: [], archived: [] }
    const changes = JSON.stringify({
      products: nothing,
      prices: { ...nothing, updated: ids },
      meters: { created: [], updated: [], deactivated: [] },
      webhooks: { created: [], updated: [], unchanged: [] },
      coupons: nothing,
      promotion_codes: nothing,
    })
    await test.store.exclusively('push', async ({ token }) => {
      for (let number = 1; number <= 25; number++) {
        const [id, at] = [`history${String(number)}`, number]
        const by = { author: null, keyId: null, keyName: null, message: null }
        const common = { kind: 'push', document: '{}', version: '1.0.0', ...by, createdAt: at } as const
        await test.store.pushes.open({ ...common, id, plan: '{}', baseRevision: null, steps: [] }, token)
        await test.store.pushes.close(id, { ...common, checksum: '', changes, pushId: id }, [], token)
      }
    })
    const status: number[] = []
    const { longest, all } = await stretchesOf(async () => {
      const url = `${admin}/config/history?limit=100`
      status.push((await test.app.inject({ url, headers: withKey() })).statusCode)
    })
    expect(status).toEqual([200])
    // If the work ran without a pause, it would be nearly all of it.
    expect(longest).toBeLessThan(all * 0.75)
  })
})

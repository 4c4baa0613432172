import { describe, expect, it } from 'vitest'
import { createCheckCache, createClient } from '../../packages/client/src/client.ts'
import type { EntitlementsClient, FeatureCheck } from '../../packages/client/src/client.ts'

const result = (feature: string, used: number): FeatureCheck => ({
  ...{ allowed: true, reason: null, feature, type: 'limit', limit: 10, used, remaining: 10 - used },
  ...{ resetsAt: null, beyond: 'deny', offeredBy: [], asOf: '2026-01-01T00:00:00Z' },
})

/** A client whose requests are counted and answered here. */
function countedClient(answer: (asked: { feature: string; used?: number }) => Response | Promise<Response>) {
  const asked: string[] = []
  const { entitlements } = createClient({
    baseUrl: 'http://127.0.0.1:1',
    serviceKey: 'rk_test',
    fetch: (_url, init) => {
      const body = JSON.parse(typeof init?.body === 'string' ? init.body : '{}') as { feature: string; used?: number }
      asked.push(JSON.stringify(body))
      return Promise.resolve(answer(body))
    },
  })
  return { entitlements, asked }
}

const answered = ({ feature, used = 0 }: { feature: string; used?: number }) => Response.json(result(feature, used))

function cacheOf(entitlements: EntitlementsClient, maxResults = 100) {
  const clock = { now: 0 }
  return { clock, cache: createCheckCache(entitlements, { maxResults, now: () => clock.now }) }
}

describe('the client library’s cache of feature checks', () => {
  it('sends concurrent equal checks as one request, and sends a new request after one second', async () => {
    const { entitlements, asked } = countedClient(answered)
    const { cache, clock } = cacheOf(entitlements)
    const ask = () => cache.check('projects', { used: 3, tenantId: 'acme' })
    const all = await Promise.all([ask(), ask(), ask()])
    expect(all.map(({ used }) => used)).toEqual([3, 3, 3])
    clock.now = 999
    await ask()
    expect(asked).toHaveLength(1)
    clock.now = 1000
    await ask()
    expect(asked).toHaveLength(2)
  })

  it('separates checks of different tenants, features and amounts', async () => {
    const { entitlements, asked } = countedClient(answered)
    const { cache } = cacheOf(entitlements)
    const questions = [{}, { tenantId: 'acme' }, { used: 1 }, { requested: 1 }, { used: 1, requested: 1 }]
    for (const question of questions) await cache.check('projects', question)
    await cache.check('seats')
    expect(new Set(asked).size).toBe(6)
  })

  it('does not store failed checks', async () => {
    let fails = true
    const { entitlements, asked } = countedClient((body) =>
      fails ? Response.json({ code: 'feature_not_found', detail: 'no' }, { status: 404 }) : answered(body),
    )
    const { cache } = cacheOf(entitlements)
    await expect(cache.check('projects')).rejects.toMatchObject({ code: 'feature_not_found' })
    fails = false
    expect((await cache.check('projects')).allowed).toBe(true)
    expect(asked).toHaveLength(2)
  })

  it('evicts its oldest result when it is full, and all results of a tenant on request', async () => {
    const { entitlements, asked } = countedClient(answered)
    const { cache } = cacheOf(entitlements, 2)
    for (const tenantId of ['a', 'b', 'c', 'b', 'c']) await cache.check('projects', { tenantId })
    expect(asked).toHaveLength(3)
    await cache.check('projects', { tenantId: 'a' })
    expect(asked).toHaveLength(4)
    cache.clear('a')
    await cache.check('projects', { tenantId: 'c' })
    expect(asked).toHaveLength(4)
    await cache.check('projects', { tenantId: 'a' })
    expect(asked).toHaveLength(5)
  })
})

import { describe, expect, it } from 'vitest'
import type { FaultKind } from '../../../packages/sandbox/src/control/faults.ts'
import { processorOf, sandboxAndProcessor } from './bench.ts'
import { archive, createCoupon, createPrice, createProduct, createWebhook, update } from './steps.ts'

const posts = (requests: string[]) => requests.filter((line) => line.startsWith('POST '))

describe('a refusal that says nothing happened', () => {
  it.each<FaultKind>(['rate_limit', 'lock_timeout', 'conflict'])('is waited out and repeated (%s)', async (kind) => {
    const { sandbox, processor, requests, writing } = await sandboxAndProcessor()
    sandbox.control.fail({ kind, method: 'POST', count: 3 })
    const made = await processor.perform(createProduct('limited'), writing())
    expect(made.processorId).toBe('rc_limited')
    expect(posts(requests())).toHaveLength(4)
  })

  it('keeps the same idempotency key over all its repeats', async () => {
    const { sandbox, processor, writing } = await sandboxAndProcessor()
    sandbox.control.fail({ kind: 'rate_limit', method: 'POST', count: 2 })
    await processor.perform(createProduct('limited'), writing())
    const keys = sandbox.control.requests().map((request) => request.idempotencyKey)
    expect(keys).toEqual(['key-1', 'key-1', 'key-1'])
  })

  it('becomes rate_limited after eight attempts, and nothing happened', async () => {
    const { sandbox, processor, requests, writing, signal } = await sandboxAndProcessor()
    sandbox.control.fail({ kind: 'rate_limit', method: 'POST', count: null })
    const step = createProduct('starved')
    const refused = processor.perform(step, writing())
    await expect(refused).rejects.toMatchObject({ kind: 'rate_limited', outcomeUnknown: false })
    expect(posts(requests())).toHaveLength(8)
    expect(await processor.locate(step, signal)).toBeNull()
  })

  it('is waited out by reads as well', async () => {
    const { sandbox, processor, signal } = await sandboxAndProcessor()
    sandbox.control.fail({ kind: 'rate_limit', method: 'GET', count: 5 })
    await expect(processor.snapshot({ signal })).resolves.toMatchObject({ product: [] })
  })

  it('ends at once when the caller gives up while waiting', async () => {
    const { sandbox, processor } = await sandboxAndProcessor({ firstWaitMs: 600_000 })
    sandbox.control.fail({ kind: 'rate_limit', method: 'POST', count: null })
    const stop = new AbortController()
    const waiting = processor.perform(createProduct('patient'), { idempotencyKey: 'k', signal: stop.signal })
    await expect.poll(() => sandbox.control.requests().length).toBe(1)
    stop.abort()
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('a write whose answer is lost', () => {
  it.each<FaultKind>(['close_after', 'cut_body'])(
    'is repeated under its key and meets its own result (%s)',
    async (kind) => {
      const { sandbox, processor, requests, writing, signal } = await sandboxAndProcessor()
      const product = (await processor.perform(createProduct('owner'), writing())).processorId
      sandbox.control.fail({ kind, method: 'POST' })
      const made = await processor.perform(createPrice('lost', product), writing())
      expect(posts(requests())).toHaveLength(3)
      const { price } = await processor.snapshot({ signal })
      expect(price.map((one) => one.processorId)).toEqual([made.processorId])
    },
  )

  it('is not repeated by the SDK behind our back when the socket closes', async () => {
    const { sandbox, processor, requests, writing } = await sandboxAndProcessor()
    sandbox.control.fail({ kind: 'close_before', method: 'POST', count: null })
    await expect(processor.perform(createProduct('shut'), writing())).rejects.toMatchObject({ kind: 'unknown_outcome' })
    expect(posts(requests())).toEqual(['POST /v1/products closed', 'POST /v1/products closed'])
  })

  it('is of unknown outcome when the repeat is lost too, and located because it happened', async () => {
    const { sandbox, processor, writing, signal } = await sandboxAndProcessor()
    const product = (await processor.perform(createProduct('owner'), writing())).processorId
    sandbox.control.fail({ kind: 'cut_body', method: 'POST', count: 2 })
    const step = createPrice('twice', product)
    const lost = processor.perform(step, writing())
    await expect(lost).rejects.toMatchObject({ kind: 'unknown_outcome', outcomeUnknown: true })
    const found = await processor.locate(step, signal)
    const { price } = await processor.snapshot({ signal })
    expect(price.map((one) => one.processorId)).toEqual([found?.processorId])
  })

  it('brings the webhook’s secret with its repeat', async () => {
    const { sandbox, processor, writing } = await sandboxAndProcessor()
    sandbox.control.fail({ kind: 'cut_body', method: 'POST' })
    const made = await processor.perform(createWebhook('kept'), writing())
    expect(made.secret).toMatch(/^whsec_/)
  })

  it('because it took too long is waited for: its key is in use until it is done', async () => {
    const { sandbox, processor, requests, writing, signal } = await sandboxAndProcessor()
    const hasty = processorOf(sandbox, { timeoutMs: 50, firstWaitMs: 40 })
    const product = (await processor.perform(createProduct('owner'), writing())).processorId
    sandbox.control.fail({ kind: 'latency', method: 'POST', latencyMs: 300 })
    const made = await hasty.perform(createPrice('slow', product), writing())
    expect(requests()).toContain('POST /v1/prices 409')
    const { price } = await processor.snapshot({ signal })
    expect(price.map((one) => one.processorId)).toEqual([made.processorId])
  })

  it('because it took too long is a timeout when it does not come to an end', async () => {
    const { sandbox, processor, writing } = await sandboxAndProcessor({ timeoutMs: 50, firstWaitMs: 1 })
    sandbox.control.fail({ kind: 'latency', method: 'POST', count: null, latencyMs: 900 })
    const slow = processor.perform(createProduct('slow'), writing())
    await expect(slow).rejects.toMatchObject({ kind: 'timeout', outcomeUnknown: true })
  })

  it('of a deletion is done when the repeat finds nothing', async () => {
    const { sandbox, processor, writing } = await sandboxAndProcessor()
    const target = (await processor.perform(createCoupon('bye'), writing())).processorId
    sandbox.control.fail({ kind: 'close_after', method: 'DELETE' })
    const gone = await processor.perform(archive('coupon', 'bye', target), writing())
    expect(gone).toMatchObject({ processorId: target, observed: null })
  })

  it('is still doubtful when no repeat is let through', async () => {
    const { sandbox, processor, writing } = await sandboxAndProcessor()
    sandbox.control.fail({ kind: 'cut_body', method: 'POST', count: 1 })
    sandbox.control.fail({ kind: 'rate_limit', method: 'POST', count: null })
    const lost = processor.perform(createProduct('half'), writing())
    await expect(lost).rejects.toMatchObject({ kind: 'unknown_outcome' })
  })
})

describe('a 500', () => {
  it('after the commit is answered again under the key, so the outcome is unknown and is located', async () => {
    const { sandbox, processor, requests, writing, signal } = await sandboxAndProcessor()
    sandbox.control.fail({ kind: 'error_after', method: 'POST' })
    const step = createProduct('stored')
    await expect(processor.perform(step, writing())).rejects.toMatchObject({ kind: 'unknown_outcome' })
    expect(posts(requests())).toEqual(['POST /v1/products 500', 'POST /v1/products 500'])
    expect((await processor.locate(step, signal))?.processorId).toBe('rc_stored')
  })

  it('before the commit leaves nothing to locate', async () => {
    const { sandbox, processor, writing, signal } = await sandboxAndProcessor()
    sandbox.control.fail({ kind: 'error_before', method: 'POST' })
    const step = createProduct('absent')
    await expect(processor.perform(step, writing())).rejects.toMatchObject({ kind: 'unknown_outcome' })
    expect(await processor.locate(step, signal)).toBeNull()
  })

  it('that is not kept under the key is cured by the repeat', async () => {
    const { sandbox, processor, writing } = await sandboxAndProcessor()
    sandbox.control.fail({ kind: 'error_before', method: 'POST', keep: false })
    expect((await processor.perform(createProduct('cured'), writing())).processorId).toBe('rc_cured')
  })

  it('of an update or an archive is located by looking at the object', async () => {
    const { sandbox, processor, writing, signal } = await sandboxAndProcessor()
    const target = (await processor.perform(createProduct('edited'), writing())).processorId
    const change = update('product', 'edited', target, { set: { name: 'Edited' } })
    const stop = archive('product', 'edited', target)
    for (const step of [change, stop]) {
      sandbox.control.fail({ kind: 'error_before', method: 'POST' })
      await expect(processor.perform(step, writing())).rejects.toMatchObject({ kind: 'unknown_outcome' })
      expect(await processor.locate(step, signal)).toBeNull()
      sandbox.control.fail({ kind: 'error_after', method: 'POST' })
      await expect(processor.perform(step, writing())).rejects.toMatchObject({ kind: 'unknown_outcome' })
      expect((await processor.locate(step, signal))?.processorId).toBe(target)
    }
  })
})

describe('reads', () => {
  it.each<FaultKind>(['error_before', 'close_before', 'cut_body'])(
    'are asked again after trouble (%s)',
    async (kind) => {
      const { sandbox, processor, writing, signal } = await sandboxAndProcessor()
      await processor.perform(createProduct('read'), writing())
      sandbox.control.fail({ kind, method: 'GET', path: '/v1/products', count: 3 })
      const { product } = await processor.snapshot({ signal })
      expect(product).toHaveLength(1)
    },
  )

  it('are unavailable when the trouble stays', async () => {
    const { sandbox, processor, signal } = await sandboxAndProcessor()
    sandbox.control.fail({ kind: 'error_before', path: '/v1/prices', count: null })
    await expect(processor.snapshot({ signal })).rejects.toMatchObject({ kind: 'unavailable', outcomeUnknown: false })
  })
})

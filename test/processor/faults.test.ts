import { describe, expect } from 'vitest'
import type { FaultKind } from '../../packages/sandbox/src/control/faults.ts'
import { adapterTest as it, processorOf, sandboxAndProcessor } from './suite/bench.ts'
import { archive, createCoupon, createPrice, createProduct, createWebhook, update } from './suite/steps.ts'

const posts = (requests: string[]) => requests.filter((line) => line.startsWith('POST '))

describe('a request that the processor refuses before executing it', () => {
  it.each<FaultKind>(['rate_limit', 'lock_timeout', 'conflict'])('is retried after a backoff (%s)', async (kind) => {
    const { sandbox, processor, requests, writing } = await sandboxAndProcessor()
    sandbox.control.fail({ kind, method: 'POST', count: 3 })
    const made = await processor.perform(createProduct('limited'), writing())
    expect(made.processorId).toBe('rc_limited')
    expect(posts(requests())).toHaveLength(4)
  })

  it('is retried with the same idempotency key', async ({ adapter: { sandbox, processor, writing } }) => {
    sandbox.control.fail({ kind: 'rate_limit', method: 'POST', count: 2 })
    await processor.perform(createProduct('limited'), writing())
    const keys = sandbox.control.requests().map((request) => request.idempotencyKey)
    expect(keys).toEqual(['key-1', 'key-1', 'key-1'])
  })

  it('fails with the kind rate_limited after eight attempts, without having been executed', async () => {
    const { sandbox, processor, requests, writing, signal } = await sandboxAndProcessor()
    sandbox.control.fail({ kind: 'rate_limit', method: 'POST', count: null })
    const step = createProduct('starved')
    const refused = processor.perform(step, writing())
    await expect(refused).rejects.toMatchObject({ kind: 'rate_limited', outcomeUnknown: false })
    expect(posts(requests())).toHaveLength(8)
    expect(await processor.locate(step, signal)).toBeNull()
  })

  it('is retried if it is a read, too', async ({ adapter: { sandbox, processor, signal } }) => {
    sandbox.control.fail({ kind: 'rate_limit', method: 'GET', count: 5 })
    await expect(processor.snapshot({ signal })).resolves.toMatchObject({ product: [] })
  })

  it('is not retried any more once the caller aborts', async () => {
    const { sandbox, processor } = await sandboxAndProcessor({ firstWaitMs: 600_000 })
    sandbox.control.fail({ kind: 'rate_limit', method: 'POST', count: null })
    const stop = new AbortController()
    const waiting = processor.perform(createProduct('patient'), { idempotencyKey: 'k', signal: stop.signal })
    await expect.poll(() => sandbox.control.requests().length).toBe(1)
    stop.abort()
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('a write whose response is lost', () => {
  it.each<FaultKind>(['close_after', 'cut_body'])(
    'is retried with its idempotency key and gets the response of the first attempt (%s)',
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

  it('is not retried by the SDK itself when the connection closes', async ({ adapter }) => {
    const { sandbox, processor, requests, writing } = adapter
    sandbox.control.fail({ kind: 'close_before', method: 'POST', count: null })
    await expect(processor.perform(createProduct('shut'), writing())).rejects.toMatchObject({ kind: 'unknown_outcome' })
    expect(posts(requests())).toEqual(['POST /v1/products closed', 'POST /v1/products closed'])
  })

  it('has an unknown outcome if the response to the retry is lost too, and a lookup then finds the created object', async () => {
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

  it('gets the webhook’s secret from the retry if the write creates a webhook', async ({
    adapter: { sandbox, processor, writing },
  }) => {
    sandbox.control.fail({ kind: 'cut_body', method: 'POST' })
    const made = await processor.perform(createWebhook('kept'), writing())
    expect(made.secret).toMatch(/^whsec_/)
  })

  it('is retried after a timeout until the first attempt releases its idempotency key', async () => {
    const { sandbox, processor, requests, writing, signal } = await sandboxAndProcessor()
    const hasty = processorOf(sandbox, { timeoutMs: 50, firstWaitMs: 40 })
    const product = (await processor.perform(createProduct('owner'), writing())).processorId
    sandbox.control.fail({ kind: 'latency', method: 'POST', latencyMs: 300 })
    const made = await hasty.perform(createPrice('slow', product), writing())
    expect(requests()).toContain('POST /v1/prices 409')
    const { price } = await processor.snapshot({ signal })
    expect(price.map((one) => one.processorId)).toEqual([made.processorId])
  })

  it('fails with a timeout if the first attempt never releases the idempotency key', async () => {
    const { sandbox, processor, writing } = await sandboxAndProcessor({ timeoutMs: 50, firstWaitMs: 1 })
    sandbox.control.fail({ kind: 'latency', method: 'POST', count: null, latencyMs: 900 })
    const slow = processor.perform(createProduct('slow'), writing())
    await expect(slow).rejects.toMatchObject({ kind: 'timeout', outcomeUnknown: true })
  })

  it('counts as successful if it is a deletion and the retry finds no object', async ({
    adapter: { sandbox, processor, writing },
  }) => {
    const target = (await processor.perform(createCoupon('bye'), writing())).processorId
    sandbox.control.fail({ kind: 'close_after', method: 'DELETE' })
    const gone = await processor.perform(archive('coupon', 'bye', target), writing())
    expect(gone).toMatchObject({ processorId: target, observed: null })
  })

  it('has an unknown outcome if each retry is rate limited', async ({ adapter: { sandbox, processor, writing } }) => {
    sandbox.control.fail({ kind: 'cut_body', method: 'POST', count: 1 })
    sandbox.control.fail({ kind: 'rate_limit', method: 'POST', count: null })
    const lost = processor.perform(createProduct('half'), writing())
    await expect(lost).rejects.toMatchObject({ kind: 'unknown_outcome' })
  })
})

describe('a write with a 500 response', () => {
  it('has an unknown outcome if its retries get the same stored 500, until a lookup finds the object', async () => {
    const { sandbox, processor, requests, writing, signal } = await sandboxAndProcessor()
    sandbox.control.fail({ kind: 'error_after', method: 'POST' })
    const step = createProduct('stored')
    await expect(processor.perform(step, writing())).rejects.toMatchObject({ kind: 'unknown_outcome' })
    expect(posts(requests())).toEqual(['POST /v1/products 500', 'POST /v1/products 500'])
    expect((await processor.locate(step, signal))?.processorId).toBe('rc_stored')
  })

  it('has created no object if the 500 came before the commit, and a lookup then finds none', async ({
    adapter: { sandbox, processor, writing, signal },
  }) => {
    sandbox.control.fail({ kind: 'error_before', method: 'POST' })
    const step = createProduct('absent')
    await expect(processor.perform(step, writing())).rejects.toMatchObject({ kind: 'unknown_outcome' })
    expect(await processor.locate(step, signal)).toBeNull()
  })

  it('succeeds on a retry if the 500 was not stored under the idempotency key', async ({
    adapter: { sandbox, processor, writing },
  }) => {
    sandbox.control.fail({ kind: 'error_before', method: 'POST', keep: false })
    expect((await processor.perform(createProduct('cured'), writing())).processorId).toBe('rc_cured')
  })

  it('is resolved by reading the object if the write was an update or an archive', async ({ adapter }) => {
    const { sandbox, processor, writing, signal } = adapter
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

describe('reads from the processor', () => {
  it.each<FaultKind>(['error_before', 'close_before', 'cut_body'])('are retried after a failure (%s)', async (kind) => {
    const { sandbox, processor, writing, signal } = await sandboxAndProcessor()
    await processor.perform(createProduct('read'), writing())
    sandbox.control.fail({ kind, method: 'GET', path: '/v1/products', count: 3 })
    const { product } = await processor.snapshot({ signal })
    expect(product).toHaveLength(1)
  })

  it('fail as unavailable if all retries fail', async ({ adapter: { sandbox, processor, signal } }) => {
    sandbox.control.fail({ kind: 'error_before', path: '/v1/prices', count: null })
    await expect(processor.snapshot({ signal })).rejects.toMatchObject({ kind: 'unavailable', outcomeUnknown: false })
  })
})

// Malformed responses, from a server with scripted responses.
import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { processorId } from '../../packages/ratecard/src/catalog/resource.ts'
import { against, answering, secretKey } from './suite/scripted.ts'
import { archive, createMeter, createProduct, update } from './suite/steps.ts'
import { listenLocally } from '../support/listen.ts'
import { adapterTo } from '../support/parts.ts'

const signal = AbortSignal.timeout(600_000)
const writing = { idempotencyKey: 'k', signal }
const product = {
  ...{ id: 'rc_p', object: 'product', active: true, created: 1, default_price: null, description: null },
  ...{ metadata: { ratecard_id: 'p' }, name: 'Product p', type: 'service' },
}

describe('a malformed response of Stripe', () => {
  it.each<[string, unknown]>([
    ['another kind of object', { ...product, object: 'price' }],
    ['no object at all', {}],
    ['no id', { ...product, id: undefined }],
    ['another id', { ...product, id: 'rc_q' }],
    ['members missing', { id: 'rc_p', object: 'product' }],
    ['null', null],
    ['a list', [product]],
    ['a text', '"x"'],
    ['a number', '7'],
    ['true', 'true'],
  ])('is an error of kind `broken`, without a retry: %s', async (_name, body) => {
    const { processor, seen } = await against({ body })
    await expect(processor.perform(createProduct('p'), writing)).rejects.toMatchObject({
      kind: 'broken',
      outcomeUnknown: true,
    })
    expect(seen).toHaveLength(1)
  })

  it('is an error of kind broken if it has an error status and no error object, although the SDK treats it as a success', async () => {
    const { processor, seen } = await against({ status: 418, body: product })
    const refused = processor.perform(createProduct('p'), writing)
    await expect(refused).rejects.toMatchObject({ kind: 'broken', original: { request_id: 'req_1' } })
    expect(seen).toHaveLength(1)
  })

  it('is an error of kind broken that names the field if a returned value differs from the written value', async () => {
    const { processor } = await against({ body: { ...product, description: 'Not mine' } })
    await expect(processor.perform(createProduct('p'), writing)).rejects.toThrow(
      /its description is not what was written/,
    )
  })

  it('is an error of kind broken if an update or an archive had no effect', async () => {
    const { processor } = await against({ body: { ...product, metadata: { old: '1', ratecard_id: 'p' } } })
    const target = processorId('rc_p')
    const renamed = update('product', 'p', target, { set: { name: 'Other' } })
    await expect(processor.perform(renamed, writing)).rejects.toThrow(/its name is not/)
    const added = update('product', 'p', target, { set: { metadata: { a: 'b' } } })
    await expect(processor.perform(added, writing)).rejects.toThrow(/its metadata\.a is not/)
    const kept = update('product', 'p', target, { unset: ['old'] })
    await expect(processor.perform(kept, writing)).rejects.toThrow(/its metadata\.old is not/)
    const marked = update('product', 'q', target, { mark: true })
    await expect(processor.perform(marked, writing)).rejects.toThrow(/its mark is not/)
    await expect(processor.perform(archive('product', 'p', target), writing)).rejects.toThrow(/its active is not/)
  })

  it('is an error of kind broken also if the response is a list, e.g. a list that never ends', async () => {
    const endless = { object: 'list', data: [], has_more: true, url: '/' }
    for (const body of [{ object: 'list' }, endless, { ...endless, data: [{ id: 'x', object: 'odd' }] }]) {
      const { processor } = await against({ body })
      await expect(processor.snapshot({ signal })).rejects.toMatchObject({ kind: 'broken' })
    }
  })
})

describe('a response that is not from Stripe', () => {
  it.each(['"x"', '7', 'true', 'null', '[]'])('is an error of kind broken on a read: %s', async (body) => {
    const { processor } = await against({ body })
    await expect(processor.snapshot({ signal })).rejects.toMatchObject({
      kind: 'broken',
      message: expect.stringMatching(/in place of an object/),
    })
  })

  it.each<[string, Parameters<typeof against>[0]]>([
    ['a text with status 502', { status: 502, body: '"Bad gateway"' }],
    ['an error page of a proxy', { status: 502, body: '<html>Bad gateway</html>' }],
    ['a 503 without an error', { status: 503, body: {} }],
  ])('leaves a write with an unknown outcome after one retry: %s', async (_name, response) => {
    const { processor, seen } = await against(response)
    await expect(processor.perform(createProduct('p'), writing)).rejects.toMatchObject({ kind: 'unknown_outcome' })
    expect(seen).toHaveLength(2)
  })

  it('leaves a write with an unknown outcome if the retry is refused, because the first attempt may have created the object', async () => {
    const error = { type: 'invalid_request_error', code: 'resource_already_exists', message: 'Product already exists.' }
    const { processor, seen } = await against(
      { status: 500, body: { error: { type: 'api_error' } } },
      { status: 400, body: { error } },
    )
    const doubtful = processor.perform(createProduct('p'), writing)
    await expect(doubtful).rejects.toMatchObject({ kind: 'unknown_outcome', outcomeUnknown: true })
    expect(seen).toHaveLength(2)
  })

  it('is retried if it is a 429 without a body', async () => {
    const { processor, seen } = await against({ status: 429, body: {} }, { body: product })
    await processor.perform(createProduct('p'), writing)
    expect(seen).toHaveLength(2)
  })
})

describe('a list during which the object of the page cursor is deleted', () => {
  const coupon = (id: string) => ({
    ...{
      id,
      object: 'coupon',
      created: 1,
      amount_off: null,
      currency: null,
      duration: 'once',
      duration_in_months: null,
    },
    ...{
      max_redemptions: null,
      metadata: {},
      name: null,
      percent_off: 10,
      redeem_by: null,
      times_redeemed: 0,
      valid: true,
    },
  })
  const page = (has_more: boolean, ...ids: string[]) => ({
    body: { object: 'list', data: ids.map(coupon), has_more, url: '/' },
  })
  const error = {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param: 'starting_after',
    message: 'No such coupon',
  }

  it('is read again from its start, without the deleted object', async () => {
    let deleted = false
    const { processor } = await answering(({ url }) => {
      if (!url.startsWith('/v1/coupons')) return page(false)
      if (!url.includes('starting_after')) return deleted ? page(true, 'a') : page(true, 'a', 'gone')
      if (url.includes('starting_after=a')) return page(false, 'b')
      deleted = true
      return { status: 400, body: { error } }
    })
    const { coupon: found } = await processor.snapshot({ signal })
    expect(found.map((one) => one.processorId)).toEqual(['a', 'b'])
  })

  it('is read again at most three times, and then the read fails', async () => {
    const { processor, seen } = await answering(({ url }) => {
      if (!url.startsWith('/v1/coupons')) return page(false)
      return url.includes('starting_after') ? { status: 400, body: { error } } : page(true, 'gone')
    })
    await expect(processor.snapshot({ signal })).rejects.toMatchObject({ kind: 'rejected' })
    expect(seen.filter((request) => request.url.startsWith('/v1/coupons'))).toHaveLength(8)
  })
})

describe('a request of the adapter to Stripe', () => {
  it('has the caller’s idempotency key and Ratecard’s user agent, and sends no telemetry', async () => {
    const { processor, seen } = await against({ body: product })
    await processor.perform(createProduct('p'), { idempotencyKey: 'push-7-3-1', signal })
    const headers = seen[0]?.headers
    expect(headers?.['idempotency-key']).toBe('push-7-3-1')
    expect(headers?.['user-agent']).toContain(' ratecard')
    expect(headers?.['x-stripe-client-telemetry']).toBeUndefined()
  })

  it('clears a field by sending an empty value, because the SDK drops empty objects', async () => {
    const { processor, seen } = await against({ body: { ...product, metadata: {} } })
    const target = processorId('rc_p')
    const set = { description: '', defaultPrice: null }
    await processor.perform(update('product', 'p', target, { set, unset: ['old'] }), writing)
    expect(new URLSearchParams(seen[0]?.body)).toEqual(
      new URLSearchParams({ description: '', default_price: '', 'metadata[old]': '' }),
    )
  })

  it('that archives a product also clears the product’s default price', async () => {
    const { processor, seen } = await against({ body: { ...product, active: false } })
    await processor.perform(archive('product', 'p', processorId('rc_p')), writing)
    expect(seen.map((request) => request.body)).toEqual(['active=false&default_price='])
  })

  it('cannot change a meter and reactivate it at the same time', async () => {
    const { processor, seen } = await against({ body: {} })
    const both = update('meter', 'm', processorId('mtr_1'), { activate: true, set: { displayName: 'M' } })
    await expect(processor.perform(both, writing)).rejects.toThrow(TypeError)
    expect(seen).toHaveLength(0)
  })
})

describe('a caller that aborts a running request to Stripe', () => {
  it('still gets the result of its write if the write succeeded', async () => {
    const stop = new AbortController()
    const { processor } = await answering(() => {
      stop.abort()
      return { body: product }
    })
    const made = processor.perform(createProduct('p'), { idempotencyKey: 'k', signal: stop.signal })
    await expect(made).resolves.toMatchObject({ processorId: 'rc_p' })
  })

  it('gets the error unknown_outcome, without a retry, if a write fails', async () => {
    const stop = new AbortController()
    const { processor, seen } = await answering(() => {
      stop.abort()
      return { status: 500, body: {} }
    })
    const made = processor.perform(createProduct('p'), { idempotencyKey: 'k', signal: stop.signal })
    await expect(made).rejects.toMatchObject({ kind: 'unknown_outcome' })
    expect(seen).toHaveLength(1)
  })

  it('gets an error at once, without waiting for the response, if the request is a read', async () => {
    const stop = new AbortController()
    const { processor } = await answering(() => {
      stop.abort()
      return { body: { object: 'account', id: 'acct_1' } }
    })
    await expect(processor.account(stop.signal)).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('secrets in a response of Stripe', () => {
  it('are redacted in errors, even if the response repeats them', async () => {
    const message = `No such key: ${secretKey}; header sk_live_abcdefgh12345678; secret whsec_abcdefgh12345678`
    const { processor } = await against({ status: 401, body: { error: { type: 'invalid_request_error', message } } })
    const error: unknown = await processor.account(signal).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ kind: 'unauthorized', message: 'No such key: [key]; header [key]; secret [key]' })
    expect(JSON.stringify(error) + String((error as Error).stack)).not.toMatch(/veryverysecret|sk_live_a|whsec_a/)
    expect((error as Error).cause).toBeUndefined()
  })
})

describe('a refused connection to Stripe', () => {
  it('is an error of kind unavailable after a few attempts, because no request reached Stripe', async () => {
    const { processor, seen } = await against({ body: product })
    const closed = createServer()
    const port = await listenLocally(closed)
    await new Promise((resolve) => closed.close(resolve))
    const nobody = adapterTo(`http://127.0.0.1:${port}`, secretKey)
    await expect(nobody.perform(createMeter('m'), writing)).rejects.toMatchObject({
      kind: 'unavailable',
      outcomeUnknown: false,
    })
    expect(seen).toHaveLength(0)
    await expect(processor.perform(createProduct('p'), writing)).resolves.toMatchObject({ processorId: 'rc_p' })
  })
})

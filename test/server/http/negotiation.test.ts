import fc from 'fast-check'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import {
  matchedTag,
  configAnswer,
  encodingOf,
} from '../../../packages/ratecard/src/server/http/response/config-answer.ts'
import { eventStream } from '../../../packages/ratecard/src/server/http/response/event-stream.ts'

describe('the header Accept-Encoding', () => {
  it('selects the encoding with the highest weight, and Brotli if the weights are equal', () => {
    const cases: [string | undefined, string][] = [
      [undefined, 'identity'],
      ['', 'identity'],
      ['br', 'br'],
      ['gzip', 'gzip'],
      ['x-gzip', 'gzip'],
      ['gzip, br', 'br'],
      ['gzip;q=1.0, br;q=0.5', 'gzip'],
      ['gzip; q=0.5 , br ; q=0.2', 'gzip'],
      ['*', 'br'],
      ['*;q=0.5, br;q=0', 'gzip'],
      ['identity', 'identity'],
      ['identity;q=1, gzip;q=0.5', 'identity'],
      ['gzip;q=0, br;q=0', 'identity'],
      ['br;q=nonsense', 'identity'],
      ['deflate, zstd', 'identity'],
    ]
    for (const [header, encoding] of cases) expect([header, encodingOf(header)]).toEqual([header, encoding])
  })

  it('never selects an encoding that the header does not list, however malformed the header is', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const encoding = encodingOf(header)
        expect(['br', 'gzip', 'identity']).toContain(encoding)
        if (encoding !== 'identity') expect(header.toLowerCase()).toMatch(new RegExp(`${encoding}|\\*`))
      }),
    )
  })
})

describe('the header If-None-Match', () => {
  const tags = ['"a"', '"a-gzip"', '"a-br"']

  it('is compared weakly, may be a list or *, and prefers the selected encoding', () => {
    expect(matchedTag(undefined, '"a"', tags)).toBeNull()
    expect(matchedTag('"a"', '"a"', tags)).toBe('"a"')
    expect(matchedTag('W/"a"', '"a"', tags)).toBe('"a"')
    expect(matchedTag('"x", "a-br" ,"y"', '"a"', tags)).toBe('"a-br"')
    expect(matchedTag(' * ', '"a-gzip"', tags)).toBe('"a-gzip"')
    expect(matchedTag('"a-br", "a"', '"a"', tags)).toBe('"a"')
    for (const header of ['', 'a', '"A"', '"a', '"*"', 'W/"b"'])
      expect([header, matchedTag(header, '"a"', tags)]).toEqual([header, null])
  })
})

describe('the compressed response with the public price list', () => {
  const config = { version: '1.0.0', products: [] }
  const served = { id: 'cfg_1', version: '1.0.0', revision: 1, createdAt: 0, updatedAt: 0, config }

  it('is sent uncompressed if compression would make it longer', async () => {
    const published = { served, body: Buffer.from('{}'), etag: '"t"' }
    const answer = await configAnswer(published, { acceptEncoding: 'br', ifNoneMatch: undefined })
    expect(answer.body?.toString()).toBe('{}')
    expect(answer.headers).not.toHaveProperty('content-encoding')
    expect(answer.headers['etag']).toBe('"t"')
  })

  it('is compressed only once for concurrent requests', async () => {
    const published = { served, body: Buffer.from('x'.repeat(10_000)), etag: '"t"' }
    const ask = () => configAnswer(published, { acceptEncoding: 'gzip', ifNoneMatch: undefined })
    const [first, second] = await Promise.all([ask(), ask()])
    expect(first.body).toBe(second.body)
    expect(first.body?.length).toBeLessThan(200)
  })
})

describe('an event stream of the service', () => {
  async function* events() {
    yield { n: 1 }
    yield await Promise.resolve({ n: 2 })
  }
  const render = ({ n }: { n: number }) => ({ event: 'count', data: { n, text: 'a\nb' } })

  it('numbers its events, has one line of data per event, and ends when its source ends', async () => {
    const stream = await eventStream(events(), render)
    const text = (await Readable.from(stream).toArray()).join('')
    expect(text).toBe(
      'id: 1\nevent: count\ndata: {"n":1,"text":"a\\nb"}\n\nid: 2\nevent: count\ndata: {"n":2,"text":"a\\nb"}\n\n',
    )
  })

  it('fails before its first byte is sent if its source fails', async () => {
    const broken: AsyncIterable<{ n: number }> = {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('none')) }),
    }
    await expect(eventStream(broken, render)).rejects.toThrow('none')
  })
})

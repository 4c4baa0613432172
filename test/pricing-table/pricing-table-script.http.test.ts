// The script of the pricing table, which pages of any origin load.
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packs } from '../../packages/pricing-table/src/languages/all.ts'
import { languages } from '../../packages/pricing-table/src/words.ts'
import { buildPricingTable } from '../../packages/pricing-table/build.mjs'
import { startTestApp, type TestApp } from '../support/app.ts'

let test: TestApp
const limit = 20_000

beforeAll(async () => {
  await buildPricingTable()
  test = await startTestApp()
})
afterAll(() => test.close())

const load = (headers: Record<string, string> = {}) => test.inject({ url: '/pricing-table.js', headers })

describe('GET /pricing-table.js', () => {
  it('returns one small script to requests of any origin, compressed and with an ETag', async () => {
    const plain = await load()
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    })
    expect(plain.headers['cache-control']).toMatch(/^public, max-age=\d+/)
    expect(plain.body).toContain('ratecard-pricing-table')
    // The script contains no import or export, because it is loaded as a plain script.
    expect(plain.body).not.toMatch(/\b(import|export)\s*[{*"']/)
    for (const [encoding, unpack] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const packed = await load({ 'accept-encoding': encoding })
      expect(packed.headers['content-encoding']).toBe(encoding)
      expect(packed.rawPayload.length).toBeLessThanOrEqual(limit)
      expect(unpack(packed.rawPayload).toString()).toBe(plain.body)
      const again = await load({ 'accept-encoding': encoding, 'if-none-match': String(packed.headers['etag']) })
      expect([again.statusCode, again.body]).toEqual([304, ''])
    }
  })

  it('weighs with the texts of any language at most 20 kB', async () => {
    const weigh = async (url: string) =>
      (await test.inject({ url, headers: { 'accept-encoding': 'br' } })).rawPayload.length
    const script = await weigh('/pricing-table.js')
    for (const language of languages.filter((one) => one !== 'en')) {
      const answer = await test.inject({ url: `/pricing-table/${language}.json` })
      expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([200, '*'])
      expect(answer.json()).toEqual(packs[language])
      expect(script + (await weigh(`/pricing-table/${language}.json`))).toBeLessThanOrEqual(20_000)
    }
    for (const file of ['en.json', 'tlh.json', '..%2fpackage.json', '.', 'de'])
      expect([file, (await test.inject({ url: `/pricing-table/${file}` })).statusCode]).toEqual([file, 404])
  })

  it('responds to HEAD, and refuses other methods with 405', async () => {
    const head = await test.inject({ method: 'HEAD', url: '/pricing-table.js' })
    expect([head.statusCode, head.body, head.headers['content-type']]).toEqual([
      200,
      '',
      'text/javascript; charset=utf-8',
    ])
    const post = await test.inject({ method: 'POST', url: '/pricing-table.js' })
    expect([post.statusCode, post.headers['allow']]).toEqual([405, 'GET, HEAD'])
  })
})

import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import { verifyWebhook, WebhookError } from '../../packages/client/src/webhooks.ts'

const secret = 'whsec_first'
const now = 1_800_000_000_000
const seconds = now / 1000
const event = { id: 'evt_1', object: 'event', type: 'invoice.paid', created: seconds, data: { object: { id: 'in_1' } } }
const payload = JSON.stringify(event, null, 2)

const sign = (body: string, { at = seconds, key = secret } = {}) =>
  createHmac('sha256', key)
    .update(`${String(at)}.${body}`)
    .digest('hex')
const header = (body = payload, options: { at?: number; key?: string } = {}) =>
  `t=${String(options.at ?? seconds)},v1=${sign(body, options)}`

async function codeOf(attempt: Promise<unknown>): Promise<string> {
  const error: unknown = await attempt.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(WebhookError)
  return error instanceof WebhookError ? error.code : ''
}

describe('verifyWebhook() of the client library', () => {
  it('accepts a delivery signed by Stripe’s own library, as text and as bytes', async () => {
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: seconds })
    const bytes = new TextEncoder().encode(payload)
    const inside = new Uint8Array([0, ...bytes, 0]).subarray(1, -1)
    for (const body of [payload, bytes, bytes.buffer, inside, Buffer.from(payload)])
      expect(await verifyWebhook(body, signature, secret, { now })).toEqual(event)
  })

  it('accepts a delivery if any of its signatures matches any of the secrets, e.g. during a rotation', async () => {
    const other = sign(payload, { key: 'whsec_other' })
    const twoSignatures = `t=${String(seconds)},v0=abc,v1=${other},v1=${sign(payload)}`
    expect(await verifyWebhook(payload, twoSignatures, secret, { now })).toEqual(event)
    expect(await verifyWebhook(payload, header(), ['whsec_new', secret], { now })).toEqual(event)
    expect(await codeOf(verifyWebhook(payload, header(), ['whsec_new', 'whsec_other'], { now }))).toBe(
      'signature_mismatch',
    )
  })

  it('refuses a delivery if a single byte of its body, time, signature or secret differs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('body', 'time', 'signature', 'secret'), fc.nat(), async (what, seed) => {
        const signature = sign(payload)
        const turn = (text: string) => {
          const at = seed % text.length
          return text.slice(0, at) + (text[at] === '0' ? '1' : '0') + text.slice(at + 1)
        }
        const time = what === 'time' ? turn(String(seconds)) : String(seconds)
        const attempt = verifyWebhook(
          what === 'body' ? turn(payload) : payload,
          `t=${time},v1=${what === 'signature' ? turn(signature) : signature}`,
          what === 'secret' ? turn(secret) : secret,
          { now },
        )
        expect(await codeOf(attempt)).toBe('signature_mismatch')
      }),
      { numRuns: 60 },
    )
  })

  it('refuses a delivery older than five minutes, or older than the given tolerance', async () => {
    const aged = (age: number) => header(payload, { at: seconds - age })
    expect(await verifyWebhook(payload, aged(300), secret, { now })).toEqual(event)
    expect(await codeOf(verifyWebhook(payload, aged(301), secret, { now }))).toBe('timestamp_too_old')
    expect(await codeOf(verifyWebhook(payload, aged(11), secret, { now, toleranceSeconds: 10 }))).toBe(
      'timestamp_too_old',
    )
    expect(await verifyWebhook(payload, aged(1e9), secret, { now, toleranceSeconds: Infinity })).toEqual(event)
    // A forged signature gets no information about the clock.
    expect(await codeOf(verifyWebhook(payload, aged(301), 'whsec_wrong', { now }))).toBe('signature_mismatch')
  })

  it('uses the current time by default', async () => {
    const at = Math.floor(Date.now() / 1000)
    expect(await verifyWebhook(payload, header(payload, { at }), secret)).toEqual(event)
    expect(await codeOf(verifyWebhook(payload, header(payload, { at: at - 1000 }), secret))).toBe('timestamp_too_old')
  })

  it('refuses a missing or malformed signature header with its own error code', async () => {
    for (const missing of [null, undefined, ''])
      expect(await codeOf(verifyWebhook(payload, missing, secret, { now }))).toBe('signature_missing')
    const malformed = [
      'nonsense',
      `v1=${sign(payload)}`,
      `t=${String(seconds)}`,
      `t=${String(seconds)},v0=${sign(payload)}`,
      `t=now,v1=${sign(payload)}`,
      `t=-1,v1=${sign(payload)}`,
      `t=${String(seconds)},v1=${sign(payload).slice(1)}`,
      `t=${String(seconds)},v1=${'x'.repeat(64)}`,
    ]
    for (const signature of malformed)
      expect([signature, await codeOf(verifyWebhook(payload, signature, secret, { now }))]).toEqual([
        signature,
        'signature_malformed',
      ])
  })

  it('refuses a signed body that is not an event or was already parsed', async () => {
    for (const body of ['null', '[]', '{}', '{"type":1,"data":{}}', 'not json'])
      expect(await codeOf(verifyWebhook(body, header(body), secret, { now }))).toBe('payload_invalid')
    const parsed = event as unknown as string
    expect(await codeOf(verifyWebhook(parsed, header(), secret, { now }))).toBe('payload_invalid')
  })

  it('refuses an empty secret, e.g. of an unset variable', async () => {
    const signed = header(payload, { key: '' })
    await expect(verifyWebhook(payload, signed, '', { now })).rejects.toThrow(TypeError)
    await expect(verifyWebhook(payload, signed, [], { now })).rejects.toThrow(TypeError)
    expect(await codeOf(verifyWebhook(payload, signed, ['', secret], { now }))).toBe('signature_mismatch')
  })
})

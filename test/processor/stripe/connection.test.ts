import { describe, expect, it } from 'vitest'
import { createStripe, isLiveKey } from '../../../packages/ratecard/src/processor/stripe/connection/connection.ts'

const options = { secretKey: 'sk_test_abc', apiBase: null, timeoutMs: 1000 }

describe('the configuration of the connection to Stripe', () => {
  it('never sends a live key to a host other than Stripe', () => {
    for (const secretKey of ['sk_live_abc', 'rk_live_abc', 'something'])
      expect(() => createStripe({ ...options, secretKey, apiBase: 'http://127.0.0.1:4243' })).toThrow(/live/)
    expect(() => createStripe({ ...options, secretKey: 'sk_live_abc' })).not.toThrow()
  })

  it('reports a malformed key as unauthorized, without printing the key', () => {
    for (const secretKey of ['', 'sk_test_abc\n', 'sk_test_ä', 'sk test'])
      expect(() => createStripe({ ...options, secretKey })).toThrow(expect.objectContaining({ kind: 'unauthorized' }))
    expect(() => createStripe({ ...options, secretKey: 'sk_test_öffentlich' })).not.toThrow(/öffentlich/)
  })

  it.each(['127.0.0.1:4243', 'ftp://127.0.0.1', 'http://127.0.0.1/v1', 'http://127.0.0.1/?x=1', ''])(
    'refuses a base URL that is not exactly scheme, host and port: %s',
    (apiBase) => expect(() => createStripe({ ...options, apiBase })).toThrow(/must look like/),
  )

  it.each(['http://127.0.0.1:4243', 'http://[::1]:4243/', 'https://proxy.example'])(
    'accepts the base URL %s',
    (apiBase) => expect(() => createStripe({ ...options, apiBase })).not.toThrow(),
  )

  it('treats each key as live unless it has a test prefix', () => {
    expect(['sk_test_a', 'rk_test_a'].map(isLiveKey)).toEqual([false, false])
    expect(['sk_live_a', 'rk_live_a', 'sk_a'].map(isLiveKey)).toEqual([true, true, true])
  })
})

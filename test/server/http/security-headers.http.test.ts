import { describe, expect, it } from 'vitest'
import { billing, startPushedApp } from '../../support/app.ts'
import { startedForAll } from '../../support/started.ts'

const test = startedForAll(startPushedApp)

const securityHeaders = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
}

describe('a response of the API', () => {
  it.each([
    ['of a route for sessions', `${billing}/entitlements`, 401],
    ['of an admin route without a key', `${billing}/admin/config`, 401],
    ['to an unknown path', '/nothing/here', 404],
    ['of a probe', '/healthz', 200],
  ])('%s has all security headers', async (_, url, status) => {
    const response = await test.inject({ url })
    expect(response.statusCode).toBe(status)
    expect(response.headers).toMatchObject(securityHeaders)
  })

  it('allows inline styles on a documentation page, and allows any site to read the public price list', async () => {
    const page = await test.inject({ url: '/docs/errors' })
    expect(page.headers['content-security-policy']).toContain("style-src 'unsafe-inline'")
    expect(page.headers['x-frame-options']).toBe('SAMEORIGIN')
    const list = await test.inject({ url: `${billing}/config`, headers: { 'x-service-key': test.key } })
    expect(list.headers['cross-origin-resource-policy']).toBe('cross-origin')
    expect(list.headers['content-security-policy']).toBeUndefined()
  })
})

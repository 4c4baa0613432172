import { describe, expect, it } from 'vitest'
import { withoutSecrets } from '../../../packages/ratecard/src/cli/files/webhook-secrets.ts'

const urlsOf = (...urls: string[]) => {
  const webhooks = urls.map((url, place) => ({ id: `hook-${String(place)}`, url, events: ['*'] }))
  const { document, variables } = withoutSecrets({ webhooks })
  return { urls: document.webhooks.map(({ url }) => url), variables }
}

describe('secrets in the URLs of pulled webhooks', () => {
  it.each([
    ['https://example.com/in?token=s3cr3t&v=2', 'https://example.com/in?token=${WEBHOOK_HOOK_0_TOKEN}&v=2', 's3cr3t'],
    ['https://user:pa%20ss@example.com/in', 'https://user:${WEBHOOK_HOOK_0_TOKEN}@example.com/in', 'pa%20ss'],
    [
      'https://example.com/T0/aB3dE5gH7jK9mN1pQ3sT',
      'https://example.com/T0/${WEBHOOK_HOOK_0_TOKEN}',
      'aB3dE5gH7jK9mN1pQ3sT',
    ],
    [
      'https://example.com/in?s=9f86d081884c7d659a2feaa0',
      'https://example.com/in?s=${WEBHOOK_HOOK_0_TOKEN}',
      '9f86d081884c7d659a2feaa0',
    ],
  ])('are replaced by variables: %s', (url, written, value) => {
    expect(urlsOf(url)).toEqual({ urls: [written], variables: [{ name: 'WEBHOOK_HOOK_0_TOKEN', value }] })
  })

  it('get the same variable for equal values, and a different variable for each other value', () => {
    const { urls, variables } = urlsOf('https://a.example/?token=x1x1', 'https://b.example/?token=x1x1&key=y2y2')
    expect(urls).toEqual([
      'https://a.example/?token=${WEBHOOK_HOOK_0_TOKEN}',
      'https://b.example/?token=${WEBHOOK_HOOK_0_TOKEN}&key=${WEBHOOK_HOOK_1_TOKEN}',
    ])
    expect(variables.map(({ value }) => value)).toEqual(['x1x1', 'y2y2'])
  })

  it.each(['https://example.com/webhooks/stripe?v=2', 'https://example.com/?token=${HOOK_TOKEN}', 'no url'])(
    'are not detected in %s',
    (url) => {
      expect(urlsOf(url)).toEqual({ urls: [url], variables: [] })
    },
  )
})

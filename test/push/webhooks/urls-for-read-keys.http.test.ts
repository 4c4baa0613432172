// The URLs of webhooks as keys of scope `read` see them: without userinfo and values of queries, in every answer.
import { expect, it } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { admin, sampleConfig, startTestApp } from '../../support/app.ts'
import { startedForAll } from '../../support/started.ts'
import { maskedUrl } from '../../../packages/ratecard/src/base/wording/masked-url.ts'

const test = startedForAll(startTestApp)
const secrets = ['hunter2', 'tok_91', 'sig_55', 'old_77', 'foreign_13', 'bare_secret']
const hooks = (version: string, ...urls: readonly string[]): BillingConfig => ({
  ...sampleConfig(),
  version,
  webhooks: urls.map((url) => ({ url, events: ['invoice.paid'] })),
})

it.each([
  ['https://a.test/in', 'https://a.test/in'],
  ['https://a.test/in?token=x&b=&flag', 'https://a.test/in?token=***&b=***&***'],
  ['https://user:pass@a.test/in?x=1=2', 'https://***@a.test/in?x=***'],
  ['https://a.test/in?token=${HOOK_TOKEN}', 'https://a.test/in?token=${HOOK_TOKEN}'],
  ['https://a.test/@x?y=a@b', 'https://a.test/@x?y=***'],
])('%s is shown as %s', (url, shown) => {
  expect(maskedUrl(url)).toBe(shown)
})

it('no answer to a read key has a secret of a URL, and a write key sees it', async () => {
  const { key: read } = (
    await test.asAdmin({ method: 'POST', url: `${admin}/keys`, payload: { name: 'reader', scope: 'read' } })
  ).json<{ key: string }>()
  await test.push(hooks('1.0.0', 'https://hooks.test/a?token=old_77'))
  await test.push(
    hooks('1.1.0', 'https://user:hunter2@hooks.test/a?token=tok_91&bare_secret', 'https://b.test/?sig=sig_55'),
  )
  await test.stripe.webhookEndpoints.create({ url: 'https://c.test/?k=foreign_13', enabled_events: ['invoice.paid'] })
  const asked = [
    ...[
      '/config',
      '/config/pull',
      '/config/history/1',
      '/config/history/2',
      '/config/diff?from=1&to=2',
      '/config/drift',
    ],
    ...['/webhooks', '/pushes', '/doctor', '/events'],
  ]
  const { pushes } = (await test.asAdmin({ url: `${admin}/pushes` })).json<{ pushes: { id: string }[] }>()
  const seen = { read: '', write: '' }
  for (const path of [...asked, ...pushes.map(({ id }) => `/pushes/${id}`)]) {
    const url = `${admin}${path}`
    const answer = await test.inject({ url, headers: { 'x-service-key': read } })
    expect([path, secrets.filter((secret) => answer.body.includes(secret))]).toEqual([path, []])
    seen.read += answer.body
    seen.write += (await test.asAdmin({ url })).body
  }
  const planned = await test.inject({
    method: 'POST',
    url: `${admin}/config?dry_run=true`,
    headers: { 'x-service-key': read },
    payload: hooks('1.2.0', 'https://hooks.test/a'),
  })
  expect([planned.statusCode, secrets.filter((secret) => planned.body.includes(secret))]).toEqual([200, []])
  expect(seen.read).toContain('https://***@hooks.test/a?token=***&***')
  expect(secrets.filter((secret) => !seen.write.includes(secret))).toEqual([])
})

it('a document with a masked URL is refused, so that no webhook gets it', async () => {
  const refused = await test.push(hooks('1.3.0', 'https://b.test/?sig=***'))
  const { errors } = refused.json<{ errors: { code: string; detail: string }[] }>()
  expect([refused.statusCode, errors.map(({ code }) => code)]).toEqual([
    422,
    expect.arrayContaining(['webhook_url_invalid']),
  ])
  expect(errors[0]?.detail).toContain('a key of scope "read" does not see')
})

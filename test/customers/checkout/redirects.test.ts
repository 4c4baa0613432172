import { describe, expect, test } from 'vitest'
import { checkRedirect, redirectRules } from '../../../packages/ratecard/src/customers/checkout/redirects.ts'
import { refusedWith } from '../../support/shop/refused.ts'

const publicUrl = 'https://billing.example/base'
const rules = redirectRules({
  allowedRedirects: ['https://shop.example', 'https://app.example:8443/path/'],
  publicUrl,
  live: true,
})
const refusal = (url: string, rule = rules.session) =>
  refusedWith(() => {
    checkRedirect(url, 'success_url', rule)
  })
const allows = (rule: typeof rules.key, urls: readonly string[]) => urls.filter((url) => refusal(url, rule) === null)

describe('the address to which a checkout page redirects', () => {
  test.each([
    'https://shop.example/thanks?session={CHECKOUT_SESSION_ID}',
    'https://SHOP.example:443/',
    'https://app.example:8443',
    'https://billing.example/docs#part',
    'http://127.0.0.1:3000/done',
    'http://127.1/done',
    'https://localhost/done',
    'http://[::1]:3000/done',
  ])('may be %s', (url) => {
    expect(refusal(url)).toBeNull()
  })

  test.each([
    ['another origin', 'https://evil.example/'],
    ['another port of an allowed host', 'https://shop.example:444/'],
    ['another scheme of an allowed host', 'http://shop.example/'],
    ['a host that only begins like an allowed one', 'https://shop.example.evil.example/'],
    ['a host that only begins like loopback', 'http://127.0.0.1.evil.example/'],
    ['a host that only ends like loopback', 'http://notlocalhost/'],
    ['a host behind a user', 'https://shop.example@evil.example/'],
    ['an allowed host behind a user', 'https://user:secret@shop.example/'],
    ['an allowed host behind an empty user', 'https://@shop.example/'],
    ['a host that parsers disagree on', 'https://shop.example\\@evil.example/'],
    ['a host without its slashes', 'https:shop.example'],
    ['a host after too many slashes', 'https:///evil.example'],
    ['no host', 'https://'],
    ['a relative path', '/thanks'],
    ['another host, relative to the scheme', '//evil.example/'],
    ['a script', 'javascript:alert(1)'],
    ['a script that looks like an origin', 'javascript://shop.example/%0aalert(1)'],
    ['data', 'data:text/html,hi'],
    ['a URL with a line break', 'https://shop.example/\nX: y'],
    ['a URL with a tab in its host', 'https://shop.ex\tample/'],
    ['a URL with blanks before it', ' https://shop.example/'],
    ['a lone surrogate', 'https://shop.example/\ud800'],
    ['a URL without end', `https://shop.example/${'a'.repeat(2000)}`],
    ['nothing', ''],
  ])('is refused if it is %s', (_what, url) => {
    expect(refusal(url)).toMatchObject({ code: 'checkout_invalid', issues: [{ pointer: '#/success_url' }] })
  })

  const some = ['https://any.example/x', 'http://any.example/x', 'http://localhost:3000/', 'https://billing.example/x']

  test('may be any https URL for a service key, also with a live account', () => {
    expect(allows(rules.key, some)).toEqual([some[0], some[2], some[3]])
  })

  test.each([
    ['any https URL if the setting is not set at a sandbox or test account', null, false, [some[0], some[2], some[3]]],
    ['of the service and loopback if the setting is not set at a live account', null, true, [some[2], some[3]]],
    ['of the service and loopback if the setting is empty', [], false, [some[2], some[3]]],
  ] as const)('may be, for a session, %s', (_what, allowedRedirects, live, expected) => {
    expect(allows(redirectRules({ allowedRedirects, publicUrl, live }).session, some)).toEqual(expected)
  })

  test('is refused with the name of the setting to change if its origin is not allowed', () => {
    expect(refusal('https://evil.example/x')).toMatchObject({
      message: '"success_url" leads to https://evil.example, which is not an allowed origin.',
      hint: 'Add the origin to the setting RATECARD_ALLOWED_REDIRECTS.',
    })
  })
})

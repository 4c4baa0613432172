import { expect, it } from 'vitest'
import { secretTexts } from '../../../packages/ratecard/src/document/files/written-form.ts'
import { redactText } from '../../../packages/ratecard/src/server/http/response/conceal.ts'

const webhooks = (...urls: string[]) => ({ webhooks: urls.map((url) => ({ url })) })

it('a text with a secret is shown with the variable’s name in place of the secret, and other texts are unchanged', () => {
  const written = webhooks('https://${HOST}/$${x}?token=${HOOK_TOKEN}&a="b"', 'https://${HOST}/plain', 'https://a.test')
  const document = webhooks('https://h.test/${x}?token=s3cret&a="b"', 'https://h.test/plain', 'https://a.test')
  const secrets = secretTexts(written, document)
  expect(secrets).toEqual([
    { text: 'https://h.test/${x}?token=s3cret&a="b"', shown: 'https://h.test/${x}?token=${HOOK_TOKEN}&a="b"' },
  ])
  const shown = JSON.parse(redactText(JSON.stringify({ before: document }), secrets)) as { before: unknown }
  expect(shown.before).toEqual(
    webhooks('https://h.test/${x}?token=${HOOK_TOKEN}&a="b"', 'https://h.test/plain', 'https://a.test'),
  )
})

it('if one secret URL is a prefix of another secret URL, both URLs are replaced by the names of their variables', () => {
  const secrets = [
    { text: 'https://a.test/?k=1', shown: 'https://a.test/?k=${A_KEY}' },
    { text: 'https://a.test/?k=12', shown: 'https://a.test/?k=${B_KEY}' },
  ]
  expect(redactText('["https://a.test/?k=12","https://a.test/?k=1"]', secrets)).toBe(
    '["https://a.test/?k=${B_KEY}","https://a.test/?k=${A_KEY}"]',
  )
})

it('a document that does not match its source document is shown without any secret text', () => {
  expect(secretTexts(webhooks('https://a.test/${A_KEY}'), { webhooks: 'none' })).toEqual([])
})

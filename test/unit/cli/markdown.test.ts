import type { Detail, DocumentDifference, PushOutcome } from '@ratecard/client'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  differencesMarkdown,
  driftMarkdown,
  markdownLimit,
  outcomeMarkdown,
} from '../../../packages/ratecard/src/cli/views/markdown.ts'
import { codeText, proseText } from '../../../packages/ratecard/src/cli/views/markdown-text.ts'

const none = () => ({ created: [], updated: [], archived: [] })
const detail = (more: Partial<Detail> = {}): Detail => ({
  kind: 'price',
  configId: 'pro_monthly',
  action: 'replace',
  because: ['amount'],
  fields: [{ field: 'amount', before: 1200, after: 1400, origin: 'edit' }],
  processorIdBefore: 'price_1',
  processorIdAfter: null,
  display: { before: '€12.00 / month', after: '€14.00 / month' },
  ...more,
})
const outcome = (details: Detail[], more: Partial<PushOutcome> = {}): PushOutcome => ({
  status: 'planned',
  version: '1.1.0',
  revision: 1,
  pushId: null,
  changes: {
    products: none(),
    prices: none(),
    meters: { created: [], updated: [], deactivated: [] },
    webhooks: { created: [], updated: [], unchanged: [] },
    coupons: none(),
    promotion_codes: none(),
    features: none(),
  },
  details,
  warnings: [],
  impact: [],
  writes: 3,
  plan: 'f1ngerpr1nt',
  ...more,
})
const asIs = (text: string) => text
const show = (details: Detail[], more: Partial<PushOutcome> = {}, conceal = asIs) =>
  outcomeMarkdown(
    outcome(details, more),
    'https://billing.example.test (production)',
    { warnings: [], variables: [{ name: 'HOST', from: 'ratecard/environments/.env.production' }] },
    conceal,
  )

describe('a plan in Markdown', () => {
  it('is a table with the money before and after, the impact, warnings, variables and the fingerprint', () => {
    const text = show([detail(), detail({ configId: 'kept', action: 'keep' })], {
      impact: [
        {
          priceId: 'pro_monthly',
          processorPriceId: 'price_1',
          action: 'replace',
          subscriptions: 12,
          subscriptionsWithoutTenant: 0,
          tenants: 9,
          monthly: [{ currency: 'eur', amount: 14_400, formatted: '€144.00' }],
          usageBased: false,
          generations: [],
        },
      ],
      warnings: [
        { code: 'version_not_raised', pointer: '#/version', detail: 'The version is not raised.', severity: 'warning' },
      ],
    })
    expect(text.split('\n').filter((line) => line !== '')).toEqual([
      '### Prices: plan for version `1.1.0`',
      'Plan: 1 to replace. 3 writes to the processor. At `https://billing.example.test (production)`.',
      '|  | Kind | Id | Before | After |',
      '| --- | --- | --- | --- | --- |',
      '| 🔁 replace | price | `pro_monthly` | `€12.00 / month` | `€14.00 / month` |',
      '#### Affected subscribers',
      '- `pro_monthly`: 12 subscriptions of 9 tenants, €144.00 a month stay on the old price until moved',
      '#### Warnings',
      '- The version is not raised. (`version_not_raised`)',
      'Variables used: `HOST` (ratecard/environments/.env.production).',
      'Fingerprint of this plan: `f1ngerpr1nt`',
    ])
  })

  it('states that nothing changes if there is no change', () => {
    expect(show([detail({ action: 'keep' })], { writes: 0 })).toContain(
      'Plan: no changes. Nothing is written to the processor.',
    )
  })

  it('lists the changed fields that the line of the item does not show, and marks edits made at the processor', () => {
    const name = { field: 'name', before: 'Pro', after: 'Pro | Team', origin: 'drift' } as const
    const text = show([
      detail({
        kind: 'product',
        configId: 'pro',
        action: 'update',
        fields: [name],
        display: { before: 'Pro', after: 'Pro' },
      }),
    ])
    expect(text).toContain('| ✏️ update | product | `pro` |  | `Pro` |')
    expect(text).toContain('|  | edited at the processor | ↳ `name` | `Pro` | <code>Pro &#124; Team</code> |')
  })

  it('omits lines beyond the size limit, counts them, and keeps removals', () => {
    const many = Array.from({ length: 3000 }, (_, index) =>
      detail({ configId: `new_${String(index)}`, action: 'create', display: { before: null, after: '€1.00 / month' } }),
    )
    const text = show([...many, detail({ configId: 'gone', action: 'archive' })])
    expect(text.length).toBeLessThanOrEqual(markdownLimit)
    expect(text.indexOf('`gone`')).toBeLessThan(text.indexOf('`new_0`'))
    expect(text).toMatch(/\*\*\d+ more changes left out here \(\d+ to create\)\.\*\*/)
    expect(text).toContain('f1ngerpr1nt')
    const shown = text.match(/➕ create/g)?.length ?? 0
    expect(text).toContain(`${String(3000 - shown)} more changes left out`)
  })

  it('shows secrets by their names, even where a value is cut off or escaped', () => {
    const secret = 'abc|def`ghi'
    const url = `https://hooks.example.test/?k=${secret}`
    const conceal = (text: string) => text.replaceAll(secret, '${HOOK_KEY}')
    const text = show(
      [
        detail({
          kind: 'webhook',
          action: 'update',
          fields: [{ field: 'url', before: `${url}${'x'.repeat(500)}`, after: [url], origin: 'edit' }],
          display: { before: url, after: url },
        }),
      ],
      {},
      conceal,
    )
    expect(text).not.toContain('abc')
    expect(text).toContain('HOOK')
  })
})

describe('differences and drift in Markdown', () => {
  it('have headings for their two columns, e.g. the revision numbers', () => {
    const changed: DocumentDifference = {
      kind: 'price',
      configId: 'pro',
      change: 'changed',
      fields: [],
      display: detail().display,
    }
    expect(differencesMarkdown([changed], { from: 3, to: 5 }, asIs)).toContain(
      '| Kind | Id | Revision 3 | Revision 5 |',
    )
    expect(differencesMarkdown([], { from: 3, to: 5 }, asIs)).toContain('No differences.')
    const drift = {
      inSync: false,
      revision: 2,
      version: '1.0.0',
      differences: [detail({ action: 'update' })],
      notes: [],
      unmanaged: [],
    }
    expect(driftMarkdown(drift, null, asIs)).toContain('| As pushed | At the processor |')
    expect(driftMarkdown(drift, null, asIs)).toContain('`ratecard billing push --force`')
    expect(driftMarkdown({ ...drift, inSync: true, differences: [] }, null, asIs)).toContain(
      'is as revision 2 (version `1.0.0`) left it.',
    )
  })
})

describe('untrusted text in Markdown', () => {
  const hostile = [
    'a | b',
    '` | injected |',
    '\\` | x',
    '<img src=x onerror=alert(1)>',
    '<!-- -->',
    '@team please approve',
    '[click](https://evil.test)',
    '![x](https://evil.test/pixel)',
    'https://evil.test/a?b|c',
    'fixes #12 and owner/repo#3',
    'one\ntwo\r\n| three |',
    '</code></td></tr>',
    '&lt;b&gt; &#64;team',
    ':rotating_light: **bold** ~~gone~~ _it_',
    '\u202etxet',
  ]

  it('stays in its table cell and formats nothing', () => {
    for (const text of hostile) {
      const cell = codeText(text)
      // A code span without a backtick inside, or an element whose special characters are all escaped as numbers.
      expect(cell, text).toMatch(/^(`[^`|\\<>\n]+`|<code>(?:[\p{L}\p{N}\p{M} ]|&#\d+;)*<\/code>)$/u)
    }
  })

  it('in a sentence creates no mention, link, markup or element', () => {
    for (const text of hostile) {
      const sentence = proseText(text)
      expect(sentence, text).not.toMatch(/@\w|#\d|:\/\/|<|(?<!\\)[`|[\]*_!]|\n/)
    }
    expect(proseText('The version 1.0.0 is not raised.')).toBe('The version 1.0.0 is not raised.')
  })

  it('never exceeds the size limit or adds a table cell, whatever it contains', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 400 }), { maxLength: 40 }), (texts) => {
        const text = show(
          texts.map((name) =>
            detail({
              configId: name,
              action: 'update',
              fields: [{ field: name, before: name, after: [name], origin: 'edit' }],
              display: { before: name, after: `${name}!` },
            }),
          ),
        )
        expect(text.length).toBeLessThanOrEqual(markdownLimit)
        for (const line of text.split('\n').filter((one) => one.startsWith('|')))
          expect(line.match(/(?<!\\)\|/g)).toHaveLength(6)
      }),
      { numRuns: 100 },
    )
  })
})

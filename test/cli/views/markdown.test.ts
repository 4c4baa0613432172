import type { Detail, DocumentDifference, PushOutcome } from '@ratecard/client'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  differencesMarkdown,
  driftMarkdown,
  markdownLimit,
  outcomeMarkdown,
} from '../../../packages/ratecard/src/cli/views/markdown.ts'
import { codeText, proseText } from '../../../packages/ratecard/src/cli/views/text/markdown-text.ts'

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
    tax_rates: none(),
    portal: none(),
    webhooks: { created: [], updated: [], unchanged: [] },
    coupons: none(),
    promotion_codes: none(),
    features: none(),
  },
  summary: '1 price rises.',
  details,
  warnings: [],
  violations: [],
  impact: [],
  who: [],
  writes: 3,
  plan: 'f1ngerpr1nt',
  ...more,
})
const asIs = (text: string) => text
const show = (details: Detail[], more: Partial<PushOutcome> = {}, conceal = asIs) =>
  outcomeMarkdown(
    outcome(details, more),
    'https://billing.example.test (production)',
    {
      warnings: [],
      place: (issues) => issues,
      variables: [{ name: 'HOST', from: 'ratecard/environments/.env.production' }],
    },
    conceal,
  )

describe('a plan in Markdown', () => {
  it('contains the affected customers and amounts first, then warnings, changes, variables and the fingerprint', () => {
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
          monthlyAfter: [],
          usageBased: false,
          generations: [],
          subscribersUrl: '',
        },
      ],
      warnings: [
        { code: 'version_not_raised', pointer: '#/version', detail: 'The version is not raised.', severity: 'warning' },
      ],
    })
    expect(text.split('\n').filter((line) => line !== '')).toEqual([
      '### Prices: plan for version `1.1.0`',
      '**1 price rises.**',
      'Plan: 1 to replace. 3 writes to the processor. At `https://billing.example.test (production)`.',
      '#### Money and people',
      '- `pro_monthly`: 12 subscriptions of 9 tenants pay €144.00 a month',
      '#### Warnings',
      '- The version is not raised. (`version_not_raised`)',
      '| Change | Kind | Id | Before | After |',
      '| --- | --- | --- | --- | --- |',
      '| 🔁 replace | price | `pro_monthly` | `€12.00 / month` | `€14.00 / month` |',
      'Variables used: `HOST` (ratecard/environments/.env.production).',
      'Fingerprint of this plan: `f1ngerpr1nt`',
    ])
  })

  it('adds up the amounts of several prices, by currency', () => {
    const price = (priceId: string, currency: string, formatted: string): PushOutcome['impact'][number] => ({
      priceId,
      processorPriceId: `price_${priceId}`,
      action: 'archive',
      subscriptions: 2,
      subscriptionsWithoutTenant: 0,
      tenants: 2,
      monthly: [{ currency, amount: 1000, formatted }],
      monthlyAfter: [],
      usageBased: false,
      generations: [],
      subscribersUrl: '',
    })
    const impact = [price('a', 'eur', '€10.00'), price('b', 'eur', '€10.00'), price('c', 'usd', '$10.00')]
    expect(show([detail()], { impact })).toContain(
      '- **In all: 6 subscription items on 3 prices, €20.00 + $10.00 a month**\n- `a`:',
    )
  })

  it('lists each violated policy with its rule, the change, the reason and who may override it; policies that deny the push come first', () => {
    const rule = { rule: 'max_increase_percent', kind: 'price', configId: 'pro', detail: 'It rises by 20%.' } as const
    const text = show([detail()], {
      violations: [
        { ...rule, id: 'soft', severity: 'warn', reason: null },
        { ...rule, id: 'hard', severity: 'deny', reason: 'We <promised>.' },
      ],
    })
    expect(text).toContain(
      [
        '#### Policies',
        '',
        '- ⛔ **denied** by `hard` (`max_increase_percent`): It rises by 20%. Why: We &lt;promised&gt;.',
        '- ⚠️ warned by `soft` (`max_increase_percent`): It rises by 20%.',
        '',
        'An owner may override the rule, with a key of scope `owner`: `--override hard --message "…"`',
      ].join('\n'),
    )
  })

  it('shows a change of a name only once', () => {
    const renamed = detail({
      kind: 'product',
      configId: 'pro',
      action: 'update',
      fields: [
        { field: 'name', before: 'Pro', after: 'Pro Plus', origin: 'edit' },
        { field: 'description', before: null, after: 'For teams', origin: 'edit' },
      ],
      display: { before: 'Pro', after: 'Pro Plus' },
    })
    expect(
      show([renamed])
        .split('\n')
        .filter((line) => line.includes('Pro Plus')),
    ).toEqual(['| ✏️ update | product | `pro` | `Pro` | `Pro Plus` |'])
    expect(show([renamed])).toContain('| ↳ `description` |')
  })

  it('shows a change of a name at the processor with the note that it was made there', () => {
    const renamed = detail({
      kind: 'product',
      configId: 'pro',
      action: 'update',
      fields: [{ field: 'name', before: 'Pro', after: 'Pro Plus', origin: 'drift' }],
      display: { before: 'Pro', after: 'Pro Plus' },
    })
    expect(show([renamed])).toContain('|  | edited at the processor | ↳ `name` | `Pro` | `Pro Plus` |')
  })

  it('contains the file and the line of each warning', () => {
    const warnings = [
      { code: 'no_default', pointer: '#', detail: 'No price.', severity: 'warning', path: 'a.json', line: 7 },
    ] as never
    expect(show([detail()], { warnings })).toContain('- `a.json:7` No price. (`no_default`)')
  })

  it('folds all rows after the 40th, and shows 600 changes within the size limit', () => {
    const many = Array.from({ length: 600 }, (_, index) => detail({ configId: `solo_monthly_${String(index)}` }))
    const text = show(many)
    expect(text.length).toBeLessThan(60_000)
    const [open = '', folded = ''] = text.split('<details>')
    expect(open.match(/🔁 replace/g)).toHaveLength(40)
    expect(folded).toMatch(/^\n<summary>560 more changes: 560 to replace<\/summary>\n\n\|/)
    expect(folded.match(/🔁 replace/g)).toHaveLength(560)
    expect(folded).toContain('</details>\n\nVariables used')
    expect(show(many.slice(0, 40))).not.toContain('<details>')
  })

  it('shows two long values only around the characters that differ', () => {
    const long = (end: string) => ({ text: 'x'.repeat(400), end })
    const fields = [{ field: 'metadata.note', before: long('one'), after: long('two'), origin: 'edit' as const }]
    const text = show([detail({ kind: 'product', action: 'update', fields, display: { before: 'Pro', after: 'Pro' } })])
    expect(text).toMatch(/one.*\|.*two/)
  })

  it('contains the sentence that nothing changes if there is no change', () => {
    expect(show([detail({ action: 'keep' })], { writes: 0 })).toContain(
      'Plan: no changes. Nothing is written to the processor.',
    )
  })

  it('lists changed fields that are not in the line of the item, and marks edits that were made at the processor', () => {
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

  it('drops lines beyond the size limit, contains the number of dropped lines, and keeps removals', () => {
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

  it('contains names instead of secrets, even where a value is truncated or escaped', () => {
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
      action: 'replace',
      fields: [],
      display: detail().display,
    }
    expect(differencesMarkdown([changed], { from: 3, to: 5 }, asIs)).toContain(
      '| Kind | Id | Revision 3 | Revision 5 |',
    )
    expect(differencesMarkdown([changed], { from: 3, to: 5 }, asIs)).toContain('| 🔁 replaced | price |')
    expect(differencesMarkdown([], { from: 3, to: 5 }, asIs)).toContain('No differences.')
    const drift = {
      inSync: false,
      editedFields: 1,
      revision: 2,
      version: '1.0.0',
      differences: [detail({ action: 'update' })],
      notes: [],
      unmanaged: [],
    }
    expect(driftMarkdown(drift, null, asIs)).toContain('| As pushed | At the processor |')
    // The details of drift are those of the push that undoes it; what is shown goes the other way.
    expect(driftMarkdown(drift, null, asIs)).toContain('| `€14.00 / month` | `€12.00 / month` |')
    const missing = detail({ action: 'create', display: { before: null, after: '€14.00 / month' } })
    expect(driftMarkdown({ ...drift, differences: [missing] }, null, asIs)).toContain(
      '`pro_monthly` | `€14.00 / month` |  |',
    )
    expect(driftMarkdown(drift, null, asIs)).toContain('| ✏️ edited | price |')
    expect(driftMarkdown(drift, null, asIs)).toContain('`ratecard billing push --force`')
    expect(driftMarkdown({ ...drift, inSync: true, differences: [] }, null, asIs)).toContain(
      'nothing was edited at the processor since revision 2 (version `1.0.0`).',
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

  it('stays in its table cell and causes no formatting', () => {
    for (const text of hostile) {
      const cell = codeText(text)
      // A code span without a backtick inside, or an element whose special characters are all escaped as numbers.
      expect(cell, text).toMatch(/^(`[^`|\\<>\n]+`|<code>(?:[\p{L}\p{N}\p{M} ]|&#\d+;)*<\/code>)$/u)
    }
  })

  it('creates no mention, link, markup or element in a sentence', () => {
    for (const text of hostile) {
      const sentence = proseText(text)
      expect(sentence, text).not.toMatch(/@\w|#\d|:\/\/|<|(?<!\\)[`|[\]*_!]|\n/)
    }
    expect(proseText('The version 1.0.0 is not raised.')).toBe('The version 1.0.0 is not raised.')
  })

  it('never exceeds the size limit or adds a table cell, whatever the text contains', () => {
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

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textIssues, withSoundText } from '../../packages/ratecard/src/document/rules/text.ts'
import { validateConfig } from '../../packages/ratecard/src/document/validation/validate.ts'
import { validDocument } from '../support/rules/rule-cases.ts'

const half = '\ud83d'
const flawed = [half, '\ude00', '\u0000', '\u001b[2J', '\u007f', '\u009b']
/** Texts that are refused in keys and in members that programs read alone. */
const broken = ['a\rb', 'a\tb', 'a\nb', 'a\u2028b']
const oneLine = new Set<unknown>(['url', '$schema', 'event_name', 'event_payload_key', 'version'])

/** Returns, for every text of a document, a function that replaces this text. */
function places(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value === 'string') return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) =>
    places(member, [...path, Array.isArray(value) ? Number(key) : key]),
  )
}

function put(document: unknown, path: readonly (string | number)[], text: string): unknown {
  const [key, ...rest] = path
  if (key === undefined) return text
  const copy = (Array.isArray(document) ? [...document] : { ...(document as object) }) as Record<
    string | number,
    unknown
  >
  copy[key] = put(copy[key], rest, text)
  return copy
}

const rich = () => ({
  ...validDocument(),
  $schema: 'https://example.test/schema.json',
  webhooks: [{ id: 'hook', url: 'https://example.test/', events: ['invoice.paid'], description: 'one\r\ntwo\nthree' }],
  meters: [{ id: 'calls', display_name: 'Calls', event_name: 'call', value_settings: { event_payload_key: 'n' } }],
  products: [
    {
      id: 'pro',
      name: 'Pro 😀',
      description: 'one\ntwo',
      metadata: { owner: 'team', description: 'one\r\nor\ttwo lines ' },
      ui: { display_name: 'Pro', features: ['a', 'b'] },
      prices: [
        {
          ...{ id: 'pro_monthly', amount: 1200, currency: 'usd', interval: 'month' },
          ...{ metadata: { k: 'v' }, ui: { limits: [{ text: 't', value: 1, unit: 'u' }] } },
        },
      ],
    },
  ],
  coupons: [{ id: 'ten', name: 'Ten', percent_off: 10, duration: 'once', metadata: { k: 'v' } }],
  promotion_codes: [{ id: 'code', code: 'TEN', coupon: 'ten', metadata: { k: 'v' } }],
})

describe('text in a document', () => {
  it('may be in any language, and may contain line breaks and tabs', () => {
    expect(validateConfig(rich()).errors).toEqual([])
    expect(textIssues({ name: 'שלום ‏ Ünï 漢字 👩‍💻' })).toEqual([])
  })

  it('is reported as one error with its place if it is malformed, whatever the field', () => {
    const document = rich()
    const all = places(document)
    expect(all.length).toBeGreaterThan(25)
    for (const path of all)
      for (const text of [...flawed, ...broken]) {
        const { errors } = validateConfig(put(document, path, `x${text}`))
        if (broken.includes(text) && !oneLine.has(path.at(-1)))
          expect([path, errors.filter(({ code }) => code === 'text_malformed')]).toEqual([path, []])
        else {
          const pointer = `#/${path.join('/').replace('$', '%24')}`
          expect([path, errors.filter((issue) => issue.pointer === pointer).map(({ code }) => code)]).toEqual([
            path,
            ['text_malformed'],
          ])
        }
      }
  })

  it('is reported with a JSON pointer that can be decoded if it is malformed, even in keys of metadata', () => {
    for (const text of [...flawed, ...broken]) {
      const document = put(rich(), ['products', 0, 'metadata'], '') as ReturnType<typeof rich>
      const [product] = document.products
      if (product === undefined) throw new Error('no product')
      product.metadata = { [`x${text}`]: 'v' } as never
      const { errors } = validateConfig(document)
      expect([text, errors.map(({ code }) => code)]).toEqual([text, ['text_malformed']])
      expect(() => decodeURIComponent(errors[0]?.pointer ?? '%')).not.toThrow()
    }
  })

  it('is not quoted unescaped in the error if it is malformed', () => {
    for (const text of flawed) {
      const [issue] = textIssues({ name: text })
      expect(issue?.detail).toMatch(/^[\x20-\x7e]*$/)
    }
  })

  it('is made valid by withSoundText() if it is malformed, and is otherwise unchanged', () => {
    const any = fc.string({ unit: 'binary' }).map((text) => `${text}${half}`)
    fc.assert(
      fc.property(fc.dictionary(any, any, { maxKeys: 4 }), (document) => {
        expect(textIssues(withSoundText(document).document)).toEqual([])
      }),
    )
    const document = rich()
    expect(withSoundText(document)).toEqual({ document, pointers: [] })
  })
})

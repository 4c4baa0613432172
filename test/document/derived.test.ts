import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { basesOf } from '../../packages/ratecard/src/document/schema/prices/base-price.ts'
import { canonicalJson } from '../../packages/ratecard/src/document/schema/canonical/canonical.ts'
import { checksum } from '../../packages/ratecard/src/document/schema/canonical/checksum.ts'
import { isLocalPrice, webhookId } from '../../packages/ratecard/src/document/schema/ids.ts'
import { interpolate } from '../../packages/ratecard/src/document/files/interpolate.ts'
import { publishedSchema } from '../../packages/ratecard/src/document/schema/json-schema.ts'
import { isMoment, toUnixSeconds } from '../../packages/ratecard/src/document/schema/moment.ts'
import { publicView } from '../../packages/ratecard/src/document/schema/public-view.ts'
import { idPattern, type BillingConfig, type Price } from '../../packages/ratecard/src/document/schema/schema.ts'
import { maxIssues } from '../../packages/ratecard/src/document/validation/limits.ts'
import { validateConfig } from '../../packages/ratecard/src/document/validation/validate.ts'
import { ruleCases, validDocument, warningCases } from '../support/rules/rule-cases.ts'

const fixtures = new URL('../fixtures/', import.meta.url)
const documents = readdirSync(fixtures)
  .filter((name) => name.endsWith('.json'))
  .map((name) => ({ name, document: JSON.parse(readFileSync(new URL(name, fixtures), 'utf8')) as BillingConfig }))
const price = (fields: Partial<Price>): Price => ({ id: 'p', currency: 'usd', amount: 0, ...fields })

describe('the example documents of the repository', () => {
  test.each(documents)('$name is valid once its variables are set', ({ document }) => {
    const { value } = interpolate(document, () => 'https://example.test')
    const codes = validateConfig(value).errors.map(({ code }) => code)
    // A file of a split configuration may have no product.
    expect(codes).toEqual(document.products.length === 0 ? ['products_empty'] : [])
  })
})

describe('the published JSON Schema of billing documents', () => {
  const ajv = new Ajv2020({ allErrors: true, strict: false, formats: { 'date-time': isMoment } })
  const accepts = ajv.compile(publishedSchema('https://billing.example.test/'))
  /** Rules that a schema cannot check: they need several objects or arithmetic, or concern a file of several that may be empty. */
  const beyondSchema = new Set([
    'lookup_key_duplicate',
    'amount_not_chargeable',
    'text_malformed',
    'id_duplicate',
    'event_name_duplicate',
    'webhook_url_duplicate',
    'code_duplicate',
    'meter_undefined',
    'product_undefined',
    'feature_undefined',
    'feature_limit_missing',
    'feature_limit_unused',
    'coupon_undefined',
    'default_duplicate',
    'attached_price_undefined',
    'attached_price_invalid',
    'credit_invalid',
    'attached_price_mismatch',
    'base_price_mismatch',
    'base_price_duplicate',
    'base_price_undefined',
    'percent_off_without_base',
    'code_exceeds_coupon',
    'metadata_reserved',
    'products_empty',
    'tax_rate_undefined',
    'tax_rate_inactive',
    'portal_price_undefined',
    'portal_price_invalid',
    'portal_products_limit',
    'previous_id_conflict',
    'webhook_url_invalid',
  ])

  test('is a valid schema of draft 2020-12 with its own URL as id', () => {
    expect(publishedSchema('https://billing.example.test/')).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://billing.example.test/api/v1/billing/schema',
    })
    expect(publishedSchema()).not.toHaveProperty('$id')
    expect(ajv.validateSchema(publishedSchema())).toBe(true)
  })

  test.each([...documents, { name: 'the valid document', document: validDocument() }, ...warningCases])(
    'accepts $name',
    ({ document }) => {
      accepts(document)
      expect(accepts.errors ?? []).toEqual([])
    },
  )

  test.each(
    ruleCases.filter(
      ({ code, name }) =>
        (!beyondSchema.has(code) || name === 'a price attached to one that is paid once') &&
        !name.startsWith('tiers that') &&
        !name.startsWith('an infinite') &&
        // The schema lists the extra currencies, but does not compare them with those that are used.
        !name.startsWith('a currency of an option') &&
        // `multipleOf` of JSON Schema divides binary floating point numbers, and so refuses 1.1.
        name !== 'a size of three decimals' &&
        name !== 'a percentage with five decimals' &&
        !/lists a (product|meter) twice/.test(name),
    ),
  )('refuses $name', ({ document }) => expect(accepts(document)).toBe(false))

  test('lists the twenty currencies of the specification, and accepts others in a document with `extra_currencies`', () => {
    const twenty = 'usd eur gbp cad aud jpy inr brl mxn sgd hkd nzd chf sek dkk nok pln czk ils zar'.split(' ')
    const document = { version: '1.0.0', products: [{ id: 'a', name: 'A', prices: [price({ currency: 'krw' })] }] }
    expect(accepts(document)).toBe(false)
    expect(accepts({ ...document, extra_currencies: ['krw'] })).toBe(true)
    for (const currency of twenty)
      expect(accepts({ ...document, products: [{ id: 'a', name: 'A', prices: [{ ...price({}), currency }] }] })).toBe(
        true,
      )
    expect(JSON.stringify(publishedSchema())).toContain(JSON.stringify({ anyOf: [{ enum: twenty }] }).slice(1, -3))
  })

  test('has a description for each field', () => {
    const silent: string[] = []
    const visit = (schema: unknown, path: string): void => {
      if (typeof schema !== 'object' || schema === null) return
      for (const [key, value] of Object.entries(schema)) {
        if (key === 'allOf') continue
        if (key === 'properties')
          for (const [field, member] of Object.entries(value as Record<string, { description?: string }>))
            if ((member.description ?? '').length < 10) silent.push(`${path}/${field}`)
        visit(value, `${path}/${key}`)
      }
    }
    visit(publishedSchema(), '#')
    expect(silent).toEqual([])
  })

  test('has only examples that are valid for their own field', () => {
    const wrong: string[] = []
    const visit = (schema: unknown, path: string): void => {
      if (typeof schema !== 'object' || schema === null) return
      const { examples, ...rest } = schema as { examples?: unknown[] }
      for (const example of examples ?? [])
        if (!ajv.validate(rest, example)) wrong.push(`${path}: ${JSON.stringify(example)}`)
      for (const [key, value] of Object.entries(rest))
        if (key !== 'allOf' && key !== 'enum') visit(value, `${path}/${key}`)
    }
    visit(publishedSchema(), '#')
    expect(wrong).toEqual([])
  })
})

describe('the validation of hostile documents:', () => {
  const deep = (levels: number) => {
    let value: unknown = 1
    for (let i = 0; i < levels; i++) value = [value]
    return value
  }
  test.each([
    ['100,000 levels', { version: '1.0.0', products: deep(100_000) }],
    ['a million values', { version: '1.0.0', products: Array(1_000_001).fill(1) }],
    ['ten thousand fields', Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`f${i}`, 1]))],
  ])('%s are refused with only the error document_too_large', (_, document) => {
    expect(validateConfig(document).errors.map(({ code }) => code)).toEqual(['document_too_large'])
  })

  test('a list of more than 1,000 errors is truncated, and its last entry is issues_truncated', () => {
    const { errors } = validateConfig({ version: '1.0.0', products: Array(5000).fill(1) })
    expect(errors.length).toBe(maxIssues + 1)
    expect(errors.at(-1)).toMatchObject({
      code: 'issues_truncated',
      pointer: '#',
      detail: 'Only the first 1000 errors are listed.',
    })
  })

  test.each([undefined, null, 1, 'x', true, [], Symbol('x'), () => 1])(
    '%o is refused because it is not an object',
    (document) => {
      expect(validateConfig(document)).toMatchObject({
        valid: false,
        errors: [{ code: 'type_wrong', pointer: '#' }],
        config: null,
      })
    },
  )

  test('names on the object prototype are reported as unknown fields like any other unknown name', () => {
    const document = JSON.parse(
      '{"version":"1.0.0","products":[{"id":"a","name":"A","__proto__":1,"constructor":2,"toString":3}]}',
    ) as unknown
    expect(validateConfig(document).errors.map(({ code }) => code)).toEqual([
      'field_unknown',
      'field_unknown',
      'field_unknown',
    ])
  })
})

describe('values that are derived from a document:', () => {
  test('a webhook without an id gets a readable id that depends on its whole URL', () => {
    const url = 'https://API.example.test/hooks/billing?x=1'
    expect(webhookId({ url })).toMatch(/^api-example-test-[0-9a-f]{6}$/)
    expect(webhookId({ url: `${url}2` })).not.toBe(webhookId({ url }))
    expect(webhookId({ url, id: 'mine' })).toBe('mine')
    expect(webhookId({ url, connect: true })).not.toBe(webhookId({ url }))
    // Everything but the host can be a secret.
    expect(webhookId({ url: 'https://ada:hunter22@books.test/in/s3cr3t?key=t0ken' })).toMatch(
      /^books-test-[0-9a-f]{6}$/,
    )
    for (const odd of ['', 'https://', `https://${'a'.repeat(500)}/`, 'https://ü/ü', 'https://a/../..//'])
      expect(webhookId({ url: odd })).toMatch(new RegExp(idPattern))
  })

  test.each<[Partial<Price>, boolean]>([
    [{}, true],
    [{ interval: 'month', usage_type: 'licensed', billing_scheme: 'per_unit' }, true],
    [{ amount: 1 }, false],
    [{ usage_type: 'metered', meter: 'm', interval: 'month' }, false],
    [{ processor_id: 'price_1' }, false],
    [{ enterprise_template: 't' }, false],
    [{ enterprise_id: 'e' }, false],
  ])('a free price with %o has no object at the processor (is local): %s', (fields, local) =>
    expect(isLocalPrice(price(fields))).toBe(local),
  )

  test('a price with the decimal amount zero has no object at the processor, and a price with free tiers has one', () => {
    expect(isLocalPrice({ id: 'p', currency: 'usd', unit_amount_decimal: '0.00' })).toBe(true)
    expect(isLocalPrice({ id: 'p', currency: 'usd', unit_amount_decimal: '0.01' })).toBe(false)
    expect(
      isLocalPrice({ id: 'p', currency: 'usd', billing_scheme: 'tiered', tiers: [{ up_to: 'inf', unit_amount: 0 }] }),
    ).toBe(false)
  })

  test('the base of a negotiated price is the ordinary price with the longest id with which the negotiated price’s id begins', () => {
    const ordinary = ['pro', 'pro_monthly', 'pro_month', 'pro.monthly'].map((id) => price({ id }))
    const of = (id: string, fields: Partial<Price> = {}, beside = ordinary) => {
      const own = price({ id, enterprise_template: 't', ...fields })
      return basesOf([{ prices: [...beside, price({ id: 'pro_monthly_a', enterprise_template: 'a' }), own] }]).idOf(own)
    }
    expect(of('pro_monthly_partner')).toBe('pro_monthly')
    expect(of('pro_monthly-partner')).toBe('pro_monthly')
    expect(of('pro_monthly.partner')).toBe('pro_monthly')
    expect(of('pro_monthly_a_b')).toBe('pro_monthly')
    expect(of('pro_monthlypartner')).toBe('pro')
    expect(of('pro_')).toBeUndefined()
    expect(of('pro')).toBeUndefined()
    expect(of('gold')).toBeUndefined()
    expect(of('gold', { base_price: 'pro' })).toBe('pro')
    const [listed] = ordinary
    expect(listed && basesOf([{ prices: ordinary }]).idOf(listed)).toBeUndefined()
    const renamed = [price({ id: 'pro' }), price({ id: 'team', previous_ids: ['pro_monthly', 'old'] })]
    expect(of('pro_monthly_gold', {}, renamed)).toBe('team')
    expect(of('pro_gold', {}, renamed)).toBe('pro')
  })

  test('the base of a negotiated price is looked for in its own product first, and then in all products', () => {
    const deal = (id: string, fields: Partial<Price> = {}) => price({ id, enterprise_id: 'acme', ...fields })
    const bases = basesOf([
      {
        prices: [
          price({ id: 'pro' }),
          price({ id: 'pro_month_x' }),
          price({ id: 'pro_monthly' }),
          price({ id: 'seat' }),
        ],
      },
      {
        prices: [
          price({ id: 'pro_month' }),
          deal('pro_month_acme'),
          deal('pro_month_x_acme'),
          deal('pro_monthly_acme'),
          deal('extra'),
        ],
      },
      { prices: [deal('seat_acme'), deal('special', { base_price: 'pro_month' })] },
    ])
    expect(
      ['pro_month_acme', 'pro_monthly_acme', 'seat_acme', 'special', 'extra', 'pro'].map((id) => bases.idOf({ id })),
    ).toEqual(['pro_month', 'pro_monthly', 'seat', 'pro_month', undefined, undefined])
    expect(bases.insteadOf('pro_month').map(({ id }) => id)).toEqual(['pro_month_acme', 'pro_month_x_acme', 'special'])
    expect(bases.priceOf({ id: 'seat_acme' })?.id).toBe('seat')
  })

  test('the public view contains public prices, products without prices, and meters, and no other items', () => {
    const config = {
      ...(validDocument() as BillingConfig),
      products: [
        {
          id: 'a',
          name: 'A',
          prices: [
            price({ id: 'shown' }),
            price({ id: 'hidden', public: false }),
            price({ id: 'deal', enterprise_id: 'e' }),
          ],
        },
        { id: 'b', name: 'B', prices: [price({ id: 'only_hidden', public: false })] },
        { id: 'c', name: 'C' },
        { id: 'd', name: 'D', prices: [] },
      ],
    }
    const before = structuredClone(config)
    const view = publicView(config)
    expect(view.products.map(({ id, prices }) => [id, prices?.map((shown) => shown.id)])).toEqual([
      ['a', ['shown']],
      ['c', undefined],
      ['d', []],
    ])
    expect(Object.keys(view).sort()).toEqual(['meters', 'products', 'version'])
    expect(config).toEqual(before)
  })

  test('the checksum depends only on the content, not on the order of keys or on $schema', () => {
    const config: BillingConfig = { version: '1.0.0', products: [{ id: 'a', name: 'A' }] }
    const turned: BillingConfig = { $schema: 'x', products: [{ name: 'A', id: 'a' }], version: '1.0.0' }
    expect(checksum(turned)).toBe(checksum(config))
    expect(checksum({ ...config, version: '1.0.1' })).not.toBe(checksum(config))
    expect(checksum(config)).toMatch(/^[0-9a-f]{64}$/)
    expect(canonicalJson({ b: [1, { d: undefined, c: null }], a: 'é' })).toBe('{"a":"é","b":[1,{"c":null}]}')
  })

  test.each<[string | number, number]>([
    ['2031-02-28T23:59:59Z', 1930089599],
    ['2031-03-01T01:59:59+02:00', 1930089599],
    ['2031-02-28T23:59:59.999Z', 1930089599],
    ['2032-02-29T00:00:00Z', 1961625600],
    [1924991999, 1924991999],
  ])('the date %s is %i in Unix seconds', (moment, seconds) => expect(toUnixSeconds(moment)).toBe(seconds))

  test.each([
    '2031-02-29T00:00:00Z',
    '2031-13-01T00:00:00Z',
    '2031-01-01T24:00:00Z',
    '2031-01-01T00:00:00',
    '2031-01-01',
    'tomorrow',
    '',
  ])('the date %j is refused', (text) => {
    expect(isMoment(text)).toBe(false)
    expect(() => toUnixSeconds(text)).toThrow(RangeError)
  })
})

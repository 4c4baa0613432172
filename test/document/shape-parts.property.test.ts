import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BillingConfig } from '../../packages/ratecard/src/document/schema/schema.ts'
import {
  documentParts,
  shapeCompiler,
  shapeFormats,
} from '../../packages/ratecard/src/document/validation/compile-shape.ts'
import { checkShape, shapeIssues } from '../../packages/ratecard/src/document/validation/shape.ts'
import { edit, mutate } from '../support/generated/mutate.ts'
import { ruleCases, validDocument } from '../support/rules/rule-cases.ts'
import { price, withPrices } from '../support/rules/rule-parts.ts'

const whole = new Ajv2020({
  allErrors: true,
  verbose: true,
  ownProperties: true,
  allowUnionTypes: true,
  formats: shapeFormats,
}).compile(BillingConfig)

const said = (issues: ReturnType<typeof shapeIssues>) =>
  issues.map(({ code, pointer, detail, hint }) => `${code} ${pointer} ${detail} ${hint ?? ''}`).sort()

const inManyCurrencies = withPrices(
  price({
    currency_options: {
      usd: { amount: 1300 },
      jpy: { amount: 120, tax_included_in_price: true },
      gbp: {
        tiers: [
          { up_to: 10, unit_amount: 5 },
          { up_to: 'inf', flat_amount: 3 },
        ],
      },
    },
  }),
)
const seeds = [validDocument(), inManyCurrencies, ...ruleCases.map(({ document }) => document)]

test('validating a document part by part gives the same errors as validating it with the whole schema', () => {
  let invalid = 0
  fc.assert(
    fc.property(fc.constantFrom(...seeds), fc.array(edit, { maxLength: 6 }), (seed, edits) => {
      const document = mutate(seed, edits)
      const { config, issues } = checkShape(document)
      const fits = whole(document)
      expect(config === null).toBe(!fits)
      expect(said(issues)).toEqual(fits ? [] : said(shapeIssues(whole.errors ?? [])))
      if (!fits) invalid++
    }),
    { numRuns: 3_000 },
  )
  expect(invalid).toBeGreaterThan(1_000)
})

test('an unknown currency is reported with the list of supported currencies', () => {
  const { issues } = checkShape(withPrices(price({ currency_options: { usb: { amount: 1 } } })))
  expect(issues).toMatchObject([
    { code: 'currency_unknown', pointer: '#/products/0/prices/0/currency_options/usb', hint: 'Did you mean "usd"?' },
  ])
})

/** To compile a function of 600 kB for a large document, V8 uses a hundred megabytes, which the process keeps. */
const longestCheck = 200_000

test.each(Object.keys(documentParts()))(
  'the schema part %s is small, so that the validation of a large push needs little memory',
  (part) => {
    const check = shapeCompiler({ source: true }).getSchema(part)
    expect(check?.source?.validateCode.length).toBeLessThan(longestCheck)
  },
)

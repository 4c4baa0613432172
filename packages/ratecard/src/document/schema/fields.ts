import { Type, type Static, type TSchema } from 'typebox'
import { currencies, type Currency } from '../../base/money/currencies.ts'
import { latestMoment } from './moment.ts'

/** Pattern of ids, at most 100 characters. Ids appear in URLs and are the default lookup keys at the processor. */
export const idPattern = '^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$'
export const versionPattern = '^\\d+\\.\\d+\\.\\d+$'
/** Pattern of amounts below one minor unit: up to 12 integer digits and 12 decimals (Stripe's limit), without sign or exponent. */
export const decimalPattern = '^\\d{1,12}(\\.\\d{1,12})?$'

/** Option of every object in the schema: an unknown field is an error. Otherwise a misspelled optional field would count as absent. */
export const closed = { additionalProperties: false } as const

// Upper limits of amounts and counts. Larger numbers would lose precision in JSON, or the processor would refuse them.
const largestAmount = 999_999_999_999
const largestCount = 2_147_483_647

export const Id = (description: string, ...examples: string[]) =>
  Type.String({ pattern: idPattern, description, examples })
export const Name = (description: string, ...examples: string[]) =>
  Type.String({ minLength: 1, maxLength: 250, description, examples })
export const Description = (description: string) => Type.String({ maxLength: 5000, description })
export const UiText = (description: string, ...examples: string[]) =>
  Type.String({ maxLength: 500, description, ...(examples.length === 0 ? {} : { examples }) })
export const UiFeatures = Type.Array(UiText('One feature, as shown to customers.'), {
  description: 'Feature list for a pricing table.',
  examples: [['Unlimited notebooks', 'Shared shelves']],
})
/** Schema of an amount in minor units; zero is allowed. */
export const Minor = (description: string, example = 1200) =>
  Type.Integer({ minimum: 0, maximum: largestAmount, description, examples: [example] })
/** Schema of an amount in minor units; zero is not allowed. */
export const PositiveMinor = (description: string, example = 1000) =>
  Type.Integer({ minimum: 1, maximum: largestAmount, description, examples: [example] })
export const Count = (description: string, ...examples: number[]) =>
  Type.Integer({ minimum: 1, maximum: largestCount, description, examples })
export const Decimal = (description: string) =>
  Type.String({ pattern: decimalPattern, description, examples: ['0.05'] })
export const CurrencyField = (description: string) => Type.Enum(currencies, { description, examples: ['usd', 'eur'] })
/** Pattern for the keys of a map by currency, i.e. the codes of all currencies. */
export const currencyPattern = `^(${currencies.join('|')})$`
/** Schema of a map from the code of an additional currency to the amounts in that currency. */
export function byCurrency<Option extends TSchema>(option: Option, description: string, example: object) {
  return Type.Unsafe<Partial<Record<Currency, Static<Option>>>>(
    Type.Record(Type.String({ pattern: currencyPattern }), option, {
      ...closed,
      minProperties: 1,
      description,
      examples: [example],
    }),
  )
}

export const ProcessorId = Type.String({
  minLength: 1,
  maxLength: 255,
  description:
    'Id of an object that already exists at the processor: it is adopted instead of created. For migrations.',
})
export const taxCodePattern = '^txcd_\\d{8}$'
export const TaxCode = Type.String({
  pattern: taxCodePattern,
  description: 'Tax code of the processor, e.g. `txcd_10103001`.',
  examples: ['txcd_10103001'],
})
/** Pattern of statement descriptors: 5 to 22 ASCII characters with at least one letter. The processor removes other characters. */
export const statementPattern = '^(?=.*[A-Za-z])[ !#-&(-)+-;=?-\\[\\]-~]{5,22}$'
export const StatementDescriptor = Type.String({
  pattern: statementPattern,
  description: 'Text on the customer’s card or bank statement, for subscriptions.',
  examples: ['EXAMPLE PRO'],
})
/** Pattern of API versions: a date. From 2024 on, the name of the release line follows, e.g. `2025-03-31.basil`. */
export const apiVersionPattern = '^20\\d{2}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])(\\.[a-z]{2,30})?$'
export const ApiVersion = Type.String({
  pattern: apiVersionPattern,
  description:
    'API version of the endpoint’s events. Fixed at creation: another version creates a new endpoint with a new secret. Default: the version that this release uses; an existing endpoint keeps its version.',
  examples: ['2025-03-31.basil'],
})
export const addressPattern = '^https?://[^\\s/?#]+\\S*$'
/** Schema of a lookup key. The processor limits only its length. */
export const LookupKey = (maxLength: number, description: string, ...examples: string[]) =>
  Type.String({ minLength: 1, maxLength, description, examples })
export const WebAddress = (description: string, ...examples: string[]) =>
  Type.String({ pattern: addressPattern, maxLength: 2000, description, examples })
export const PreviousIds = Type.Array(Type.String({ pattern: idPattern, description: 'An earlier id.' }), {
  minItems: 1,
  maxItems: 20,
  description:
    'Earlier ids of this item. The item takes over their history: the objects at the processor and the subscribers.',
  examples: [['pro']],
})
export const Moment = (description: string) =>
  Type.Union([Type.String({ format: 'date-time' }), Type.Integer({ minimum: 0, maximum: latestMoment })], {
    description: `${description} ISO 8601 with a time zone, or Unix seconds.`,
    examples: ['2031-02-28T23:59:59Z', 1924991999],
  })

/**
 * Maximum number of metadata keys per object at the processor. The ownership mark is one of these keys, and is omitted if there is no room.
 */
export const maxMetadataKeys = 50

// Schema of metadata. Keys have no square brackets, because the processor refuses them. Values are not empty, because the processor treats
// an empty value as a request to remove the key.
export const Metadata = Type.Record(
  Type.String({ pattern: '^[^\\[\\]]{1,40}$' }),
  Type.String({ minLength: 1, maxLength: 500 }),
  {
    ...closed,
    maxProperties: maxMetadataKeys,
    description:
      'Up to 50 pairs of text kept on the processor’s object. Keys that start with `ratecard_` are reserved.',
    examples: [{ owner: 'growth-team' }],
  },
)

export type Metadata = Static<typeof Metadata>

/** Fields whose numbers are minor units. */
export const minorUnits: ReadonlySet<string> = new Set([
  'amount',
  'unit_amount',
  'flat_amount',
  'amount_off',
  'minimum_amount',
  'minimum',
  'maximum',
  'preset',
])

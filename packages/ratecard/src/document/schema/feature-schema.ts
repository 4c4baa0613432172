// Schema of features, and of their limits in products.
import { Type, type Static } from 'typebox'
import { closed, Id, idPattern, LookupKey, Metadata, PreviousIds, ProcessorId } from './fields.ts'

const unitText = (description: string, examples = ['projects']) =>
  Type.String({ minLength: 1, maxLength: 40, description, examples })

/** Plural forms of a unit. Their names are those of `Intl.PluralRules`. */
const UnitForms = Type.Object(
  {
    zero: Type.Optional(
      unitText('Plural form of the category `zero`, which some languages have, e.g. for 0 in Arabic.'),
    ),
    one: Type.Optional(unitText('Form for one, e.g. `1 project`.', ['project'])),
    two: Type.Optional(unitText('Plural form of the category `two`, which some languages have, e.g. for 2 in Arabic.')),
    few: Type.Optional(
      unitText('Plural form of the category `few`, which some languages have, e.g. for 2 to 4 in Polish.'),
    ),
    many: Type.Optional(
      unitText('Plural form of the category `many`, which some languages have, e.g. for 5 to 21 in Polish.'),
    ),
    other: unitText('Plural form for all other numbers, and for `unlimited`.'),
  },
  { ...closed, description: 'A text for each plural form of the language of your pricing page.' },
)

export const Feature = Type.Object(
  {
    id: Type.String({
      pattern: idPattern,
      maxLength: 80,
      description: 'Your id of the feature; products name it.',
      examples: ['sso'],
    }),
    name: Type.String({
      minLength: 1,
      maxLength: 80,
      description: 'Name of the feature, for you and for your own pages.',
      examples: ['Single sign-on'],
    }),
    type: Type.Optional(
      Type.Enum(['switch', 'limit', 'metered'], {
        description:
          '`switch` (default): on or off. `limit`: a number that your program counts, e.g. projects. `metered`: a number per period that `meter` counts, e.g. API calls. Not sent to the processor, where every feature is on or off.',
      }),
    ),
    meter: Type.Optional(Id('Id of the meter that counts a `metered` feature.', 'api_calls')),
    unit: Type.Optional(
      Type.Union([unitText('What a limit counts, as your customers read it.'), UnitForms], {
        description: 'What a limit counts, as your customers read it: a text, or a text for each plural form.',
        examples: ['projects', { one: 'project', other: 'projects' }],
      }),
    ),
    lookup_key: Type.Optional(
      LookupKey(
        80,
        'Lookup key at the processor, with which your programs can find the feature. Default: the id; an existing feature keeps its key. Fixed at creation: another key creates a new feature.',
        'single-sign-on',
      ),
    ),
    metadata: Type.Optional(Metadata),
    previous_ids: Type.Optional(PreviousIds),
    processor_id: Type.Optional(ProcessorId),
  },
  { ...closed, description: 'An entitlement: something that customers of a product may use.' },
)

/** Largest limit that a document may state. Larger numbers lose precision in JSON. */
const largestLimit = 999_999_999_999

export const FeatureLimit = Type.Object(
  {
    id: Id('Feature id.', 'projects'),
    limit: Type.Union([Type.Integer({ minimum: 0, maximum: largestLimit }), Type.Literal('unlimited')], {
      description: 'How many the customer may have or use. Limits of several products add up.',
      examples: [10, 'unlimited'],
    }),
    per_quantity: Type.Optional(
      Type.Boolean({
        description: 'The limit counts for each unit that is bought, e.g. for each seat. Default false.',
      }),
    ),
    resets: Type.Optional(
      Type.Enum(['billing_period', 'month', 'never'], {
        description:
          'When the usage of a `metered` feature is reset to zero: with each period of the subscription (default), on the first day of each month (UTC), or never.',
      }),
    ),
    beyond: Type.Optional(
      Type.Enum(['deny', 'allow'], {
        description:
          'What a check returns beyond the limit: `deny` (default) refuses, `allow` permits, e.g. because the usage is billed.',
      }),
    ),
  },
  { ...closed, description: 'Limit that the product gives for a `limit` or `metered` feature.' },
)

export const ProductFeature = Type.Union([Id('Feature id.', 'sso'), FeatureLimit])

export type Feature = Static<typeof Feature>
export type FeatureLimit = Static<typeof FeatureLimit>
export type ProductFeature = Static<typeof ProductFeature>

/** Returns the id of a feature as a product lists it, e.g. `sso` or `{ id: "projects", limit: 10 }`. */
export const featureIdOf = (entry: ProductFeature): string => (typeof entry === 'string' ? entry : entry.id)

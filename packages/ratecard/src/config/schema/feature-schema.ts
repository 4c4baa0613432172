// Schema of features, and of their limits in products.
import { Type, type Static } from 'typebox'
import { closed, Id, idPattern, Metadata, PreviousIds, ProcessorId } from './fields.ts'

export const Feature = Type.Object(
  {
    id: Type.String({
      pattern: idPattern,
      maxLength: 80,
      description: 'Your id of the feature; products name it. It becomes the lookup key at the processor.',
      examples: ['sso'],
    }),
    name: Type.String({
      minLength: 1,
      maxLength: 80,
      description: 'Name for yourself and your own pages.',
      examples: ['Single sign-on'],
    }),
    type: Type.Optional(
      Type.Enum(['switch', 'limit', 'metered'], {
        description:
          '`switch` (the default): on or off. `limit`: a number that your program counts, e.g. projects. `metered`: a number per period that is counted by `meter`, e.g. API calls. Ours alone: the processor knows every feature as on or off.',
      }),
    ),
    meter: Type.Optional(Id('Id of the meter that counts a `metered` feature.', 'api_calls')),
    unit: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 40,
        description: 'What a limit counts, as your customers read it.',
        examples: ['projects'],
      }),
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
          'When the usage of a `metered` feature is reset to zero: with each period of the subscription (the default), on the first of each month in UTC, or never.',
      }),
    ),
    beyond: Type.Optional(
      Type.Enum(['deny', 'allow'], {
        description:
          'What a check answers past the limit: no (`deny`, the default), or yes (`allow`), for usage that is billed.',
      }),
    ),
  },
  { ...closed, description: 'How much of a `limit` or `metered` feature the product gives.' },
)

export const ProductFeature = Type.Union([Id('Feature id.', 'sso'), FeatureLimit])

export type Feature = Static<typeof Feature>
export type FeatureLimit = Static<typeof FeatureLimit>
export type ProductFeature = Static<typeof ProductFeature>

/** Returns the id of a feature as a product lists it, e.g. `sso` or `{ id: "projects", limit: 10 }`. */
export const featureIdOf = (entry: ProductFeature): string => (typeof entry === 'string' ? entry : entry.id)

// The rules of policies: name, schema of the value, and the text for the reference. The JSON schema, the checks and the reference are
// derived from this table.
import { Type, type Static, type TSchema } from 'typebox'
import { closed, CurrencyField } from '../fields.ts'

const Percent = (description: string) => Type.Number({ minimum: 0, maximum: 1_000_000, description, examples: [10] })
const largestAmount = 999_999_999_999
const Day = (description: string) => Type.String({ minLength: 10, maxLength: 40, description })

interface RuleRow {
  /** Schema of the member `value`; null if the rule takes none. */
  readonly value: TSchema | null
  /** What the rule demands, as a sentence of the reference. */
  readonly demands: string
  readonly example: unknown
}

export const ruleTable = {
  max_increase_percent: {
    value: Percent('Maximum increase in per cent.'),
    demands:
      'No price increases by more than this per month, in any currency and for any quantity. A free price must stay free.',
    example: 10,
  },
  max_decrease_percent: {
    value: Percent('Maximum decrease in per cent.'),
    demands: 'No price decreases by more than this per month, in any currency and for any quantity.',
    example: 50,
  },
  no_archive_with_subscribers: {
    value: null,
    demands: 'No price with live subscriptions is archived, including subscriptions to its earlier prices.',
    example: undefined,
  },
  required_metadata: {
    value: Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
      minItems: 1,
      maxItems: 45,
      description: 'Required metadata keys.',
      examples: [['cost_centre']],
    }),
    demands:
      'Each product and price that the plan creates or changes must have these metadata keys. For a price, keys of its product count too.',
    example: ['cost_centre'],
  },
  id_pattern: {
    value: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'A regular expression. Write ^ and $ to match the whole id.',
      examples: ['^[a-z][a-z0-9_]*$'],
    }),
    demands: 'Each id that the plan adds must match the regular expression. Ids of webhooks are not checked.',
    example: '^[a-z][a-z0-9_]*$',
  },
  currencies: {
    value: Type.Array(CurrencyField('A currency that is allowed.'), {
      minItems: 1,
      description: 'The currencies that are allowed.',
      examples: [['eur', 'usd']],
    }),
    demands:
      'Each price, coupon and promotion code that the plan creates or changes may have amounts only in these currencies.',
    example: ['eur', 'usd'],
  },
  max_tenants_affected: {
    value: Type.Integer({
      minimum: 0,
      maximum: 2_147_483_647,
      description: 'Maximum number of tenants.',
      examples: [100],
    }),
    demands:
      'At most this many tenants may have prices that the plan archives or replaces, or be moved by a migration. A deal counts as one tenant.',
    example: 100,
  },
  max_monthly_affected: {
    value: Type.Object(
      {
        currency: CurrencyField('Currency of the amount. Other currencies are not counted.'),
        amount: Type.Integer({
          minimum: 0,
          maximum: largestAmount,
          description: 'Maximum amount per month, in minor units.',
        }),
      },
      { ...closed, description: 'Maximum sum per month.', examples: [{ currency: 'eur', amount: 500_000 }] },
    ),
    demands: 'The affected subscriptions may pay at most this much per month, at list prices.',
    example: { currency: 'eur', amount: 500_000 },
  },
  freeze: {
    value: Type.Object(
      {
        from: Day('Begin: a day (UTC), or a time with its zone.'),
        to: Day('End: a day (UTC, its whole day included), or a time with its zone.'),
      },
      {
        ...closed,
        description: 'Time in which nothing may change.',
        examples: [{ from: '2026-12-18', to: '2027-01-04' }],
      },
    ),
    demands: 'No change is allowed in this time.',
    example: { from: '2026-12-18', to: '2027-01-04' },
  },
  require_message: {
    value: null,
    demands: 'Each change must have a message with its reason (`--message`, `X-Ratecard-Message`).',
    example: undefined,
  },
} as const satisfies Readonly<Record<string, RuleRow>>

export type RuleName = keyof typeof ruleTable
export const ruleNames = Object.keys(ruleTable) as [RuleName, ...RuleName[]]
export const severities = ['deny', 'warn'] as const

type ValueOf<Name extends RuleName> = (typeof ruleTable)[Name]['value'] extends infer Schema extends TSchema
  ? { readonly value: Static<Schema> }
  : { readonly value?: undefined }

interface PolicyBase {
  readonly id: string
  readonly severity: (typeof severities)[number]
  /** Why the rule is there, for those who meet it. */
  readonly reason?: string
  /** Configuration ids that the rule does not concern. */
  readonly except?: readonly string[]
  /** Environments in which the rule holds; all if absent. */
  readonly environments?: readonly string[]
}

export type PolicyOf<Name extends RuleName> = PolicyBase & { readonly rule: Name } & ValueOf<Name>
export type Policy = { [Name in RuleName]: PolicyOf<Name> }[RuleName]

export interface Policies {
  readonly rules: readonly Policy[]
}

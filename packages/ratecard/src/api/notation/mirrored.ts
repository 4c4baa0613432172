// Members of responses that come from the mirror (the store's copy of the processor's data): the age of that copy, and amounts of money.
import { Type } from 'typebox'
import { omittedIf, closed, nullable, Time } from './schema.ts'

const isStale = Type.Literal(true, { description: 'Present only if `as_of` is more than five minutes old.' })

/** Members that every response from the mirror has, if it can only come from the mirror (e.g. revenue by day). */
export const mirrored = {
  as_of: Time('The response includes everything that happened at the processor up to this time.'),
  stale: omittedIf(isStale, false),
}

/** Member of what is said of a tenant. */
export const perhapsDeleted = {
  customer_deleted: Type.Optional(
    Type.Literal(true, {
      description: 'The tenant’s customer was deleted at the processor. The next checkout makes a new one.',
    }),
  ),
}

/**
 * Members of a response that comes from the mirror if the mirror is complete, otherwise live from the processor. A live response omits
 * these members.
 */
export const perhapsMirrored = {
  as_of: Type.Optional(
    Time(
      'The response was read from the mirror, which was complete up to this time. Absent when the response was read live.',
    ),
  ),
  stale: Type.Optional(isStale),
}

/** Like `perhapsMirrored`, but a live response says when the processor was asked. */
export const mirroredOrAsked = {
  ...perhapsMirrored,
  as_of: Time(
    'The answer includes everything that happened at the processor up to this time: the time to which the mirror is complete, or now if the processor was asked.',
  ),
}

/** A decimal in minor units as text, e.g. `"83333.33"` for $833.3333. */
export const Minor = (description: string) => Type.String({ pattern: String.raw`^-?\d+(\.\d+)?$`, description })

export const Formatted = (subject: string) => Type.String({ description: `${subject}, formatted for display.` })

/**
 * Returns two members for an amount: the amount, and its text. The text of an object's main amount (`mrr`, `amount`, `total`) is in
 * `formatted`. The text of any other amount is in `<name>_formatted`.
 */
export const mainAmount = <const Name extends string>(name: Name, description: string) =>
  ({ [name]: Minor(description), formatted: Formatted(`\`${name}\``) }) as {
    readonly [_ in Name]: ReturnType<typeof Minor>
  } & { readonly formatted: ReturnType<typeof Formatted> }

export const furtherAmount = <const Name extends string>(name: Name, description: string) =>
  ({ [name]: Minor(description), [`${name}_formatted`]: Formatted(`\`${name}\``) }) as {
    readonly [_ in Name | `${Name}_formatted`]: ReturnType<typeof Minor>
  }

export const MoneyOf = (description: string) =>
  Type.Array(
    Type.Object(
      { currency: Type.String(), ...mainAmount('amount', 'Amount in minor units, a decimal as text.') },
      closed,
    ),
    { description: `${description} One entry for each currency, by code.` },
  )

/** Day of the calendar (UTC), e.g. `2026-01-31`. */
export const Day = (description: string) =>
  Type.String({ pattern: String.raw`^\d{4}-\d{2}-\d{2}$`, description, examples: ['2026-01-31'] })

/** Day in a request. The schema accepts any text, so that the route can refuse an invalid day with its own error message. */
export const DayAsked = (description: string) =>
  Type.Optional(
    Type.String({ maxLength: 40, description: `${description} \`YYYY-MM-DD\`, UTC.`, examples: ['2026-01-31'] }),
  )

export const NullableMinor = (description: string) => nullable(Minor(description))

/** Age of a result that was read from the mirror. */
export interface Recency {
  /** Time (epoch milliseconds) up to which the result contains every change at the processor. */
  readonly asOf: number
  readonly stale: boolean
}

/** Age of a result that was read from the mirror. Both members are absent if the result was read from the processor. */
export interface PerhapsMirrored {
  readonly asOf?: number
  /** Present only if the result is stale. */
  readonly stale?: true
}

export interface MirroredItems<Item> extends Recency {
  readonly items: readonly Item[]
  readonly total: number
}

// Schemas that answers from the mirror share: how recent they are, and amounts of money.
import { Type } from 'typebox'
import { absent, closed, nullable, Time } from './schema.ts'

const isStale = Type.Literal(true, { description: 'Only when `as_of` is more than five minutes behind.' })

/** Members of every answer that only the mirror can give. */
export const mirrored = {
  as_of: Time('Everything that happened at the processor until then is in the answer.'),
  stale: absent(isStale, false),
}

/** Members of an answer that is from the mirror if the mirror is complete; left out of an answer that was read live. */
export const perhapsMirrored = {
  as_of: Type.Optional(Time('The answer is from the mirror, complete until then; left out when it was read live.')),
  stale: Type.Optional(isStale),
}

/** A decimal in minor units as text, e.g. `"83333.33"` for $833.3333. */
export const Minor = (description: string) => Type.String({ pattern: String.raw`^-?\d+(\.\d+)?$`, description })

const asPeopleRead = 'as people read it.'
export const Formatted = (subject: string) => Type.String({ description: `${subject} ${asPeopleRead}` })

/**
 * An amount and its text: `formatted` stands beside the leading amount of an object (`mrr`, `amount`, `total`), `<name>_formatted` beside
 * each further one.
 */
export const leading = <const Name extends string>(name: Name, description: string) =>
  ({ [name]: Minor(description), formatted: Formatted(`\`${name}\``) }) as {
    readonly [_ in Name]: ReturnType<typeof Minor>
  } & { readonly formatted: ReturnType<typeof Formatted> }

export const further = <const Name extends string>(name: Name, description: string) =>
  ({ [name]: Minor(description), [`${name}_formatted`]: Formatted(`\`${name}\``) }) as {
    readonly [_ in Name | `${Name}_formatted`]: ReturnType<typeof Minor>
  }

export const MoneyOf = (description: string) =>
  Type.Array(
    Type.Object({ currency: Type.String(), ...leading('amount', 'Minor units, a decimal as text.') }, closed),
    { description: `${description} One entry for each currency, by code.` },
  )

/** A day of the calendar (UTC), e.g. `2026-01-31`. */
export const Day = (description: string) =>
  Type.String({ pattern: String.raw`^\d{4}-\d{2}-\d{2}$`, description, examples: ['2026-01-31'] })

/** A day in a request: any text, so that the route names a wrong one in its own words. */
export const DayAsked = (description: string) =>
  Type.Optional(
    Type.String({ maxLength: 40, description: `${description} \`YYYY-MM-DD\`, UTC.`, examples: ['2026-01-31'] }),
  )

export const NullableMinor = (description: string) => nullable(Minor(description))

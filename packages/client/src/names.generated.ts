// Copied from packages/ratecard/src/api/notation/names.ts by scripts/reference/client-types.ts; do not edit.

export type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name
export type Snake<Name> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Tail>}`
  : Name

/** Converts to camelCase: `processor_id` → `processorId`, `last_30_days` → `last30Days`. */
export const camel = (name: string): string => name.replace(/_[a-z0-9]/g, (match) => match.charAt(1).toUpperCase())

/** Converts to snake_case: `processorId` → `processor_id`. A number is a word of its own: `last30Days` → `last_30_days`. */
export const snake = (name: string): string =>
  name.replace(/[A-Z]|(?<=[a-zA-Z])\d+/g, (match) => `_${match.toLowerCase()}`)

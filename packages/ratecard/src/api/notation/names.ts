// The one rule between the wire's snake_case and the code's camelCase. `npm run generate` copies this file into the client,
// which depends on nothing.

export type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name
export type Snake<Name> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Tail>}`
  : Name

/** `processor_id` is `processorId`. */
export const camel = (name: string): string => name.replace(/_[a-z]/g, (match) => match.charAt(1).toUpperCase())

/** `processorId` is `processor_id`. */
export const snake = (name: string): string => name.replace(/[A-Z]/g, (match) => `_${match.toLowerCase()}`)

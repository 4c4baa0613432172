// Names on the two sides of the wire. One level of a value whose members the API names all; what is inside stays as it is,
// because ids, metadata keys and documents keep the names that their authors gave them.

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name
type Snake<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Tail>}`
  : Name

export type Camelled<Wire> = { [Name in keyof Wire as Name extends string ? Camel<Name> : never]: Wire[Name] }
/** As JSON sends it: dates as text, undefined not at all. */
export type Snaked<Value> = {
  [Name in keyof Value as Name extends string ? Snake<Name> : never]: Sent<Exclude<Value[Name], undefined>>
}
type Sent<Value> = Value extends Date ? string : Value

export const camel = <Wire extends object>(wire: Wire) =>
  renamed(wire, (name) => name.replace(/_[a-z]/g, (match) => match.charAt(1).toUpperCase())) as Camelled<Wire>

export const snake = <Value extends object>(value: Value) =>
  renamed(value, (name) => name.replace(/[A-Z]/g, (match) => `_${match.toLowerCase()}`)) as Snaked<Value>

const renamed = (value: object, rename: (name: string) => string): object =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [rename(name), member]))

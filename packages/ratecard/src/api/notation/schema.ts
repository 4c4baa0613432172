// Builders for API schemas. A schema is a closed TypeBox object in snake_case. Validation, OpenAPI, the type in the code (`Inside`), the
// client's types and the case conversion (case-conversion.ts) are derived from the schema.
import { Type } from 'typebox'
import type { Static, TArray, TObject, TOptional, TProperties, TSchema, TUnion, TUnsafe } from 'typebox'
import { toRfc3339 } from '../../base/clock.ts'
import { absence, coded, moment, named, target, verbatim } from './marks.ts'
import type { Camel } from './names.ts'

export const closed = { additionalProperties: false } as const

interface Codec<InsideForm, WireForm> {
  /** Converts a value to its API form. Also accepts the API form, because the CLI encodes values that the client returned. */
  readonly encode: (inside: InsideForm | WireForm) => WireForm
  readonly decode: (wire: WireForm) => InsideForm
}

export interface TCoded<InsideForm, WireForm> extends TUnsafe<WireForm> {
  [coded]: Codec<InsideForm, WireForm>
}
export interface TTime extends TUnsafe<string> {
  [coded]: Codec<number, string>
  format: 'date-time'
}
export interface TVerbatim<Value> extends TUnsafe<Value> {
  [verbatim]: true
}
export interface TShared<Schema extends TSchema> extends TUnsafe<Static<Schema>> {
  [target]: Schema
}
/** A member that is optional in the API and always present in the code. If the API omits it, its value in the code is `Empty`. */
export type TAbsent<Schema extends TSchema, Empty> = TOptional<Schema> & { [absence]: { readonly empty: Empty } }

/** Creates a closed object schema. The client exports its type under `name`. */
export function shape<Properties extends TProperties>(
  name: string,
  properties: Properties,
  description?: string,
): TObject<Properties> {
  return Type.Object(properties, { ...closed, ...withDescription(description), [named]: name })
}

/** Creates an enumeration with a name. */
export const choice = <Values extends string[]>(name: string, values: readonly [...Values], description?: string) =>
  Type.Enum<Values>(values, { ...withDescription(description), [named]: name })

/** Refers to a schema that is an OpenAPI component under its name. The schema must be listed in contract.ts. */
export function sharedSchema<Schema extends TSchema>(schema: Schema): TShared<Schema> {
  const reference = { $ref: `${nameOf(schema) ?? ''}#`, [target]: schema }
  return Type.Unsafe<Static<Schema>>(reference) as TShared<Schema>
}

/** Refers to a document object of an author (e.g. a price) by its OpenAPI component name. Names in the object are not converted. */
export const document = <Value>(component: string): TVerbatim<Value> =>
  Type.Unsafe<Value>({ $ref: `${component}#`, [verbatim]: true }) as TVerbatim<Value>

/** Returns the schema for content that an author or the processor wrote. Names in such content are not converted. */
export function asWritten<Schema extends TSchema>(schema: Schema): TVerbatim<Frozen<Static<Schema>>> {
  return { ...schema, [verbatim]: true } as unknown as TVerbatim<Frozen<Static<Schema>>>
}

type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Frozen<Value[Name]> }
    : Value

/** Any JSON object; its names are not converted. */
export const AnyObject = asWritten(
  Type.Unsafe<Readonly<Record<string, unknown>>>(Type.Object({}, { additionalProperties: true })),
)

/** Any JSON value; its names are not converted. */
export const AnyValue = (description: string) => asWritten(Type.Unknown({ description }))

export function code<InsideForm, WireForm>(schema: TSchema, codec: Codec<InsideForm, WireForm>) {
  return Type.Unsafe<WireForm>({ ...schema, [coded]: codec }) as TCoded<InsideForm, WireForm>
}

/** A time: epoch milliseconds in the code, RFC 3339 (UTC) in the API. */
export const Time = (description?: string): TTime =>
  code(Type.String({ format: 'date-time', ...withDescription(description) }), timeCodec) as TTime

const timeCodec: Codec<number, string> = {
  encode: (time) => (typeof time === 'number' ? toRfc3339(time) : time),
  decode: (text) => Date.parse(text),
}

/**
 * A time in a request. It is text in the API and in the code, so that an invalid time gets its own error message. The client also accepts a
 * `Date`.
 */
export const Moment = (description: string) => Type.String({ maxLength: 40, description, [moment]: true })

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

/** Creates a member that the API omits if its value in the code equals `empty`. */
export function omittedIf<Schema extends TSchema, const Empty>(schema: Schema, empty: Empty): TAbsent<Schema, Empty> {
  return Type.Optional({ ...schema, [absence]: { empty } }) as unknown as TAbsent<Schema, Empty>
}

export const Count = (description: string) => Type.Integer({ minimum: 0, description })

const withDescription = (description: string | undefined) => (description === undefined ? {} : { description })

export function nameOf(schema: TSchema): string | undefined {
  return (schema as { readonly [named]?: string })[named]
}

/**
 * Type of a schema's value in the code: camelCase names, times as epoch milliseconds. With `Time = string` it is the type in the client.
 */
export type Inside<Schema, Time = number> = Schema extends TTime
  ? Time
  : Schema extends TVerbatim<infer Value>
    ? Value
    : Schema extends TShared<infer Target>
      ? Inside<Target, Time>
      : Schema extends TCoded<infer InsideForm, infer WireForm>
        ? Time extends string
          ? WireForm
          : InsideForm
        : Schema extends TObject<infer Properties>
          ? InsideObject<Properties, Time>
          : Schema extends TArray<infer Item>
            ? readonly Inside<Item, Time>[]
            : Schema extends TUnion<infer Branches>
              ? Inside<Branches[number], Time>
              : Schema extends TSchema
                ? Static<Schema>
                : never

export type InsideObject<Properties extends TProperties, Time> = {
  readonly [Name in keyof Properties as Properties[Name] extends TOptional ? never : Camel<Name>]: Inside<
    Properties[Name],
    Time
  >
} & {
  readonly [Name in keyof Properties as MayLack<Properties[Name], Time> extends true ? Camel<Name> : never]?: Inside<
    Properties[Name],
    Time
  >
} & {
  readonly [
    Name in keyof Properties as Properties[Name] extends TAbsent<TSchema, unknown>
      ? Time extends string
        ? never
        : Camel<Name>
      : never
  ]: Inside<Properties[Name], Time> | EmptyOf<Properties[Name]>
}

type MayLack<Schema, Time> = Schema extends TOptional
  ? Schema extends TAbsent<TSchema, unknown>
    ? Time extends string
      ? true
      : false
    : true
  : false
type EmptyOf<Schema> = Schema extends { [absence]: { readonly empty: infer Empty } } ? Empty : never

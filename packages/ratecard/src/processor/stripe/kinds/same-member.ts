// Translations for fields that Stripe stores in a member of the same name, with the same value.
import { unlessEmpty, unlessNull } from './kind.ts'

/** Translation of a field that is set at creation only. */
export const immutableField = <Name extends string>(name: Name) => ({
  read: <Value>(live: Readonly<Record<Name, Value>>) => live[name],
  create: <Value>(value: Value) => ({ [name]: value }) as Record<Name, Value>,
})

/** Like {@link immutableField}, for a field that may be absent. */
export const fixedOrNull = <Name extends string>(name: Name) => ({
  read: immutableField(name).read,
  create: <Value>(value: Value | null) => unlessNull(name, value),
})

/** Translation of a field that an update may change. */
export const updatableField = <Name extends string>(name: Name) => ({
  ...immutableField(name),
  update: immutableField(name).create,
})

/** Translates a text field of the catalog that an update may change. In a reply, an absent text is read as an empty one. */
export const changeableText = <Name extends string>(name: Name) => ({
  read: (live: { readonly [Key in Name]?: string | null }) => live[name] ?? '',
  create: (value: string) => unlessEmpty(name, value),
  update: immutableField(name).create,
})

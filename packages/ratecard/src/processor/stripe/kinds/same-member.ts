// Translations for fields that Stripe stores in a member of the same name, with the same value.
import { unlessEmpty, unlessNull } from './kind.ts'

/** Translation of a field that is set at creation only. */
export const fixed = <Name extends string>(name: Name) => ({
  read: <Value>(live: Readonly<Record<Name, Value>>) => live[name],
  create: <Value>(value: Value) => ({ [name]: value }) as Record<Name, Value>,
})

/** Like {@link fixed}, for a field that may be absent. */
export const fixedOrNull = <Name extends string>(name: Name) => ({
  read: fixed(name).read,
  create: <Value>(value: Value | null) => unlessNull(name, value),
})

/** Translation of a field that an update may change. */
export const changeable = <Name extends string>(name: Name) => ({ ...fixed(name), update: fixed(name).create })

/** Translates a text field of the catalog that an update may change. In a reply, an absent text is read as an empty one. */
export const changeableText = <Name extends string>(name: Name) => ({
  read: (live: { readonly [Key in Name]?: string | null }) => live[name] ?? '',
  create: (value: string) => unlessEmpty(name, value),
  update: fixed(name).create,
})

// Readers of replies. Stripe sends null or nothing for some members that the SDK's types require: the types describe the current API
// version only, and even Stripe's own examples contain such nulls. A reader of a required member throws a plain error, which `understood`
// converts to `broken`.
import type { Stripe } from 'stripe'
import type { ProcessorId } from '../../../catalog/resource.ts'

/** A part of a reply, in which each member may be null or missing. */
export type Untrusted<T> = { readonly [K in keyof T]?: UntrustedValue<T[K]> }

type UntrustedValue<T> =
  | (T extends string | number | boolean | bigint | Stripe.Decimal
      ? T
      : T extends readonly (infer Element)[]
        ? readonly UntrustedValue<Element>[]
        : T extends object
          ? Untrusted<T>
          : T)
  | null
  | undefined

/** A complete reply of Stripe. Its `object` and `id` were checked on arrival; all other members may be null or missing. */
export type UntrustedReply<T> = Untrusted<T> & { readonly id: string; readonly object: string }

type Maybe<T> = T | null | undefined

/** Returns a required value; throws if it is null or missing. */
export function requirePresent<T>(said: Maybe<T>, member: string): T {
  if (said === null || said === undefined) throw new TypeError(`it has no ${member}`)
  return said
}

/**
 * Returns the elements of a list; empty if the list is null or missing. Throws for a null element, because skipping it would lose data
 * silently.
 */
export function listOf<T>(list: Maybe<readonly Maybe<T>[]>): readonly T[] {
  if (list === null || list === undefined) return []
  if (!Array.isArray(list)) throw new TypeError('one of its lists is none')
  return list.map((element: Maybe<T>) => requirePresent(element, 'element in a list of it'))
}

/** Returns the elements of a required list. Throws if the list is null or missing. */
export function requiredList<T>(list: Maybe<readonly Maybe<T>[]>, member: string): readonly T[] {
  return listOf(requirePresent(list, member))
}

export function text(said: Maybe<string>, member: string): string {
  if (typeof said !== 'string' || said === '') throw new TypeError(`its ${member} is no text`)
  return said
}

/** Returns the value if it is a safe integer; throws otherwise. */
export function requireInteger(said: Maybe<number>, member: string): number {
  if (typeof said !== 'number' || !Number.isSafeInteger(said)) throw new TypeError(`its ${member} is no whole number`)
  return said
}

/** Converts seconds to milliseconds. Throws for a value that is not a safe integer. */
export function requireMilliseconds(seconds: Maybe<number>, member: string): number {
  return requireInteger(seconds, member) * 1000
}

/** Returns the id of a reference to an object. Stripe sends either the id or, if the reference was expanded, the whole object. */
export function idOf(reference: Maybe<string | { readonly id?: Maybe<string> }>, member = 'reference'): ProcessorId {
  const id = typeof reference === 'string' ? reference : reference?.id
  return text(id, `${member} id`) as ProcessorId
}

/** Returns the id of a reference; null if it is null, missing or an empty string. */
export function idIn(reference: Maybe<string | { readonly id?: Maybe<string> }>): ProcessorId | null {
  return reference === null || reference === undefined || reference === '' ? null : idOf(reference)
}

/** Returns the value if it is one of `words`, otherwise null, because Stripe may add values at any time. */
export function knownWord<const T extends string>(words: readonly T[], word: Maybe<string>): T | null {
  return words.find((candidate) => candidate === word) ?? null
}

/** Returns the value if it is one of `words`; throws otherwise. */
export function requireWord<const T extends string>(words: readonly T[], said: Maybe<string>, member: string): T {
  const found = knownWord(words, said)
  if (found === null) throw new TypeError(`its ${member} is ${String(said)}`)
  return found
}

/**
 * Returns a member that earlier API versions sent and that is not in the SDK's types any more; undefined if the object does not have it.
 */
export function formerMember(said: object, member: string): unknown {
  return Object.hasOwn(said, member) ? (said as Readonly<Record<string, unknown>>)[member] : undefined
}

/** Returns the id in a member of an earlier API version; null if the member is missing. */
export function formerId(said: object, member: string): ProcessorId | null {
  const reference = formerMember(said, member)
  return typeof reference === 'string' || isObject(reference) ? idIn(reference) : null
}

/** Returns a member of an earlier API version if it is an object; null otherwise. */
export function formerObject(said: object, member: string): object | null {
  const found = formerMember(said, member)
  return isObject(found) ? found : null
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

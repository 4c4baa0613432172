// How every reply is read. A member may be null or missing whatever the SDK's types promise: they say what the present version
// of the API sends, and its own documented examples show nulls where they have none. What cannot do without a member says so here,
// with a plain error that `understood` turns into `broken`.
import type { Stripe } from 'stripe'
import type { ProcessorId } from '../../../catalog/resource.ts'

/** A part of a reply as it may come: each member may be null or missing. */
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

/** A whole reply: which object it is was checked when it came. */
export type UntrustedReply<T> = Untrusted<T> & { readonly id: string; readonly object: string }

type Maybe<T> = T | null | undefined

/** What must be there. */
export function present<T>(said: Maybe<T>, member: string): T {
  if (said === null || said === undefined) throw new TypeError(`it has no ${member}`)
  return said
}

/** The elements of a list; none when there is no list. A hole in one is not passed over: what is lost with it is not known. */
export function listOf<T>(list: Maybe<readonly Maybe<T>[]>): readonly T[] {
  if (list === null || list === undefined) return []
  if (!Array.isArray(list)) throw new TypeError('one of its lists is none')
  return list.map((element: Maybe<T>) => present(element, 'element in a list of it'))
}

/** The elements of a list that every such object has. */
export function requiredList<T>(list: Maybe<readonly Maybe<T>[]>, member: string): readonly T[] {
  return listOf(present(list, member))
}

export function text(said: Maybe<string>, member: string): string {
  if (typeof said !== 'string' || said === '') throw new TypeError(`its ${member} is no text`)
  return said
}

/** A whole number that can be counted with. */
export function integer(said: Maybe<number>, member: string): number {
  if (typeof said !== 'number' || !Number.isSafeInteger(said)) throw new TypeError(`its ${member} is no whole number`)
  return said
}

/** Seconds as milliseconds. */
export function milliseconds(seconds: Maybe<number>, member: string): number {
  return integer(seconds, member) * 1000
}

/** The id of a reference that may come expanded. */
export function idOf(reference: Maybe<string | { readonly id?: Maybe<string> }>, member = 'reference'): ProcessorId {
  const id = typeof reference === 'string' ? reference : reference?.id
  return text(id, `${member} id`) as ProcessorId
}

/** The same, or null when it refers to nothing. */
export function idIn(reference: Maybe<string | { readonly id?: Maybe<string> }>): ProcessorId | null {
  return reference === null || reference === undefined || reference === '' ? null : idOf(reference)
}

/** Enumerations of replies are open; null for a word we do not know. */
export function known<const T extends string>(words: readonly T[], word: Maybe<string>): T | null {
  return words.find((candidate) => candidate === word) ?? null
}

/** One of these words. */
export function word<const T extends string>(words: readonly T[], said: Maybe<string>, member: string): T {
  const found = known(words, said)
  if (found === null) throw new TypeError(`its ${member} is ${String(said)}`)
  return found
}

/** A member that earlier versions of the API sent and the SDK's types no longer have. */
export function former(said: object, member: string): unknown {
  return Object.hasOwn(said, member) ? (said as Readonly<Record<string, unknown>>)[member] : undefined
}

/** The id that such a member refers to, or null. */
export function formerId(said: object, member: string): ProcessorId | null {
  const reference = former(said, member)
  return typeof reference === 'string' || isObject(reference) ? idIn(reference) : null
}

/** Such a member where it is an object, or null. */
export function formerObject(said: object, member: string): object | null {
  const found = former(said, member)
  return isObject(found) ? found : null
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

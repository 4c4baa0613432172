import { badRequest } from '../responses/errors.ts'
import { isNode, type FormValue } from './form.ts'
import type { Param } from './params.ts'

export type Metadata = Record<string, string>

/** A change of metadata. Null removes all keys. The value '' removes its key. */
export type MetadataChange = ReadonlyMap<string, string> | null

const limits = { keys: 50, key: 40, value: 500 }

export function metadata(): Param<MetadataChange, false> {
  return { required: false, read: readMetadata }
}

function readMetadata(value: FormValue, name: string): MetadataChange {
  if (value === '') return null
  if (!isNode(value)) throw badRequest('Invalid object', name)
  const change = new Map<string, string>()
  for (const [key, inner] of Object.entries(value)) {
    if (isNode(inner))
      throw badRequest(`Metadata values must be strings, but for key "${key}" you passed in a value of type hash`, name)
    if (key.length > limits.key) throw tooLong('key', key, limits.key, `${name}[${key}]`)
    if (inner.length > limits.value) throw tooLong('value', inner, limits.value, `${name}[${key}]`)
    if (/[[\]]/.test(key)) throw badRequest('Metadata keys cannot contain square brackets ([ or ])', name)
    change.set(key, inner)
  }
  return change
}

function tooLong(what: string, given: string, max: number, param: string): Error {
  const article = what === 'value' ? 'a value' : 'a key'
  const message = `Metadata ${what}s can have up to ${max} characters, but you passed in ${article} that is`
  return badRequest(`${message} ${given.length} characters. Invalid ${what}: ${given}`, param)
}

/** Parameters, each of which changes the member of the same name. */
type Changes<B, P> = {
  readonly [K in keyof P]: K extends 'metadata'
    ? MetadataChange | undefined
    : K extends keyof B
      ? B[K] | undefined
      : never
}

/** Returns the object with the given changes. A given value replaces its member, an absent one changes nothing, and metadata is merged. */
export function changed<B extends { metadata: Metadata }, P extends { readonly metadata: MetadataChange | undefined }>(
  before: B,
  params: P & Changes<B, P>,
): B {
  const given = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined))
  return { ...before, ...given, metadata: applyMetadata(before.metadata, params.metadata) }
}

/** Returns the metadata of a phase as stored. An empty value stays, because it removes its key when the phase begins. */
export function plannedMetadata(change: MetadataChange | undefined): Metadata {
  return Object.fromEntries(change ?? [])
}

/** Merges the metadata of a phase, which has begun, into that of its subscription or item. */
export function withPlannedMetadata(current: Metadata, planned: Metadata): Metadata {
  return Object.fromEntries(Object.entries({ ...current, ...planned }).filter(([, value]) => value !== ''))
}

/** Merges the change into the metadata and returns it. Throws if the result has more than 50 keys. */
export function applyMetadata(current: Metadata, change: MetadataChange | undefined): Metadata {
  if (change === undefined) return current
  if (change === null) return {}
  const merged = new Map(Object.entries(current))
  for (const [key, value] of change) {
    if (value === '') merged.delete(key)
    else merged.set(key, value)
  }
  if (merged.size > limits.keys) {
    throw badRequest(`Metadata can have up to ${limits.keys} keys, but it would have ${merged.size}.`, 'metadata')
  }
  return Object.fromEntries(merged)
}

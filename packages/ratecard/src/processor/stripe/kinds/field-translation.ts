// Types of the translation tables of the adapter. A table maps each catalog field to request parameters and reply members. A field has an
// `update` only if the catalog's field table marks it as changeable; the types enforce this.
import type { FieldName, FieldsOf, FieldsThat } from '../../../catalog/fields/tables.ts'
import type { ProcessorId, ResourceKind } from '../../../catalog/kinds.ts'
import type { CreateOf } from './kind.ts'

type Fields<K extends ResourceKind> = FieldsOf<K, ProcessorId>
/** Other values that a field's translation may need for a creation: the other fields, and the number of redemptions of replaced objects. */
type StepParts<K extends ResourceKind> = Pick<CreateOf<K>, 'fields' | 'carried'>

/** Request parameters of one field. Nested objects may be partial, because several fields can share one (e.g. `recurring`). */
type ParamsPart<Params> = {
  readonly [Key in keyof Params]?: Params[Key] extends infer Value ? Value | Partial<Value> : never
}

interface Translation<Live, Value, Step, Create> {
  /** Reads the canonical value of the field from a live object. */
  readonly read: (live: Live) => Value
  /** Returns the request parameters that set the field at creation. */
  readonly create: (value: Value, step: Step) => ParamsPart<Create>
}

interface ChangeableTranslation<Live, Value, Step, Create, Update> extends Translation<Live, Value, Step, Create> {
  readonly update: (value: Value) => ParamsPart<Update>
}

/**
 * Fields that have a translation. Two fields have none, because they are handled elsewhere: metadata is merged with Ratecard's own keys
 * (metadata.ts), and attachments use separate requests (attachments.ts).
 */
type TranslatedField<K extends ResourceKind> = Exclude<FieldName<K>, 'metadata' | FieldsThat<K, 'attached'>>

export type Translations<K extends ResourceKind, Live, Create, Update> = {
  readonly [Name in TranslatedField<K>]: Name extends FieldsThat<K, 'fixed'>
    ? Translation<Live, Fields<K>[Name & keyof Fields<K>], StepParts<K>, Create> & { readonly update?: never }
    : ChangeableTranslation<Live, Fields<K>[Name & keyof Fields<K>], StepParts<K>, Create, Update>
}

interface AnyTranslation {
  readonly read: (live: never) => unknown
  readonly create: (value: never, step: never) => object
  readonly update?: (value: never) => object
}

/** Returns the request parameters of a creation. A field that is absent from the step (e.g. in an older journal) is not sent. */
export function creationParams(
  translations: Readonly<Record<string, AnyTranslation>>,
  step: { readonly fields: object; readonly unsaid?: Readonly<Record<string, unknown>> },
): object {
  const given: Readonly<Record<string, unknown>> = { ...step.fields }
  return mergeDeep([
    ...Object.entries(translations).flatMap(([field, { create }]) =>
      given[field] === undefined ? [] : [create(given[field] as never, step as never)],
    ),
    ...Object.entries(step.unsaid ?? {}).map(([path, value]) => nestValue(path.split('.'), value)),
  ])
}

function nestValue([first = '', ...rest]: readonly string[], value: unknown): object {
  return { [first]: rest.length === 0 ? value : nestValue(rest, value) }
}

/** Returns the request parameters of an update that changes the fields in `set`. */
export function changeParams(translations: Readonly<Record<string, AnyTranslation>>, set: object): object {
  const given: Readonly<Record<string, unknown>> = { ...set }
  return mergeDeep(
    Object.entries(translations).flatMap(([field, { update }]) =>
      given[field] === undefined || update === undefined ? [] : [update(given[field] as never)],
    ),
  )
}

/** Returns the canonical fields of a live object, without metadata and attachments. */
export function readFields<K extends ResourceKind>(
  translations: Readonly<Record<string, AnyTranslation>>,
  live: object,
): Pick<Fields<K>, TranslatedField<K> & keyof Fields<K>> {
  const fields: Record<string, unknown> = {}
  for (const field in translations) fields[field] = translations[field]?.read(live as never)
  return fields as unknown as Pick<Fields<K>, TranslatedField<K> & keyof Fields<K>>
}

/** Returns the names of the fields that an update may contain. If an update contains another field, the plan has a bug. */
export function updatableFields(translations: Readonly<Record<string, AnyTranslation>>): readonly string[] {
  return [...Object.keys(translations).filter((field) => translations[field]?.update !== undefined), 'metadata']
}

/**
 * Merges partial parameters into one object. If several parts contain the same nested object (e.g. `recurring`), its members are joined.
 */
function mergeDeep(parts: readonly object[]): object {
  const whole: Record<string, unknown> = {}
  for (const part of parts)
    for (const [key, value] of Object.entries(part)) {
      const present = whole[key]
      whole[key] = isPlain(present) && isPlain(value) ? { ...present, ...value } : value
    }
  return whole
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

// Parts of the generators of random documents.
import fc from 'fast-check'

export const text = fc
  .string({ minLength: 1, maxLength: 30, unit: 'grapheme-ascii' })
  .map((value) => value.trim() || 'x')
export const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
export const metadata = fc.dictionary(fc.constantFrom('owner', 'team', 'plan'), text, { maxKeys: 3 })

/**
 * One generator for each member of an item: a missing one does not compile. `undefined` means that the member is absent. Earlier ids
 * (`previous_ids`) have their own properties.
 */
export type Members<T, Apart extends keyof T> = {
  readonly [Key in Exclude<keyof T, Apart | 'id' | 'processor_id' | 'previous_ids'>]-?: fc.Arbitrary<T[Key] | undefined>
}

export function compact<T extends object>(value: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}

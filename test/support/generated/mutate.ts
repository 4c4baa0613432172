// Random mutations of documents: values of other types; missing, repeated and unknown members; malicious names.
import fc from 'fast-check'

type Holder = unknown[] | Record<string, unknown>

/** Every location of a document that can be mutated. */
function places(value: unknown): { holder: Holder; key: string }[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as Holder
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...places(Reflect.get(holder, key))])
}

const junk = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(
      null,
      '',
      0,
      -1,
      1.5,
      1e300,
      NaN,
      true,
      [],
      {},
      [[]],
      [null],
      'inf',
      '${',
      'usd',
      'é\u0000\ud800',
      '__proto__',
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
)
const odd = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  'a/b~c%',
  '',
  'ratecard_x',
  'amout',
  'tiers',
  'é ',
  '\ud800',
)
/** One random mutation. Its location is chosen when it is applied. */
export const edit = fc.oneof(
  fc.record({ kind: fc.constant('replace' as const), at: fc.nat(), value: junk }),
  fc.record({ kind: fc.constant('remove' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('repeat' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('add' as const), at: fc.nat(), name: odd, value: junk }),
)

type Edit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never

/** A copy of the document with the mutations applied one after the other. */
export function mutate(document: unknown, edits: readonly Edit[]): unknown {
  const copy: unknown = structuredClone(document)
  for (const change of edits) {
    const all = places(copy)
    const place = all[change.at % Math.max(1, all.length)]
    if (place === undefined) break
    const { holder, key } = place
    if (change.kind === 'replace') define(holder, key, structuredClone(change.value))
    else if (change.kind === 'remove' && Array.isArray(holder)) holder.splice(Number(key), 1)
    else if (change.kind === 'remove') Reflect.deleteProperty(holder, key)
    else if (change.kind === 'repeat' && Array.isArray(holder)) holder.push(structuredClone(holder[Number(key)]))
    else if (change.kind === 'add' && !Array.isArray(holder)) define(holder, change.name, structuredClone(change.value))
  }
  return copy
}

// Defines the property as JSON.parse does, because assigning to __proto__ would change the prototype.
function define(holder: Holder, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true })
}

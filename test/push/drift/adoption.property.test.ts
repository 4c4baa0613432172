// The law of adoption: taking over an account writes marks and nothing else, for any account.
import type Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import { validateConfig } from '../../../packages/ratecard/src/document/validation/validate.ts'
import { accountOf, generateAccount } from '../../support/generated/generated-account.ts'
import { sharedSandbox } from '../../support/shared-sandbox.ts'
import { nobody } from '../../support/stack.ts'

const runs = process.env['PROPERTY_RUNS'] === undefined ? 4 : Number(process.env['PROPERTY_RUNS'])
const firstSeed = Number(process.env['PROPERTY_SEED'] ?? 7) % 1_000_000
const seeds = Array.from({ length: runs }, (_, place) => (place === 0 ? 7 : firstSeed + place))

const { withStack } = sharedSandbox()

/**
 * Returns the objects without what an adoption may write: the ownership mark, and the lookup key of a price that has none. `updated` is the
 * processor's own time of the last change.
 */
function withoutMarks(
  account: Readonly<Record<string, readonly object[]>>,
  keyless: ReadonlySet<string>,
): Readonly<Record<string, readonly object[]>> {
  const cleaned = (object: object) => {
    const { updated: _updated, ...rest } = object as Stripe.Product
    const metadata = Object.fromEntries(
      Object.entries((object as Partial<Stripe.Product>).metadata ?? {}).filter(([key]) => key !== 'ratecard_id'),
    )
    return {
      ...rest,
      ...('metadata' in object && { metadata }),
      ...(keyless.has(rest.id) && { lookup_key: null }),
    }
  }
  return Object.fromEntries(Object.entries(account).map(([kind, objects]) => [kind, objects.map(cleaned)]))
}

const withoutKey = ({ prices = [] }: Awaited<ReturnType<typeof accountOf>>) =>
  new Set((prices as Stripe.Price[]).filter(({ lookup_key: key }) => key === null).map(({ id }) => id))

describe('an account that is pulled and then pushed', () => {
  it.each(seeds)(
    'is unchanged, except for Ratecard’s metadata, and a second pull returns the same document (seed %i)',
    (seed) =>
      withStack(async ({ stripe, service }) => {
        await generateAccount(stripe, seed)
        const before = await accountOf(stripe)
        const { document } = await service.pull()
        expect(validateConfig(document).errors).toEqual([])
        const outcome = await service.push(document, nobody)
        expect(outcome.details.filter(({ action }) => action !== 'adopt')).toEqual([])
        const after = await accountOf(stripe)
        const keyless = withoutKey(before)
        expect(withoutMarks(after, keyless)).toEqual(withoutMarks(before, keyless))
        const again = await service.pull()
        expect(again.document).toEqual(document)
        expect((await service.push(again.document, nobody)).status).toBe('unchanged')
        expect((await service.drift()).differences).toEqual([])
        expect(await accountOf(stripe)).toEqual(after)
      }),
  )
})

// The mirror's feed with real parts: a store, the Stripe adapter, and a sandbox with a shop.
import type Stripe from 'stripe'
import { expect, onTestFinished } from 'vitest'
import { createFeeder } from '../../../packages/ratecard/src/customers/mirror/feed/feeder.ts'
import { createReadAllocation } from '../../../packages/ratecard/src/customers/mirror/feed/read-allocation.ts'
import { mirroredKinds } from '../../../packages/ratecard/src/processor/mirrored.ts'
import type { Mirrored, MirroredKind, MirroredPage } from '../../../packages/ratecard/src/processor/mirrored.ts'
import type { Processor } from '../../../packages/ratecard/src/processor/processor.ts'
import type { StripeProcessorOptions } from '../../../packages/ratecard/src/processor/stripe/stripe-processor.ts'
import type { FeedDeps } from '../../../packages/ratecard/src/customers/mirror/feed/deps.ts'
import { beginComparison, compareNext } from '../../../packages/ratecard/src/customers/mirror/feed/compare.ts'
import { ensureState, fill } from '../../../packages/ratecard/src/customers/mirror/feed/fill.ts'
import { pollEvents, type SeenEvents } from '../../../packages/ratecard/src/customers/mirror/feed/poll.ts'
import { refreshStale } from '../../../packages/ratecard/src/customers/mirror/feed/refresh.ts'
import { sumCustomers } from '../../../packages/ratecard/src/customers/mirror/sums/sum-customers.ts'
import { createSealer, generateMasterKey } from '../../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../../packages/ratecard/src/store/sql/open-store.ts'
import type { Store } from '../../../packages/ratecard/src/store/store.ts'
import { clientOf } from '../../support/sandbox.ts'
import { processorOf } from '../../processor/suite/bench.ts'
import { customerShop, type CustomerShop } from '../../sandbox/customers/customer-shop.ts'

export type Copy = Readonly<Record<MirroredKind, readonly Mirrored[MirroredKind][]>>

export interface MirrorWorld extends CustomerShop {
  readonly store: Store
  readonly processor: Processor
  readonly signal: AbortSignal
  readonly deps: FeedDeps
  /** Failures that the feed reported. */
  readonly reports: string[]
  /** A client of another account at the same sandbox. */
  clientOf(key: string): Stripe
  /** Fills the mirror for the first time. */
  fill(): Promise<void>
  /** Reads new events and everything that is stale. */
  settle(): Promise<void>
  /** Compares all objects with the processor. Returns the number of corrections. */
  compared(): Promise<number>
  /** All objects in the mirror. */
  mirrored(): Promise<Copy>
  /** All objects that the processor lists. */
  listed(): Promise<Copy>
  subscription(id: string): Promise<Mirrored['subscription'] | null>
}

export interface WorldOptions {
  readonly store?: Store
  readonly processor?: Partial<StripeProcessorOptions>
}

/** Creates a shop whose customer is on no test clock, and a mirror that is not filled yet. */
export async function mirrorWorld(options: WorldOptions = {}): Promise<MirrorWorld> {
  const shop = await customerShop()
  const store = options.store ?? (await memoryStore())
  const processor = processorOf(shop, options.processor)
  return { ...shop, ...feedOf({ store, processor, clock: shop.clock }), clientOf: (key) => clientOf(shop, key) }
}

async function memoryStore(): Promise<Store> {
  const store = await openStore({ url: null, file: ':memory:', sealer: createSealer(generateMasterKey()) })
  onTestFinished(() => store.close())
  return store
}

export function feedOf({ store, processor, clock }: Pick<FeedDeps, 'clock'> & { store: Store; processor: Processor }) {
  const signal = AbortSignal.timeout(100_000)
  const reports: string[] = []
  const seen: SeenEvents = new Set()
  const deps: FeedDeps = {
    store,
    processor,
    clock,
    account: () => processor.account(signal),
    report: (error, what) => reports.push(`${what}: ${String(error)}`),
  }
  return {
    store,
    processor,
    signal,
    deps,
    reports,
    fill: async () => {
      await ensureState(deps, signal)
      await fill(deps, signal)
    },
    settle: async () => {
      await pollEvents(deps, seen, signal)
      while ((await refreshStale(deps, signal)) > 0);
      await sumCustomers(store, signal)
    },
    compared: async () => {
      await beginComparison(deps)
      for (;;) {
        const place = (await store.mirror.state())?.comparing ?? null
        if (place === null) throw new Error('The comparison ended without a result.')
        const corrections = await compareNext(deps, place, seen, signal)
        if (corrections === null) continue
        while ((await refreshStale(deps, signal)) > 0);
        return corrections
      }
    },
    mirrored: () => copyOf((kind) => storedObjects(store, kind)),
    listed: () => copyOf((kind) => listedObjects(processor, kind, signal)),
    subscription: (id: string) => store.mirror.find('subscription', id),
  }
}

async function copyOf(read: (kind: MirroredKind) => Promise<Mirrored[MirroredKind][]>): Promise<Copy> {
  const entries = []
  for (const kind of mirroredKinds)
    entries.push([kind, (await read(kind)).sort((a, b) => (a.id < b.id ? -1 : 1))] as const)
  return Object.fromEntries(entries) as unknown as Copy
}

async function storedObjects(store: Store, kind: MirroredKind): Promise<Mirrored[MirroredKind][]> {
  const found: Mirrored[MirroredKind][] = []
  for (let after: string | null = null; ;) {
    const page: readonly Mirrored[MirroredKind][] = await store.mirror.page(kind, after, 100)
    found.push(...page.filter((object) => !('deleted' in object && object.deleted)))
    const last = page.at(-1)
    if (last === undefined) return found
    after = last.id
  }
}

async function listedObjects(processor: Processor, kind: MirroredKind, signal: AbortSignal) {
  const found: Mirrored[MirroredKind][] = []
  for (let after: string | null = null; ;) {
    const page: MirroredPage<MirroredKind> = await processor.mirrorPage(kind, after, signal)
    expect(page.unreadable).toEqual([])
    found.push(...page.objects)
    if (page.next === null) return found
    after = page.next
  }
}

/** Patience for a state that is reached by a running feeder. */
export const patience = { timeout: 30_000 }

export async function expectEqualToListing(world: Pick<MirrorWorld, 'mirrored' | 'listed'>): Promise<void> {
  expect(await world.mirrored()).toEqual(await world.listed())
}

/** Paths of all requests to the sandbox so far. */
export const paths = (world: MirrorWorld) => world.control.requests().map(({ path }) => path)

/** A feeder that polls all the time. */
export function eagerFeeder(
  world: Pick<MirrorWorld, 'deps' | 'store' | 'clock'>,
  options = { pollMs: 0, limited: false },
) {
  const { store, clock } = world
  const allocation = createReadAllocation({ store: store.mirror, clock, ...options })
  const feeder = createFeeder(world.deps, { allocation, keepDay: () => Promise.resolve(), lookMs: 5 })
  onTestFinished(() => feeder.stop())
  return feeder
}

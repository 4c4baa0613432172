// Kills a push at a given point, pushes again, and compares the resulting state.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type Stripe from 'stripe'
import { planChanges, planIsEmpty } from '../../../packages/ratecard/src/catalog/plan/plan-changes.ts'
import { ownershipOf } from '../../../packages/ratecard/src/catalog/observed.ts'
import { referTo } from '../../../packages/ratecard/src/catalog/fields/field.ts'
import { rowOf } from '../../../packages/ratecard/src/catalog/fields/tables.ts'
import { resourceKinds } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { ObservedResource, ProcessorId, ResourceKind } from '../../../packages/ratecard/src/catalog/resource.ts'
import { ServiceError } from '../../../packages/ratecard/src/base/errors/service-error.ts'
import { systemClock } from '../../../packages/ratecard/src/base/clock.ts'
import type { createService } from '../../../packages/ratecard/src/server/service/service.ts'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { canonicalJson } from '../../../packages/ratecard/src/document/schema/canonical/canonical.ts'
import type { createStripeProcessor } from '../../../packages/ratecard/src/processor/stripe/stripe-processor.ts'
import { startSandbox } from '../../../packages/sandbox/src/server.ts'
import { createSealer, generateMasterKey } from '../../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../../packages/ratecard/src/store/sql/open-store.ts'
import type { Store } from '../../../packages/ratecard/src/store/store.ts'
import type { Place, StoreFactory } from './kill-stores.ts'
import { adapterTo, serviceOver, stripeAt } from '../parts.ts'
import { makeProgram, type Program } from './program.ts'
import { nobody } from '../stack.ts'

const secretKey = 'sk_test_killedEverywhere0000'
/** Lease duration, long enough for a busy machine. The lease of a killed process is released at once anyway. */
const leaseMs = 60_000

/**
 * Kinds of a write in flight when its process is killed: still running at the processor (`late`), or not arrived there yet
 * (`late_arrival`).
 */
export const lateKinds = ['late', 'late_arrival'] as const
export type LateKind = (typeof lateKinds)[number]

export interface World {
  /** Every live managed object, with references as configuration ids and without processor ids. */
  readonly objects: readonly string[]
  readonly mappings: readonly string[]
  readonly versions: readonly string[]
  readonly planIsEmpty: boolean
  readonly secretsKnown: boolean
}

export async function createHarness(
  stores: StoreFactory,
  first: (stripe: Stripe) => Promise<BillingConfig>,
  second: (stripe: Stripe) => Promise<BillingConfig>,
) {
  const sandbox = await startSandbox({ port: 0, dataDir: null, clock: systemClock })
  const masterKey = generateMasterKey()
  const stripe = stripeAt(sandbox.port, secretKey)
  const program = await makeProgram('killable-push.ts')
  const folder = mkdtempSync(path.join(tmpdir(), 'ratecard-kill-doc-'))
  const documentFile = path.join(folder, 'second.json')
  const open = ({ url, file }: Place) => openStore({ url, file, sealer: createSealer(masterKey), leaseMs })
  const compose = (store: Store) => {
    const processor = adapterTo(sandbox.url, secretKey)
    return { processor, service: serviceOver({ store, processor }) }
  }

  const document = await first(stripe)
  const prepared = await open(stores.prepared)
  await compose(prepared).service.push(document, nobody)
  const next = await second(stripe)
  await prepared.close()
  writeFileSync(documentFile, JSON.stringify(next))
  sandbox.control.snapshot('prepared')

  const orderOf = (place: Place, killAt: number) => ({
    killAt,
    databaseUrl: place.url,
    file: place.file,
    masterKey,
    apiBase: sandbox.url,
    secretKey,
    leaseMs,
    documentFile,
  })

  /** Pushes with a kill at the given point (0: none), then pushes again. Returns the resulting state. */
  async function run(killAt: number): Promise<{
    readonly killed: boolean
    readonly points: number
    /** Number of writes that the push sent. */
    readonly writes: number
    readonly world: World
  }> {
    sandbox.control.restore('prepared')
    const place = await stores.fork(`kill-${String(killAt)}`)
    sandbox.control.clearRequests()
    const { killed, output } = await runProgram(program, orderOf(place, killAt))
    const writes = sandbox.control.requests({ limit: 10_000 }).filter(({ method }) => method !== 'GET').length
    const store = await open(place)
    try {
      const { service, processor } = compose(store)
      await service.push(next, nobody)
      const points = output === '' ? 0 : (JSON.parse(output) as { points: number }).points
      return { killed, points, writes, world: await worldOf(store, processor, service, next) }
    } finally {
      await store.close()
      await place.remove()
    }
  }

  /**
   * Kills a push during its n-th write, and pushes again. Returns the state after the second push, and after the write in flight was
   * carried out. `refusedWith` is the code of a second push that had to wait for that write.
   */
  async function runLate(write: number, kind: LateKind) {
    sandbox.control.restore('prepared')
    const place = await stores.fork(`late-${String(write)}`)
    const { killed } = await runProgram(program, orderOf(place, 0), (kill) => {
      sandbox.control.fail({ kind, skip: write - 1, onStrike: kill })
    })
    sandbox.control.clearFaults()
    const store = await open(place)
    try {
      const { service, processor } = compose(store)
      const failure: unknown = await service.push(next, nobody).then(
        () => null,
        (error: unknown) => error,
      )
      let landed = 0
      if (failure !== null) {
        landed = await sandbox.control.land()
        await service.push(next, nobody)
      }
      const applied = await worldOf(store, processor, service, next)
      landed += await sandbox.control.land()
      const later = await worldOf(store, processor, service, next)
      const refused = failure instanceof ServiceError ? failure : null
      if (failure !== null && refused === null)
        throw failure instanceof Error ? failure : new Error('a push failed with no error', { cause: failure })
      return { killed, landed, refusedWith: refused?.code, retryAfter: refused?.retryAfter, applied, later }
    } finally {
      await store.close()
      await place.remove()
    }
  }

  return {
    run,
    runLate,
    close: async () => {
      await sandbox.close()
      await stores.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** `before` receives the function that kills the program. */
function runProgram(
  program: Program,
  order: object,
  before: (kill: () => void) => void = () => undefined,
): Promise<{ readonly killed: boolean; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...program.args, JSON.stringify(order)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: program.env,
    })
    before(() => child.kill('SIGKILL'))
    let output = ''
    let errors = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve({ killed: true, output: '' })
      else if (code === 0) resolve({ killed: false, output })
      else reject(new Error(`The push ended with ${String(code)}: ${errors}`))
    })
  })
}

async function worldOf(
  store: Store,
  processor: ReturnType<typeof createStripeProcessor>,
  service: ReturnType<typeof createService>,
  config: BillingConfig,
): Promise<World> {
  const snapshot = await processor.snapshot({ signal: AbortSignal.timeout(30_000) })
  const mappings = await store.mappings.all()
  const own = ownershipOf(snapshot, mappings)
  const plan = planChanges({ config, previous: config, snapshot, mappings })
  const objects = resourceKinds.flatMap((kind) =>
    (snapshot[kind] as readonly ObservedResource[]).map((object) =>
      canonicalJson({
        kind,
        owner: own.ownerOf(kind, object.processorId),
        mapped: own.currentOf(kind, own.ownerOf(kind, object.processorId) ?? ('' as never)) === object.processorId,
        active: object.active,
        mark: object.mark,
        lookupKey: 'lookupKey' in object.fields ? object.fields.lookupKey : null,
        fields: readable(kind, object, (of, id) => own.ownerOf(of, id) ?? 'foreign'),
      }),
    ),
  )
  const { items } = await store.versions.list({ limit: 100, offset: 0 })
  return {
    objects: objects.sort(),
    mappings: mappings.map((entry) => `${entry.kind} ${entry.configId} ${String(entry.revision)}`).sort(),
    versions: items.map(({ revision, version, kind, checksum, changes }) =>
      canonicalJson({ revision, version, kind, checksum, changes }),
    ),
    planIsEmpty: planIsEmpty(plan) && plan.issues.every((issue) => issue.severity !== 'error'),
    secretsKnown: (await service.listWebhooks({ secrets: true })).every((webhook) => webhook.secretKnown),
  }
}

function readable(
  kind: ResourceKind,
  object: ObservedResource,
  name: (kind: ResourceKind, id: ProcessorId) => string,
): object {
  return Object.fromEntries(
    Object.entries(object.fields).map(([field, value]: [string, unknown]) => {
      const row = rowOf(kind, field)
      return [field, row === undefined ? value : referTo(row, value, (of, id) => name(of, id as ProcessorId))]
    }),
  )
}

// Stores for tests: databases of every kind, and helpers that bring a store into a state.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import path from 'node:path'
import { beforeAll, onTestFinished } from 'vitest'
import { configId, processorId, type ResourceKind } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { ProblemCode } from '../../../packages/ratecard/src/base/errors/codes.ts'
import { ServiceError } from '../../../packages/ratecard/src/base/errors/service-error.ts'
import { createSealer, generateMasterKey } from '../../../packages/ratecard/src/store/seal.ts'
import type { KyselyStore } from '../../../packages/ratecard/src/store/sql/kysely-store.ts'
import { openStore, type OpenStoreOptions } from '../../../packages/ratecard/src/store/sql/open-store.ts'
import type { Store } from '../../../packages/ratecard/src/store/store.ts'
import { makeProgram, type Program } from '../kills/program.ts'
import { temporaryFolder } from '../folder.ts'
import type { LeaseToken } from '../../../packages/ratecard/src/store/lease-token.ts'
import type {
  MappingChange,
  NewVersion,
  VersionRecord,
} from '../../../packages/ratecard/src/store/records/configuration.ts'
import type { NewPush } from '../../../packages/ratecard/src/store/records/journal.ts'

/** One empty database. Every `open` is a separate store on it, like another process. */
export interface StorePlace {
  readonly url: string | null
  readonly file: string
  /** The master key of its stores. */
  readonly keys: string
  open(options?: Partial<OpenStoreOptions>): Promise<KyselyStore>
}

/** Creates a new database for the running test. Its stores are closed when the test ends. */
export type MakePlace = () => Promise<StorePlace>

export function storePlace(where: { readonly url: string | null; readonly file: string }): StorePlace {
  const keys = generateMasterKey()
  return {
    ...where,
    keys,
    async open(options = {}) {
      const store = await openStore({ ...where, sealer: createSealer(keys), ...options })
      onTestFinished(() => store.close())
      return store
    },
  }
}

export const inMemory: MakePlace = () => Promise.resolve(storePlace({ url: null, file: ':memory:' }))

export const inFile: MakePlace = () =>
  Promise.resolve(storePlace({ url: null, file: path.join(temporaryFolder(), 'data', 'ratecard.db') }))

let counter = 0

export function newPush(change: Partial<NewPush> = {}): NewPush {
  counter += 1
  return {
    id: `push_${String(counter).padStart(6, '0')}`,
    kind: 'push',
    document: '{"version":"1.0.0"}',
    version: '1.0.0',
    author: 'ada',
    message: 'first prices',
    keyId: 'key_1',
    keyName: 'ci',
    plan: '{"changes":[]}',
    baseRevision: null,
    steps: ['{"op":"create"}'],
    createdAt: 1_000 + counter,
    ...change,
  }
}

export function newVersion(push: NewPush, change: Partial<NewVersion> = {}): NewVersion {
  return {
    version: push.version,
    kind: push.kind,
    document: push.document,
    checksum: push.document === null ? '' : 'c'.repeat(64),
    author: push.author,
    message: push.message,
    keyId: push.keyId,
    keyName: push.keyName,
    changes: '{"products":{}}',
    createdAt: push.createdAt + 5,
    pushId: push.id,
    ...change,
  }
}

export function mapping(kind: ResourceKind, id: string, processor: string): MappingChange {
  return { kind, configId: configId(id), processorId: processorId(processor) }
}

/** Runs every step of the push and closes it, under a lease of the caller. */
export async function applyPush(
  store: Store,
  push: NewPush,
  mappings: readonly MappingChange[],
  token: LeaseToken,
): Promise<VersionRecord> {
  await store.pushes.open(push, token)
  for (const index of push.steps.keys()) {
    await store.pushes.begin(push.id, index, '{}', token)
    await store.pushes.succeed(push.id, index, { processorId: `obj_${String(index)}`, requestId: null }, token)
  }
  return store.pushes.close(push.id, newVersion(push), mappings, token)
}

/** Takes the lease and applies a push. */
export async function publish(store: Store, change: Partial<NewPush> = {}, mappings: readonly MappingChange[] = []) {
  return store.exclusively('push', ({ token }) => applyPush(store, newPush(change), mappings, token))
}

export type PushWork = (store: KyselyStore, push: NewPush, token: LeaseToken) => Promise<void>

/** Runs the rest of a test with an open push, under its lease. */
export async function underPush(store: KyselyStore, change: Partial<NewPush>, work: PushWork): Promise<void> {
  const push = newPush(change)
  await store.exclusively('push', async ({ token }) => {
    await store.pushes.open(push, token)
    await work(store, push, token)
  })
}

/** Error code of a refused call. A call that succeeds fails the test. */
export async function refusalOf(work: Promise<unknown>): Promise<ProblemCode> {
  return (await refusedBy(work)).code
}

export async function refusedBy(work: Promise<unknown>): Promise<ServiceError> {
  try {
    await work
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
  throw new Error('It was not refused.')
}

export interface StoreProcess {
  readonly pid: number
  /** Next line of output. Fails if the process ended without one. */
  line(): Promise<string>
  say(text: string): void
  kill(signal: NodeJS.Signals): void
  /** Resolves with the exit code; null after a signal. */
  readonly ended: Promise<number | null>
}

/**
 * Returns a function that starts another process with a store on the same database, for the tests of a `describe`. Its tasks are in
 * `test/store/suite/process.ts`.
 */
export function storeProcesses(): (place: StorePlace, task: string, options?: { leaseMs?: number }) => StoreProcess {
  let program: Program
  beforeAll(async () => {
    program = await makeProgram('../../store/suite/process.ts')
  })
  return (place, task, options = {}) => startStoreProcess(program, place, task, options.leaseMs ?? 15_000)
}

function startStoreProcess(program: Program, place: StorePlace, task: string, leaseMs: number): StoreProcess {
  const { url, file, keys } = place
  const argument = JSON.stringify({ task, url, file, keys, leaseMs })
  const child = spawn(process.execPath, [...program.args, argument], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: program.env,
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return {
    pid: child.pid ?? 0,
    async line() {
      const next = await lines.next()
      if (next.done === true) throw new Error(`The process for "${task}" ended without a word.`)
      return next.value
    },
    say: (text) => void child.stdin.write(`${text}\n`),
    kill: (signal) => void child.kill(signal),
    ended,
  }
}

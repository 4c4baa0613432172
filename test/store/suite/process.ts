// A separate process with a store, for tests with real crashes and concurrency. Started by `storeProcesses`.
import { createInterface } from 'node:readline'
import { ServiceError } from '../../../packages/ratecard/src/base/errors/service-error.ts'
import { createSealer } from '../../../packages/ratecard/src/store/seal.ts'
import type { KyselyStore } from '../../../packages/ratecard/src/store/sql/kysely-store.ts'
import { openStore } from '../../../packages/ratecard/src/store/sql/open-store.ts'

interface Order {
  readonly task: string
  readonly url: string | null
  readonly file: string
  readonly keys: string
  readonly leaseMs: number
}

const order = JSON.parse(process.argv[2] ?? '{}') as Order
const say = (text: string) => void process.stdout.write(`${text}\n`)
const forever = () => new Promise<never>(() => setInterval(() => undefined, 60_000))
const codeOf = (error: unknown) => {
  if (error instanceof ServiceError) return error.code
  throw error
}

const tasks: Readonly<Record<string, (store: KyselyStore) => Promise<void>>> = {
  /** Opens the store, which migrates its schema. */
  migrate: async () => say('migrated'),

  /** Takes the lease and keeps it until it is killed. */
  hold: (store) =>
    store.exclusively('push', async ({ token }) => {
      say(String(token.fence))
      return forever()
    }),

  /** Opens a push, waits for a line on stdin, and then tries to continue the push. */
  pause: (store) =>
    store.exclusively('push', async ({ token, signal }) => {
      const id = 'push_paused'
      const input = createInterface({ input: process.stdin })
      const told = new Promise((resolve) => input.once('line', resolve))
      await store.pushes.open(
        {
          id,
          kind: 'push',
          document: '{}',
          version: '1.0.0',
          author: null,
          message: null,
          keyId: null,
          keyName: null,
          plan: '{}',
          baseRevision: null,
          steps: ['{}'],
          createdAt: 1,
        },
        token,
      )
      say('ready')
      await told
      input.close()
      say(await store.pushes.begin(id, 0, '{}', token).then(() => 'written', codeOf))
      say(signal.aborted ? 'aborted' : 'not aborted')
    }),

  /** Increments a fact ten times by reading and writing it under the lease. */
  count: async (store) => {
    for (let done = 0; done < 10;) {
      const outcome = await store
        .exclusively('counter', async () => {
          const value = Number((await store.facts.get('counter')) ?? '0')
          await store.facts.set('counter', String(value + 1))
          return 'counted'
        })
        .catch(codeOf)
      if (outcome === 'counted') done += 1
    }
    say('done')
  },

  /** Opens a job and begins its step, waits for a line on stdin, and then tries to record the result of the step. */
  pauseJob: (store) =>
    store.exclusively('tenant:acme', async ({ token }) => {
      const id = 'job_paused'
      const input = createInterface({ input: process.stdin })
      const told = new Promise((resolve) => input.once('line', resolve))
      await store.jobs.open(
        {
          id,
          kind: 'enterprise_apply',
          subject: 'acme',
          input: '{}',
          author: null,
          message: null,
          keyId: null,
          keyName: null,
          requestId: null,
          createdAt: 1,
          steps: ['{}'],
        },
        token,
      )
      await store.jobs.begin(id, 0, token)
      say('ready')
      await told
      input.close()
      const outcome = { state: 'succeeded', result: null, error: null } as const
      say(await store.jobs.settle(id, 0, outcome, token).then(() => 'written', codeOf))
    }),

  /** Starts the same free subscription repeatedly. */
  subscribe: async (store) => {
    const ids = new Set<string>()
    for (let turn = 0; turn < 20; turn++) {
      const id = `local_${String(process.pid)}_${String(turn)}`
      const record = { id, tenantId: 'acme', priceId: 'free', createdAt: turn, endedAt: null }
      ids.add((await store.localSubscriptions.start(record)).id)
    }
    say([...ids].join())
  },

  /** Stops in the middle of the transaction that closes a push: the version is written, the other rows are not. */
  halfway: (store) =>
    store.database.write(async (db) => {
      await db
        .insertInto('versions')
        .values({
          revision: 2,
          version: '2.0.0',
          kind: 'push',
          document: '{}',
          checksum: '',
          author: null,
          message: null,
          keyId: null,
          keyName: null,
          changes: '{}',
          createdAt: 1,
          pushId: null,
          hash: 'half',
          previousHash: 'half',
        })
        .execute()
      await db.updateTable('published').set({ revision: 2 }).execute()
      say('halfway')
      return forever()
    }),
}

const task = tasks[order.task]
if (task === undefined) throw new Error(`There is no task "${order.task}".`)
const { url, file, leaseMs } = order
const store = await openStore({ url, file, leaseMs, sealer: createSealer(order.keys) })
await task(store)
await store.close()

// The service in a process that ends itself (SIGKILL) at the n-th point: before and after every journal write, and before every
// processor call. Composed of the real parts.
import type { createService } from '../../../packages/ratecard/src/server/service/service.ts'
import { createSealer } from '../../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../../packages/ratecard/src/store/sql/open-store.ts'
import type { Store } from '../../../packages/ratecard/src/store/store.ts'
import { killPoints } from './kill-points.ts'
import { adapterTo, serviceOver } from '../parts.ts'

export interface Order {
  readonly killAt: number
  readonly url: string | null
  readonly file: string
  readonly masterKey: string
  readonly apiBase: string
  readonly secretKey: string
}

type Part = 'jobs' | 'tenants' | 'localSubscriptions' | 'usage' | 'facts'

/** Runs `work` with a service over the ordered store. `points` lists the store methods that count as points. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- what is in the order beside, read from JSON
export async function runKillable<More extends object = object>(
  points: { readonly [Name in Part]?: readonly (keyof Store[Name] & string)[] },
  work: (service: ReturnType<typeof createService>, order: Order & More) => Promise<unknown>,
): Promise<void> {
  const order = JSON.parse(process.argv[2] ?? '{}') as Order & More
  const { counted, pass, passed } = killPoints(order.killAt)
  const store = await openStore({ url: order.url, file: order.file, sealer: createSealer(order.masterKey) })
  const parts = new Map<string | symbol, unknown>([
    ['jobs', counted(store.jobs, points.jobs ?? [])],
    ['tenants', counted(store.tenants, points.tenants ?? [])],
    ['facts', counted(store.facts, points.facts ?? [])],
    ['usage', counted(store.usage, points.usage ?? [])],
    ['localSubscriptions', counted(store.localSubscriptions, points.localSubscriptions ?? [])],
  ])
  const watched = new Proxy(store, {
    get(object, name) {
      const value: unknown = parts.get(name) ?? Reflect.get(object, name)
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(object) : value
    },
  })
  const budget = {
    take: () => {
      pass()
      return Promise.resolve()
    },
  }
  const { secretKey, apiBase } = order
  const service = serviceOver({ store: watched, processor: adapterTo(apiBase, secretKey, { budget }) })
  await work(service, order)
  process.stdout.write(JSON.stringify({ points: passed() }))
  await service.close()
  await store.close()
}

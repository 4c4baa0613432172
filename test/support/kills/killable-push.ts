// A process that pushes one document and ends itself (SIGKILL) at the n-th point: before and after every journal write and every
// processor call. Composed of the real parts; only the counter is added.
import { readFileSync } from 'node:fs'
import { createSealer } from '../../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../../packages/ratecard/src/store/sql/open-store.ts'
import { killPoints } from './kill-points.ts'
import { adapterTo, serviceOver } from '../parts.ts'

interface Order {
  readonly killAt: number
  readonly databaseUrl: string | null
  readonly file: string
  readonly masterKey: string
  readonly apiBase: string
  readonly secretKey: string
  readonly leaseMs: number
  readonly documentFile: string
}

const order = JSON.parse(process.argv[2] ?? '{}') as Order
const { counted, passed } = killPoints(order.killAt)

const store = await openStore({
  url: order.databaseUrl,
  file: order.file,
  sealer: createSealer(order.masterKey),
  leaseMs: order.leaseMs,
})
const pushes = counted(store.pushes, ['open', 'begin', 'succeed', 'settle', 'end', 'close'])
const watched = new Proxy(store, { get: (object, name) => (name === 'pushes' ? pushes : bound(object, name)) })
const processor = counted(adapterTo(order.apiBase, order.secretKey), ['perform', 'locate', 'discardWebhook'])

function bound(object: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(object, name)
  return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(object) : value
}

const service = serviceOver({ store: watched, processor })
const outcome = await service.push(JSON.parse(readFileSync(order.documentFile, 'utf8')), {
  author: null,
  by: null,
  message: null,
})
process.stdout.write(JSON.stringify({ points: passed(), status: outcome.status }))
await service.close()
await store.close()

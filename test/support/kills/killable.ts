// A process that does one act and ends itself (SIGKILL) at the n-th point: before and after every journal write, and before every processor
// call. Composed of the real parts. A kind of act is a row: which methods of the store are points, and how the act is asked for.
import type { NewCancellation, NewChange } from '../../../packages/ratecard/src/api/customers/subscription-changes.ts'
import type { Service } from '../../../packages/ratecard/src/server/service/service.ts'
import { createSealer } from '../../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../../packages/ratecard/src/store/sql/open-store.ts'
import type { Store } from '../../../packages/ratecard/src/store/store.ts'
import { killPoints } from './kill-points.ts'
import { adapterTo, serviceOver } from '../parts.ts'

interface Order {
  readonly act: KilledAct
  readonly killAt: number
  readonly url: string | null
  readonly file: string
  readonly masterKey: string
  readonly apiBase: string
  readonly secretKey: string
  /** What a test tells its act beside. */
  readonly change?: NewChange
  readonly cancellation?: NewCancellation
  readonly overlapMs?: number
  readonly job?: string
}

type Part = 'jobs' | 'tenants' | 'localSubscriptions' | 'usage' | 'facts'

interface Killable {
  readonly points: { readonly [Name in Part]?: readonly (keyof Store[Name] & string)[] }
  readonly run: (service: Service, order: Order) => Promise<unknown>
}

const caller = { author: null, by: null, message: null, requestId: null }
const keyed = (idempotencyKey: string) => ({ ...caller, idempotencyKey })
const principal = { kind: 'key', keyId: 'key', tenantId: 't' } as const
const seller = { ...principal, keyId: 'key_1' }
const oneWrite = ['open', 'begin', 'settle', 'end'] as const
const manyWrites = ['open', 'begin', 'sending', 'settle', 'end', 'wait'] as const

const acts = {
  apply: {
    points: { jobs: oneWrite, tenants: ['setEnterprise'] },
    run: (service) =>
      service.applyEnterprise('t', { kind: 'template', template: 'gold' }, { ...caller, dryRun: false }),
  },
  dealEnd: {
    points: { jobs: oneWrite, tenants: ['setEnterprise'] },
    run: (service) => service.waitingJobs.continueDue(),
  },
  change: {
    points: {
      jobs: ['open', 'begin', 'settle', 'wait', 'end'],
      tenants: ['note'],
      localSubscriptions: ['plan', 'unplan', 'end'],
      facts: ['set'],
    },
    run: async (service, { change, cancellation }) => {
      if (change !== undefined) await service.changeSubscription(change, principal, keyed('once'))
      if (cancellation !== undefined) await service.cancelOwnSubscription(cancellation, principal, keyed('once'))
    },
  },
  discount: {
    points: { jobs: oneWrite, tenants: ['note'] },
    run: (service) => service.addDiscount('t', { couponId: 'loyal' }, keyed('give')),
  },
  creditByHand: {
    points: { jobs: oneWrite, tenants: ['note'] },
    run: (service) => service.addCredit('t', { amount: 500, currency: 'usd', reason: 'Sorry' }, keyed('give')),
  },
  owedCredits: {
    points: { jobs: oneWrite, tenants: ['note'] },
    run: (service) => service.waitingJobs.continueDue(),
  },
  migration: {
    points: { jobs: manyWrites },
    run: async (service) => {
      const { id } = await service.startMigration({ priceId: 'pro_monthly', to: 'renewal' }, caller)
      while ((await service.findJob(id)).state === 'running') await new Promise((resolve) => setImmediate(resolve))
    },
  },
  takeBack: {
    points: { jobs: manyWrites },
    run: (service, { job = '' }) => service.cancelJob(job, true, caller),
  },
  rotation: {
    points: { jobs: ['open', 'begin', 'settle', 'rotated', 'resume', 'wait', 'end'] },
    run: (service, { overlapMs = 0 }) => service.rotateWebhook('hook', { ...caller, overlapMs }),
  },
  checkout: {
    points: { tenants: ['bindCustomer'] },
    run: (service) => {
      const items = [{ priceId: 'pro_monthly', quantity: 3 }, { priceId: 'setup' }]
      const pages = { successUrl: 'http://127.0.0.1:9/done', cancelUrl: 'http://127.0.0.1:9/back' }
      return service.createCheckout({ items, ...pages }, seller, 'order-1')
    },
  },
  usage: {
    points: { usage: ['hold', 'sent', 'release'] },
    run: (service) =>
      service.recordUsage(
        { meter: 'calls', value: 5, identifier: 'one', enforce: true },
        { ...seller, tenantId: 'acme' },
      ),
  },
} as const satisfies Readonly<Record<string, Killable>>

export type KilledAct = keyof typeof acts

const order = JSON.parse(process.argv[2] ?? '{}') as Order
const { points, run }: Killable = acts[order.act]
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
await run(service, order)
process.stdout.write(JSON.stringify({ points: passed() }))
await service.close()
await store.close()

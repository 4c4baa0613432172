import { expect, test } from 'vitest'
import { ServiceError } from '../../packages/ratecard/src/base/errors/service-error.ts'
import { withNamedLease } from '../../packages/ratecard/src/acts/lease.ts'
import { inMemory, refusalOf } from '../support/stores/store.ts'

const running = new AbortController().signal

async function heldStore() {
  const store = await (await inMemory()).open()
  let release = (): void => undefined
  const holding = store.exclusively('tenant:t', () => new Promise<void>((resolve) => (release = resolve)))
  while (!(await store.held('tenant:t'))) await new Promise((resolve) => setImmediate(resolve))
  return {
    store,
    release: async () => {
      release()
      await holding
    },
  }
}

test('a second request for a tenant waits until the first one has ended', async () => {
  const { store, release } = await heldStore()
  const second = withNamedLease({ store, shutdown: running }, 'tenant:t', () => Promise.resolve('done'))
  await release()
  expect(await second).toBe('done')
})

test('a request for a busy tenant is refused with tenant_busy after a timeout, and changes nothing', async () => {
  const { store, release } = await heldStore()
  let begun = false
  const work = () => Promise.resolve((begun = true))
  expect(await refusalOf(withNamedLease({ store, shutdown: running }, 'tenant:t', work, 0))).toBe('tenant_busy')
  expect(begun).toBe(false)
  await release()
})

test('a request that waits for a busy tenant is refused with shutting_down when the process shuts down', async () => {
  const { store, release } = await heldStore()
  const draining = new AbortController()
  const second = refusalOf(withNamedLease({ store, shutdown: draining.signal }, 'tenant:t', () => Promise.resolve()))
  draining.abort()
  expect(await second).toBe('shutting_down')
  await release()
})

test('an error of the work for a tenant is not reported as tenant_busy, and the work is not retried', async () => {
  const store = await (await inMemory()).open()
  let begun = 0
  const work = () => {
    begun++
    return Promise.reject(new ServiceError('processor_rejected', 'no'))
  }
  expect(await refusalOf(withNamedLease({ store, shutdown: running }, 'tenant:t', work))).toBe('processor_rejected')
  expect(begun).toBe(1)
})

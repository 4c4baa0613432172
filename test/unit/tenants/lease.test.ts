import { expect, test } from 'vitest'
import { ServiceError } from '../../../packages/ratecard/src/errors/service-error.ts'
import { withNamedLease } from '../../../packages/ratecard/src/tenants/lease.ts'
import { inMemory, refusalOf } from '../../support/store.ts'

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

test('who comes while another is at work waits for the turn', async () => {
  const { store, release } = await heldStore()
  const second = withNamedLease({ store, shutdown: running }, 'tenant:t', () => Promise.resolve('done'))
  await release()
  expect(await second).toBe('done')
})

test('after its patience a call is refused with tenant_busy and its work was never begun', async () => {
  const { store, release } = await heldStore()
  let begun = false
  const work = () => Promise.resolve((begun = true))
  expect(await refusalOf(withNamedLease({ store, shutdown: running }, 'tenant:t', work, 0))).toBe('tenant_busy')
  expect(begun).toBe(false)
  await release()
})

test('a call that waits is sent away when the process drains', async () => {
  const { store, release } = await heldStore()
  const draining = new AbortController()
  const second = refusalOf(withNamedLease({ store, shutdown: draining.signal }, 'tenant:t', () => Promise.resolve()))
  draining.abort()
  expect(await second).toBe('shutting_down')
  await release()
})

test('a failure of the work itself is not taken for a busy tenant, and is not tried again', async () => {
  const store = await (await inMemory()).open()
  let begun = 0
  const work = () => {
    begun++
    return Promise.reject(new ServiceError('processor_rejected', 'no'))
  }
  expect(await refusalOf(withNamedLease({ store, shutdown: running }, 'tenant:t', work))).toBe('processor_rejected')
  expect(begun).toBe(1)
})

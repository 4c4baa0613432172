import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Pulse } from '../../packages/dashboard/src/frame/pulse.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => vi.useRealTimers())

/** A page that listens for changes, and the service that it polls. If the tag is null, the service does not respond. */
function openPage() {
  const service: { tag: string | null } = { tag: 'first' }
  const pulse = new Pulse({
    firstTag: 'first',
    readTag: () => (service.tag === null ? Promise.reject(new Error('no answer')) : Promise.resolve(service.tag)),
    page: { visibilityState: 'visible', addEventListener: () => undefined },
  })
  const reloads = vi.fn()
  pulse.onChange(reloads)
  return { service, pulse, reloads }
}

describe('an open page of the dashboard', () => {
  it('reloads its data when the change tag of the service differs, and not earlier', async () => {
    const { service, reloads } = openPage()
    await vi.advanceTimersByTimeAsync(3000)
    expect(reloads).not.toHaveBeenCalled()
    service.tag = 'second'
    await vi.advanceTimersByTimeAsync(3000)
    expect(reloads).toHaveBeenCalledOnce()
  })

  it('reloads its data after a lost connection, because the page may have missed a change', async () => {
    const { service, pulse, reloads } = openPage()
    service.tag = null
    await vi.advanceTimersByTimeAsync(1000)
    expect([pulse.isConnected, reloads.mock.calls.length]).toEqual([false, 0])
    service.tag = 'first'
    await vi.advanceTimersByTimeAsync(3000)
    expect([pulse.isConnected, reloads.mock.calls.length]).toEqual([true, 1])
  })
})

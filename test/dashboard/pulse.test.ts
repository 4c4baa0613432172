import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Pulse } from '../../packages/dashboard/src/frame/pulse.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => vi.useRealTimers())

/** A page that listens for changes, and the service that it polls. If `fails` is set, a poll fails with it. */
function openPage() {
  const service: { tag: string; fails?: string; processorSilentSince: string | null } = {
    tag: 'first',
    processorSilentSince: null,
  }
  const pulse = new Pulse({
    firstTag: 'first',
    read: () => (service.fails === undefined ? Promise.resolve(service) : Promise.reject(new Error(service.fails))),
    isStoreDown: (error) => error instanceof Error && error.message === 'store',
    now: () => 1_000,
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

  it('reloads its data after an outage, because the page may have missed a change', async () => {
    const { service, pulse, reloads } = openPage()
    service.fails = 'no answer'
    await vi.advanceTimersByTimeAsync(1000)
    expect([pulse.outage, pulse.isConnected, reloads.mock.calls.length]).toEqual([
      { part: 'service', since: 1_000 },
      false,
      0,
    ])
    delete service.fails
    await vi.advanceTimersByTimeAsync(3000)
    expect([pulse.outage, pulse.isConnected, reloads.mock.calls.length]).toEqual([null, true, 1])
  })

  it('knows whether the store or the processor does not answer, and is connected while only the processor does not', async () => {
    const { service, pulse, reloads } = openPage()
    service.fails = 'store'
    await vi.advanceTimersByTimeAsync(1000)
    expect([pulse.outage, pulse.isConnected]).toEqual([{ part: 'store', since: 1_000 }, false])
    delete service.fails
    service.processorSilentSince = '2026-11-29T00:05:00Z'
    await vi.advanceTimersByTimeAsync(3000)
    expect([pulse.outage, pulse.isConnected]).toEqual([
      { part: 'processor', since: Date.parse('2026-11-29T00:05:00Z') },
      true,
    ])
    service.processorSilentSince = null
    await vi.advanceTimersByTimeAsync(1000)
    expect([pulse.outage, reloads.mock.calls.length]).toEqual([null, 1])
  })
})

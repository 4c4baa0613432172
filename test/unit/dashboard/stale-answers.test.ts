// What the document of a page brought along is shown only while it is true.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { answerFrom, EmbeddedData } from '../../../packages/dashboard/src/embedded-data.ts'
import { Pulse } from '../../../packages/dashboard/src/pulse.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => vi.useRealTimers())

/** A page whose document has a price list, and the service that it asks for the tag; null: nobody answers. */
function openPage() {
  const service: { tag: string | null } = { tag: 'first' }
  const brought = new EmbeddedData()
  brought.keep('prices', 'old amounts')
  const pulse = new Pulse({
    firstTag: 'first',
    readTag: () => (service.tag === null ? Promise.reject(new Error('no answer')) : Promise.resolve(service.tag)),
    invalidate: () => brought.clear(),
    page: { visibilityState: 'visible', addEventListener: () => undefined },
  })
  const seenByListener: unknown[] = []
  pulse.onChange(() => seenByListener.push(brought.begin('prices').answer))
  return { service, brought, pulse, seenByListener }
}

describe('a page that mounts late', () => {
  it('shows no old amounts when the price list changed before it was there', async () => {
    const { service, brought, seenByListener } = openPage()
    await vi.advanceTimersByTimeAsync(3000)
    expect(brought.begin('prices').answer).toEqual({ value: 'old amounts' })
    service.tag = 'second'
    await vi.advanceTimersByTimeAsync(1000)
    expect(seenByListener).toEqual([null])
    const late = brought.begin('prices')
    expect([late.answer, late.isFresh('prices')]).toEqual([null, false])
  })

  it('shows no old amounts when the connection was lost meanwhile', async () => {
    const { service, brought, pulse, seenByListener } = openPage()
    service.tag = null
    await vi.advanceTimersByTimeAsync(1000)
    expect(pulse.isConnected).toBe(false)
    service.tag = 'first'
    await vi.advanceTimersByTimeAsync(3000)
    expect([pulse.isConnected, seenByListener]).toEqual([true, [null]])
    expect(brought.begin('prices').answer).toBeNull()
  })

  it('sends a request if the price list changed between its first paint and its subscription to changes', async () => {
    const { service, brought } = openPage()
    const drawn = brought.begin('prices')
    service.tag = 'second'
    await vi.advanceTimersByTimeAsync(1000)
    expect(drawn.isFresh('prices')).toBe(false)
  })
})

describe('a page that goes to another question', () => {
  it('does not load for ever where the document had the answer to that one', () => {
    const { brought } = openPage()
    const other = brought.begin('all prices')
    expect([other.isFresh('all prices'), other.isFresh('prices')]).toEqual([false, false])
    expect(brought.begin('prices').isFresh('all prices')).toBe(false)
    const own = brought.begin('prices')
    // Shown once: whoever comes back to it asks.
    expect([own.isFresh('prices'), own.isFresh('prices'), brought.begin('prices').answer]).toEqual([true, false, null])
  })
})

describe('an answer of the document', () => {
  const answers = { '/api/v1/billing/config': { version: '7' } }

  it('is what the client makes of it, and null where the document does not have it', async () => {
    expect(await answerFrom(answers, '/dashboard', (from) => from.billing.config())).toMatchObject({
      value: { version: '7' },
    })
    expect(await answerFrom(answers, '/dashboard', (from) => from.admin.ownKey())).toBeNull()
  })

  it('that cannot be read is not taken for one that is not there', async () => {
    const load = async () => Promise.reject(new Error('not to be hidden'))
    await expect(answerFrom(answers, '/dashboard', load)).rejects.toThrow('not to be hidden')
  })
})

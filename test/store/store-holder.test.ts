import { describe, expect, it } from 'vitest'
import { isDead, thisProcess } from '../../packages/ratecard/src/store/sql/repositories/coordination/holder.ts'
import { announceSkip } from '../support/skips.ts'

const linux = process.platform === 'linux'
if (!linux) announceSkip('liveness of the holder of a lease', 'processes are compared by /proc, which only Linux has')

describe('the process that holds a lease', () => {
  it.runIf(linux)('is reported alive while it runs', () => {
    expect(thisProcess).not.toBeNull()
    expect(isDead(thisProcess ?? '')).toBe(false)
  })

  it.runIf(linux)(
    'is reported dead if this machine has no process with its pid, or has one with another start time',
    () => {
      const [boot, namespace, pid, start] = (thisProcess ?? '').split('/')
      expect(isDead([boot, namespace, '99999999', start].join('/'))).toBe(true)
      expect(isDead([boot, namespace, pid, `${String(start)}0`].join('/'))).toBe(true)
    },
  )

  it('is never reported dead if it ran before a reboot or in another container, because its state cannot be read', () => {
    const [boot, namespace, , start] = (thisProcess ?? 'a/b/1/2').split('/')
    expect(isDead(['another-boot', namespace, '99999999', start].join('/'))).toBe(false)
    expect(isDead([boot, 'pid:[1]', '99999999', start].join('/'))).toBe(false)
    // In another time namespace the start time of a process is counted differently.
    expect(isDead([boot, `${String(namespace)}0`, '99999999', start].join('/'))).toBe(false)
    for (const pid of ['0', '-1', '', 'x', '1e3']) expect(isDead([boot, namespace, pid, start].join('/'))).toBe(false)
    expect(isDead('')).toBe(false)
  })
})

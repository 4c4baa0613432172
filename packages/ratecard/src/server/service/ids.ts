import { randomBytes } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * Creates a generator of ids. An id is lower case, contains 80 random bits, and sorts by its time (ms). Ids of one process sort in the
 * order of their creation.
 */
export function createIds(clock: Clock, random: (size: number) => Uint8Array = randomBytes): () => string {
  let last = 0
  return () => {
    // Two ids of the same millisecond get different times, so that an audit row never sorts before an earlier one.
    last = Math.max(clock.now(), last + 1)
    let time = last
    let head = ''
    for (let digit = 0; digit < 10; digit++) {
      head = alphabet.charAt(time % 32) + head
      time = Math.floor(time / 32)
    }
    return head + Array.from(random(16), (byte) => alphabet.charAt(byte % 32)).join('')
  }
}

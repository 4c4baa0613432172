import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** New ids: lower case, 80 random bits, sortable by time to the millisecond; those of one process in the order they were made. */
export function createIds(clock: Clock, random: (size: number) => Uint8Array = randomBytes): () => string {
  let last = 0
  return () => {
    // What was made within one millisecond counts up: an audit row never stands before the one it follows.
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

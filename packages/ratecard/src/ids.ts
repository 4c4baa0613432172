import { randomBytes } from 'node:crypto'
import type { Clock } from './clock.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** New ids: lower case, sortable by time to the millisecond, 80 random bits. */
export function createIds(clock: Clock, random: (size: number) => Uint8Array = randomBytes): () => string {
  return () => {
    let time = clock.now()
    let head = ''
    for (let digit = 0; digit < 10; digit++) {
      head = alphabet.charAt(time % 32) + head
      time = Math.floor(time / 32)
    }
    return head + Array.from(random(16), (byte) => alphabet.charAt(byte % 32)).join('')
  }
}

import { randomBytes } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

function draw(length: number, letters: string): string {
  let text = ''
  for (const byte of randomBytes(length)) text += letters[byte % letters.length] ?? ''
  return text
}

/** Ids look like the real ones: a prefix and letters that carry no order. */
export function newId(prefix: string, length = 14): string {
  return prefix + draw(length, alphabet)
}

/** For promotion codes that nobody named. */
export function newCode(): string {
  return draw(8, capitals)
}

import { randomBytes } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

function draw(length: number, letters: string): string {
  let text = ''
  for (const byte of randomBytes(length)) text += letters[byte % letters.length] ?? ''
  return text
}

/** Returns a new id that looks like those of the real API: a prefix and random letters. Ids have no order. */
export function newId(prefix: string, length = 14): string {
  return prefix + draw(length, alphabet)
}

/** Returns a random promotion code, e.g. `K3VQ7M2A`. */
export function newCode(): string {
  return draw(8, capitals)
}

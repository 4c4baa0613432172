// Who did something: what callers claim of themselves, and the service key that they came with.
import { textOrNull } from './columns.ts'
import type { Columns } from './columns.ts'

export const keyColumns = {
  /** Id of the service key that acted, never the key; null for a session and for the service itself. */
  keyId: textOrNull(),
  /** As the key was called then. */
  keyName: textOrNull(),
} satisfies Columns

export interface By {
  readonly keyId: string
  readonly keyName: string
}

interface KeyOf {
  readonly keyId: string | null
  readonly keyName: string | null
}

export function byOf({ keyId, keyName }: KeyOf): By | null {
  return keyId === null ? null : { keyId, keyName: keyName ?? keyId }
}

export function keyOf(by: By | null): KeyOf {
  return by === null ? { keyId: null, keyName: null } : { keyId: by.keyId, keyName: by.keyName }
}

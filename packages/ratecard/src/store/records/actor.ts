// Actor columns: the service key of a request. The author, which callers claim themselves, is kept beside them.
import { textOrNull, type Columns } from './columns.ts'

export const keyColumns = {
  /** Id of the service key that acted, never the key itself; null for a session and for the service. */
  keyId: textOrNull(),
  /** Name of the key at that time. */
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

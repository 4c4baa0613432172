// Columns that identify the service key of a request. Records also have a column `author`: a name that the caller chooses and that is not
// verified.
import { textOrNull, type Columns } from './columns.ts'

export const keyColumns = {
  /** Id of the service key that made the request; null for a session and for the service itself. */
  keyId: textOrNull(),
  /** Name of the key at the time of the request. */
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

/** Returns the columns of journalled work that say who asked for it, and why. */
export const calledBy = ({ author, by, message = null, requestId }: CalledBy) => ({
  author,
  ...keyOf(by),
  message,
  requestId,
})

interface CalledBy {
  readonly author: string | null
  readonly by: By | null
  readonly message?: string | null | undefined
  readonly requestId: string | null
}

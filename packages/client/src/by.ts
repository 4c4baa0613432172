// Who did it, in the client's names.
import { camel } from './names.ts'
import type * as result from './results.ts'
import type { Answers } from './wire-types.generated.ts'

type WireBy = Answers['listVersions'][200]['versions'][number]['by']

export const byOf = (by: WireBy): result.By | null => (by === null ? null : { keyId: by.key_id, keyName: by.key_name })

/** One level in the client's names, and who did it. */
export const acting = <Wire extends { readonly by: WireBy }>(wire: Wire) => ({ ...camel(wire), by: byOf(wire.by) })

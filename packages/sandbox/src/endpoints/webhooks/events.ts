import { onlyOneOf } from '../../protocol/responses/errors.ts'
import { listing, retrieve, type Operation } from '../../protocol/operation.ts'
import { boolean, list, range, text } from '../../protocol/parameters/params.ts'
import { matchesWildcard } from '../../protocol/requests/wildcard.ts'
import type { Condition } from '../../store/conditions.ts'
import { eventTypes } from '../../protocol/api-values.generated.ts'

/** Returns the conditions for an event type. `*` matches any text: `customer.*` matches `customer.created`. */
function ofType(type: string): Condition[] {
  if (!type.includes('*')) return [{ field: 'type', is: type }]
  return [{ field: 'type', in: eventTypes.filter((name) => matchesWildcard(type, name)) }]
}

const listFields = { delivery_success: boolean(), type: text(), types: list(text(), { max: 20 }) }

export const events: readonly Operation[] = [
  listing('/v1/events', 'event', { created: range() }, listFields, ({ delivery_success: delivered, type, types }) => {
    if (type !== undefined && types !== undefined) throw onlyOneOf('type', 'types')
    return [
      ...(type === undefined ? [] : ofType(type)),
      ...(types === undefined ? [] : [{ field: 'type', in: types }]),
      ...(delivered === false ? [{ field: 'pending_webhooks', op: '>', value: 0 } as const] : []),
    ]
  }),
  retrieve('/v1/events/:id', 'event'),
]

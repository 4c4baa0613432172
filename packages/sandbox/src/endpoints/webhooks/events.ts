import { onlyOneOf } from '../../protocol/responses/errors.ts'
import { retrieve } from '../../protocol/operation.ts'
import type { Operation } from '../../protocol/operation.ts'
import { createdIn, pageFields } from '../../protocol/responses/list-pages.ts'
import { boolean, list, range, text } from '../../protocol/parameters/params.ts'
import { matchesWildcard } from '../../protocol/requests/wildcard.ts'
import type { Condition } from '../../store/conditions.ts'
import { eventTypes } from '../../protocol/api-values.generated.ts'

const listFields = {
  ...pageFields,
  created: range(),
  delivery_success: boolean(),
  type: text(),
  types: list(text(), { max: 20 }),
}

/** A type with `*` matches all events with that pattern, e.g. `customer.*`. */
function ofType(type: string): Condition[] {
  if (!type.includes('*')) return [{ field: 'type', is: type }]
  return [{ field: 'type', in: eventTypes.filter((name) => matchesWildcard(type, name)) }]
}

export const events: readonly Operation[] = [
  {
    method: 'GET',
    path: '/v1/events',
    of: 'event',
    list: true,
    run: (call) => {
      const params = call.read(listFields)
      if (params.type !== undefined && params.types !== undefined) throw onlyOneOf('type', 'types')
      const conditions = [
        ...createdIn(params.created),
        ...(params.type === undefined ? [] : ofType(params.type)),
        ...(params.types === undefined ? [] : [{ field: 'type', in: params.types }]),
        ...(params.delivery_success === false ? [{ field: 'pending_webhooks', op: '>', value: 0 } as const] : []),
      ]
      return { page: call.page('event', params, conditions) }
    },
  },
  retrieve('/v1/events/:id', 'event'),
]

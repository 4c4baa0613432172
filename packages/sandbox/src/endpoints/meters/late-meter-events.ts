// Events of API v2: reports about meter events whose errors were found after the request had succeeded.
import type { OperationContext } from '../../protocol/operation-context.ts'
import { isNode, type FormValue } from '../../protocol/parameters/form.ts'
import { retrieve, type HandlerResult, type Operation } from '../../protocol/operation.ts'
import { integer, list, text, type Param } from '../../protocol/parameters/params.ts'

const names = list(text())
/** In API v2 a list with one element can also be sent as the plain element. */
const types: Param<readonly string[], false> = {
  required: false,
  read: (value: FormValue, name) => (isNode(value) ? names.read(value, name) : [text().read(value, name)]),
}

const fields = { limit: integer(), object_id: text(), page: text(), types }

function page(call: OperationContext): HandlerResult {
  const params = call.read(fields)
  const limit = Math.min(100, Math.max(1, params.limit ?? 20))
  const from = Number(params.page ?? 0)
  const found = call
    .select('v2.core.event', params.types === undefined ? [] : [{ field: 'type', in: params.types }])
    .filter(({ related_object: of }) => params.object_id === undefined || of?.id === params.object_id)
  const next = new URLSearchParams({ limit: String(limit), page: String(from + limit) })
  for (const type of params.types ?? []) next.append('types', type)
  if (params.object_id !== undefined) next.set('object_id', params.object_id)
  return {
    unstored: {
      data: found.slice(from, from + limit).map((event) => call.render(event)),
      next_page_url: found.length > from + limit ? `/v2/core/events?${next.toString()}` : null,
      previous_page_url: null,
    },
  }
}

const base = '/v2/core/events'

export const lateEvents: readonly Operation[] = [
  { method: 'GET', path: base, of: null, run: page },
  retrieve(`${base}/:id`, 'v2.core.event'),
]

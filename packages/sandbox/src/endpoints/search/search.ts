// The operations `/v1/<resource>/search`. A new object is found at once, unless a search delay is set, which imitates the real API's index.
import type { Kind } from '../../objects/bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { badRequest } from '../../protocol/responses/errors.ts'
import type { HandlerResult, Operation } from '../../protocol/operation.ts'
import { integer, required, text } from '../../protocol/parameters/params.ts'
import { notInline } from '../catalog/inline-prices.ts'
import { matchesQuery, readQuery, type SearchFields } from './search-query.ts'

/** Searchable fields of each kind of object. Source: docs.stripe.com/search. */
const searchable = {
  product: {
    ...{ active: 'token', description: 'string', metadata: 'metadata', name: 'string' },
    ...{ shippable: 'token', url: 'string' },
  },
  price: {
    ...{ active: 'token', currency: 'token', lookup_key: 'string', metadata: 'metadata' },
    ...{ product: 'token', type: 'token' },
  },
  customer: { created: 'numeric', email: 'string', metadata: 'metadata', name: 'string', phone: 'string' },
  subscription: { canceled_at: 'numeric', created: 'numeric', metadata: 'metadata', status: 'token' },
} as const satisfies Partial<Record<Kind, SearchFields>>

type Searchable = keyof typeof searchable

const fields = { limit: integer(), page: text(), query: required(text({ max: 5000 })) }

function search(call: OperationContext, kind: Searchable): HandlerResult {
  const params = call.read(fields)
  const resource = `${kind}s`
  const query = readQuery(params.query, searchable[kind], resource)
  const found = call
    .select(kind, [notInline])
    .filter((body) => !isNotIndexed(call, body) && matchesQuery(call.render(body), query))
  const limit = Math.min(100, Math.max(1, params.limit ?? 10))
  const from = offsetOf(params.page)
  const data = found.slice(from, from + limit)
  const more = found.length > from + limit
  return {
    found: {
      data,
      has_more: more,
      next_page: more ? pageToken(from + limit) : null,
      total_count: found.length,
      url: `/v1/${resource}/search`,
    },
  }
}

/**
 * True if the search delay still hides the object. Objects on test clocks are never hidden, because their creation time is not comparable
 * with the account's clock.
 */
function isNotIndexed(
  call: OperationContext,
  body: { readonly created: number; readonly test_clock?: string | null },
): boolean {
  return (body.test_clock ?? null) === null && body.created > call.now - call.server.searchDelay
}

function pageToken(from: number): string {
  return Buffer.from(`from:${from}`).toString('base64url')
}

function offsetOf(page: string | undefined): number {
  if (page === undefined) return 0
  const [, from] = /^from:(\d{1,9})$/.exec(Buffer.from(page, 'base64url').toString()) ?? []
  if (from === undefined) throw badRequest('Invalid page token.', 'page')
  return Number(from)
}

export const searches: readonly Operation[] = (Object.keys(searchable) as Searchable[]).map((kind) => ({
  method: 'GET',
  path: `/v1/${kind}s/search`,
  of: kind,
  list: true,
  run: (call) => search(call, kind),
}))

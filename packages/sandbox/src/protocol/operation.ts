import type { Body, Kind } from '../objects/bodies.ts'
import type { OperationContext } from './operation-context.ts'
import type { StripeError } from './responses/errors.ts'
import type { ListPage } from './responses/list-pages.ts'

/** Result of an operation's handler, rendered with the request's `expand`. */
export type HandlerResult =
  | { readonly object: Body; readonly once?: Readonly<Record<string, unknown>> }
  | { readonly page: ListPage<Kind> }
  /** A page of search results, with the token of the next page. */
  | { readonly found: SearchPage }
  /** An error whose writes are committed, e.g. a declined payment attempt. */
  | { readonly refusal: StripeError }
  /** A response without a stored object, e.g. of a deletion or a list of lines. */
  | { readonly unstored: Readonly<Record<string, unknown>> }

export interface SearchPage {
  readonly data: readonly Body[]
  readonly has_more: boolean
  readonly next_page: string | null
  readonly url: string
}

/** An operation of the API. `:id` in the path is the call's `id`. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  /** Kind of the returned objects, for `expand`. Null: nothing can be expanded. */
  readonly of: Kind | null
  readonly list?: true
  readonly run: (call: OperationContext) => HandlerResult
}

/** An operation that returns the object in its path. */
export function retrieve(path: string, of: Kind): Operation {
  return {
    method: 'GET',
    path,
    of,
    run: (call) => {
      call.read({})
      return { object: call.subject(of) }
    },
  }
}

/** The response to a deletion. */
export function deletedResult(id: string, object: string): HandlerResult {
  return { unstored: { id, object, deleted: true } }
}

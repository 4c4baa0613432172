import type { Body, Kind } from '../objects/bodies.ts'
import type { Condition } from '../store/conditions.ts'
import type { OperationContext } from './operation-context.ts'
import type { Fields, Param, Range, Read } from './parameters/params.ts'
import type { StripeError } from './responses/errors.ts'
import { createdIn, pageFields, where, type ListPage, type PageParams } from './responses/list-pages.ts'

/** Result of an operation's handler. Its object is rendered with the request's `expand`. */
export type HandlerResult =
  | { readonly object: Body; readonly once?: Readonly<Record<string, unknown>> }
  | { readonly page: ListPage<Kind> }
  /** A page of search results, with a token for the next page. */
  | { readonly found: SearchPage }
  /** An error whose writes are committed, e.g. of a declined payment attempt. */
  | { readonly refusal: StripeError }
  /** A response without a stored object, e.g. of a deletion or a list of lines. */
  | { readonly unstored: Readonly<Record<string, unknown>> }

export interface SearchPage {
  readonly data: readonly Body[]
  readonly has_more: boolean
  readonly next_page: string | null
  /** Number of objects found. The response contains it only if the request expands `total_count`. */
  readonly total_count: number
  readonly url: string
}

/** An operation of the API. The call's `id` is the part of the path at `:id`. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  /** Kind of the returned objects, which decides what can be expanded. Null: nothing can be expanded. */
  readonly of: Kind | null
  readonly list?: true
  readonly run: (call: OperationContext) => HandlerResult
}

/** Returns an operation that retrieves the object in its path. */
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

/** Returns an operation that creates or changes an object. Its response is that object. */
export function post(path: string, of: Kind, run: (call: OperationContext) => Body): Operation {
  return { method: 'POST', path, of, run: (call) => ({ object: run(call) }) }
}

type FilterValue = string | boolean | Range
type Filters = Readonly<Record<string, Param<FilterValue, false>>>

/**
 * Returns an operation that lists objects. Each of the `filters` selects objects whose member of the same name has the given value.
 * `others` are parameters for `conditions`, which returns further conditions.
 */
export function listing<F extends Filters, O extends Fields>(
  path: string,
  of: Kind,
  filters: F,
  others?: O,
  conditions: (params: Read<F & O>, call: OperationContext) => readonly Condition[] = () => [],
): Operation {
  const run = (call: OperationContext): HandlerResult => {
    const params = call.read({ ...pageFields, ...filters, ...others }) as PageParams & Read<F & O>
    const values = params as Readonly<Record<string, FilterValue | undefined>>
    const own = Object.keys(filters).flatMap((name) => {
      const value = values[name]
      return typeof value === 'object' ? createdIn(value) : where(name, value)
    })
    return { page: call.page(of, params, [...own, ...conditions(params, call)]) }
  }
  return { method: 'GET', path, of, list: true, run }
}

/** Returns an operation that deletes the object in its path. */
export function deletion(path: string, object: string, run: (call: OperationContext) => void): Operation {
  const idOf = (call: OperationContext): string => (path.endsWith(':child') ? call.childId : call.id)
  return {
    method: 'DELETE',
    path,
    of: null,
    run: (call) => {
      run(call)
      return deletedResult(idOf(call), object)
    },
  }
}

/** Returns the response to a deletion. */
export function deletedResult(id: string, object: string): HandlerResult {
  return { unstored: { id, object, deleted: true } }
}

import type { Body, Kind } from '../objects/bodies.ts'
import type { Call } from './operation-context.ts'
import type { StripeError } from './responses/errors.ts'
import type { Page } from './responses/list-pages.ts'

/** What an operation hands back; the server renders it with the caller's `expand`. */
export type Answer =
  | { readonly object: Body; readonly once?: Readonly<Record<string, unknown>> }
  | { readonly page: Page<Kind> }
  /** Found objects, a page of them with the token of the next one. */
  | { readonly found: Found }
  /** A refusal whose work is kept: a card that declined was tried. */
  | { readonly refusal: StripeError }
  /** An answer that is no stored object: a deletion, a list of parts. */
  | { readonly unstored: Readonly<Record<string, unknown>> }

export interface Found {
  readonly data: readonly Body[]
  readonly has_more: boolean
  readonly next_page: string | null
  readonly url: string
}

/** One operation of the API. `:id` in the path is the call's id. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  /** What it answers with, for `expand`; null when nothing can be expanded. */
  readonly of: Kind | null
  readonly list?: true
  readonly run: (call: Call) => Answer
}

/** The operation that answers with the object of the path. */
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

/** The reply to a deletion. */
export function deleted(id: string, object: string): Answer {
  return { unstored: { id, object, deleted: true } }
}

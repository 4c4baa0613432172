// Reads whole lists page by page. The pages of a list are read one after the other, because each needs the cursor of the previous page.
import { ProcessorError } from '../../processor-error.ts'
import type { Caller } from './call.ts'
import type { ListRequest, Reply } from '../kinds/kind.ts'

const pageSize = 100
/** Maximum number of times that a list is read again from its start. That is necessary if the object that the cursor names was deleted. */
const restarts = 3

export interface ListOptions {
  readonly signal: AbortSignal
  readonly onPage?: (objects: number) => void
}

/** Returns every object of a list, without duplicates. */
export async function listAll<T extends Reply>(
  caller: Caller,
  object: string,
  request: ListRequest<T>,
  options: ListOptions,
): Promise<T[]> {
  return listAllAs(caller, object, request, (item) => item, options)
}

/**
 * Returns `read(object)` for every object of a list. Converts each page as soon as it arrives, because keeping the complete replies of a
 * long list would need many times the memory.
 */
export async function listAllAs<T extends Reply, Kept>(
  caller: Caller,
  object: string,
  request: ListRequest<T>,
  read: (item: T) => Kept,
  options: ListOptions,
): Promise<Kept[]> {
  for (let restart = 0; ; restart++) {
    try {
      return (await listPages(caller, object, request, Infinity, read, options)).found
    } catch (error) {
      if (restart === restarts || !lostItsCursor(error)) throw error
    }
  }
}

/** Returns the first objects of a list. Reads at most `pages` pages; `complete` is true if these contain the whole list. */
export async function listSome<T extends Reply>(
  caller: Caller,
  object: string,
  request: ListRequest<T>,
  pages: number,
  options: ListOptions,
): Promise<{ readonly found: T[]; readonly complete: boolean }> {
  return listPages(caller, object, request, pages, (item) => item, options)
}

async function listPages<T extends Reply, Kept>(
  caller: Caller,
  object: string,
  request: ListRequest<T>,
  pages: number,
  keep: (item: T) => Kept,
  { signal, onPage }: ListOptions,
): Promise<{ readonly found: Kept[]; readonly complete: boolean }> {
  const found = new Map<string, Kept>()
  let cursor: string | undefined
  for (let read = 1; ; read++) {
    const paging = { limit: pageSize, ...(cursor === undefined ? {} : { starting_after: cursor }) }
    const page = await caller.call({
      operation: request.operation,
      access: 'read',
      signal,
      send: () => request.page(paging, {}),
      flaw: (answer) => pageFlaw(answer, object),
    })
    for (const item of page.data) found.set(item.id, keep(item))
    onPage?.(found.size)
    const last = page.data.at(-1)
    const complete = !page.has_more || last === undefined
    if (complete || read >= pages) return { found: [...found.values()], complete }
    cursor = last.id
  }
}

/** Returns the flaw of a malformed list page, or null. */
export function pageFlaw(
  page: { readonly object: string; readonly data: unknown; readonly has_more: boolean },
  object: string,
) {
  if (page.object !== 'list' || !Array.isArray(page.data)) return 'it is no list'
  if (!page.data.every((item) => isReply(item, object))) return `it lists something that is no ${object}`
  return page.has_more && page.data.length === 0 ? 'an empty page promises more' : null
}

function isReply(item: unknown, object: string): boolean {
  if (typeof item !== 'object' || item === null) return false
  return 'object' in item && item.object === object && 'id' in item && typeof item.id === 'string'
}

export function lostItsCursor(error: unknown): boolean {
  return error instanceof ProcessorError && error.kind === 'rejected' && error.original.param === 'starting_after'
}

// Splits large values into chunks for the transfer between two threads. Copying a large value in one message would block the event loop as
// long as the task itself.

/** One chunk of a large value. It is either a part of the value with the path to it, or further items of the list at that path. */
export interface Piece {
  readonly path: readonly string[]
  readonly value?: unknown
  readonly items?: readonly unknown[]
}

/** Number of list items per chunk. Copying 1,000 objects takes about 5 ms. */
const itemsInPiece = 500
/** Maximum depth at which lists are split, e.g. 2 for `snapshot.price`. Deeper values are transferred in one chunk. */
const maxLevels = 2

export function* piecesOf(value: unknown, path: readonly string[] = []): Generator<Piece> {
  if (Array.isArray(value)) {
    yield { path, value: [] }
    for (let from = 0; from < value.length; from += itemsInPiece)
      yield { path, items: value.slice(from, from + itemsInPiece) }
  } else if (isRecord(value) && path.length < maxLevels) {
    yield { path, value: {} }
    for (const [name, member] of Object.entries(value)) yield* piecesOf(member, [...path, name])
  } else yield { path, value }
}

/** Reassembles the chunks of {@link piecesOf}. */
export class Assembly {
  readonly #root: Record<string, unknown> = {}

  add({ path, value, items }: Piece): void {
    const places = ['value', ...path]
    const name = places.pop() ?? ''
    let parent = this.#root
    for (const place of places) parent = parent[place] as Record<string, unknown>
    if (items === undefined) parent[name] = value
    else for (const item of items) (parent[name] as unknown[]).push(item)
  }

  get value(): unknown {
    return this.#root['value']
  }
}

/** Estimates the size of a value in characters of JSON. Uses only the lengths of its strings and lists. */
export function sizeOf(value: unknown, levels = maxLevels): number {
  if (typeof value === 'string') return value.length
  if (Array.isArray(value)) return value.length * charactersOfItem
  if (!isRecord(value) || levels === 0) return 0
  return Object.values(value).reduce((sum: number, member) => sum + sizeOf(member, levels - 1), 0)
}

/** Assumed size (characters) of an item of a list, e.g. of a mapping or a live price. */
const charactersOfItem = 200

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

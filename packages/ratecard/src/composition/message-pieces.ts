// Large values cross between two threads in pieces: to copy one at once would hold the event loop as long as the work itself.

/** One message: a value at its place, or further items of the list at that place. */
export interface Piece {
  readonly path: readonly string[]
  readonly value?: unknown
  readonly items?: readonly unknown[]
}

/** Items of one message: thousands of objects take 5 ms for each 1,000. */
const itemsInPiece = 500
/** Lists are looked for down to here, e.g. `snapshot.price`. Below, a value crosses whole. */
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

/** Puts together what {@link piecesOf} took apart. */
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

/** About how many characters of JSON a value has, from the lengths of its texts and lists alone. */
export function sizeOf(value: unknown, levels = maxLevels): number {
  if (typeof value === 'string') return value.length
  if (Array.isArray(value)) return value.length * charactersOfItem
  if (!isRecord(value) || levels === 0) return 0
  return Object.values(value).reduce((sum: number, member) => sum + sizeOf(member, levels - 1), 0)
}

/** Of a mapping or a live price. */
const charactersOfItem = 200

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

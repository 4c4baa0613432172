// Merges several files into one document. The prices of products with the same id are joined. All other items are concatenated in the order
// of the file paths. A conflict between two files is reported with both positions; nothing is dropped silently.
import { pathOf, pointerOf, type Issue } from '../../base/errors/issue.ts'
import { canonicalJson } from '../schema/canonical/canonical.ts'
import { isObject, errorIssue, quoteValue } from '../rules/draft.ts'
import type { SourceLocation, PlacedIssue } from './position.ts'
import { listNames } from '../rules/previous-ids.ts'
import type { ParsedSource } from './source.ts'

export interface MergedFiles {
  readonly document: unknown
  /** Syntax issues of the files, and merge conflicts. The pointer of an issue refers to the file named in its `path`. */
  readonly issues: readonly PlacedIssue[]
  /**
   * Returns the source position of a pointer into the merged document. If the value is absent, returns the position of the nearest parent
   * that exists.
   */
  readonly locate: (pointer: string) => SourceLocation | undefined
}

/** File and path that a part of the merged document comes from. */
interface MergedPart {
  readonly source: ParsedSource
  readonly path: readonly (string | number)[]
}

const lists: readonly string[] = [...listNames]

/** Merges the files that could be parsed. The result also contains the issues of the other files. A single file is returned unchanged. */
export function mergeFiles(sources: readonly ParsedSource[]): MergedFiles {
  const sorted = [...sources].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  const issues = sorted.flatMap((source) => source.issues)
  const readable = sorted.filter((source) => source.document !== undefined)
  const [only] = readable
  if (only !== undefined && sorted.length === 1)
    return { document: only.document, issues, locate: (pointer) => placeIn(only, pointer) }
  const merge = new Merge()
  for (const source of readable) merge.add(source)
  return {
    document: merge.document(),
    issues: [...issues, ...merge.issues],
    locate: (pointer) => merge.locate(pointer),
  }
}

/**
 * Adds the source position to each issue, and replaces pointers in its text by `file:line:column`. An issue gets no position if it is about
 * a part that is in no file.
 */
export function placeIssues(
  issues: readonly Issue[],
  locate: (pointer: string) => SourceLocation | undefined,
): readonly (Issue & Partial<SourceLocation>)[] {
  return issues.map((issue) => ({
    ...issue,
    detail: issue.detail.replace(/#(?:\/[\w%~.-]*[\w%~-])+/g, (pointer) => {
      const place = locate(pointer)
      return place === undefined ? pointer : formatLocation(place)
    }),
    ...locate(issue.pointer),
  }))
}

class Merge {
  readonly issues: PlacedIssue[] = []
  readonly #root = new Map<string, unknown>()
  readonly #lists = new Map<string, unknown[]>()
  readonly #origins = new Map<string, MergedPart>()
  /** Index of each product in the merged list, by product id. */
  readonly #products = new Map<string, number>()

  add(source: ParsedSource): void {
    const { document } = source
    if (!isObject(document)) {
      this.#report(
        source,
        [],
        errorIssue('type_wrong', '#', 'The file must contain an object with `version` and `products`.'),
      )
      return
    }
    for (const field of ['version', 'products'])
      if (document[field] === undefined)
        this.#report(
          source,
          [],
          errorIssue(
            'field_missing',
            '#',
            `The file has no "${field}".`,
            field === 'products' ? 'If the file has no products, add `"products": []`.' : undefined,
          ),
        )
    for (const [field, value] of Object.entries(document)) {
      if (field === 'version') this.#addVersion(source, value)
      else if (lists.includes(field) && Array.isArray(value)) this.#addList(source, field, value)
      else if (field === 'extra_currencies' && Array.isArray(value)) this.#addNewValues(source, field, value)
      else if (lists.includes(field) || field === 'extra_currencies')
        this.#report(source, [field], errorIssue('type_wrong', '#', `"${field}" must be a list.`))
      else if (!this.#root.has(field)) this.#take([field], value, { source, path: [field] })
      else if (field !== '$schema' && !sameJson(value, this.#root.get(field)))
        this.#report(source, [field], this.#secondValue(field))
    }
  }

  document(): unknown {
    // A version or list that is in no file stays absent, so that validation reports it as missing.
    return Object.fromEntries([...this.#root, ...this.#lists])
  }

  locate(pointer: string): SourceLocation | undefined {
    const path = pathOf(pointer)
    for (let length = path.length; length >= 0; length--) {
      const origin = this.#origins.get(pointerOf(path.slice(0, length)))
      if (origin !== undefined) return placeIn(origin.source, pointerOf([...origin.path, ...path.slice(length)]))
    }
    return undefined
  }

  /** Returns the issue for a member of the whole document (e.g. `tax`) that has different values in two files. */
  #secondValue(field: string): Issue {
    const place = this.locate(`#/${field}`)
    const detail = `"${field}" differs from the one ${place === undefined ? 'of another file' : `at ${formatLocation(place)}`}.`
    return errorIssue('merge_conflict', '#', detail, 'Write it in only one of the files.')
  }

  #addVersion(source: ParsedSource, value: unknown): void {
    const current = this.#root.get('version')
    const origin = { source, path: ['version'] }
    if (!this.#root.has('version')) {
      this.#take(['version'], value, origin)
      return
    }
    if (value === current) return
    // An invalid version in one file is kept, even if another file contains a valid version. Otherwise validation would not report it.
    if (numbersOf(current) === undefined) return
    if (numbersOf(value) === undefined) {
      this.#take(['version'], value, origin)
      return
    }
    // A change of one price raises the version of its own file only, so lower versions of other files are no mistake.
    if (isHigher(value, current)) this.#take(['version'], value, origin)
  }

  #addList(source: ParsedSource, field: string, items: readonly unknown[]): void {
    const list = this.#lists.get(field) ?? []
    if (!this.#lists.has(field)) {
      this.#lists.set(field, list)
      this.#origins.set(pointerOf([field]), { source, path: [field] })
    }
    const own = new Set<string>()
    items.forEach((item, index) => {
      const id = field === 'products' && isObject(item) && typeof item['id'] === 'string' ? item['id'] : undefined
      const known = id === undefined ? undefined : this.#products.get(id)
      // An id that occurs twice in one file is a mistake, whereas the same id in two files may be a product that is split. So two items
      // with one id in one file are both kept, and validation reports the second.
      if (id !== undefined && known !== undefined && !own.has(id))
        this.#join(list, known, { source, path: [field, index] }, item)
      else {
        this.#origins.set(pointerOf([field, list.length]), { source, path: [field, index] })
        if (id !== undefined && known === undefined) this.#products.set(id, list.length)
        list.push(item)
      }
      if (id !== undefined) own.add(id)
    })
  }

  /** Adds the values that the list of the merged document does not have yet. */
  #addNewValues(source: ParsedSource, field: string, values: readonly unknown[]): void {
    const list = this.#lists.get(field) ?? []
    if (!this.#lists.has(field)) this.#origins.set(pointerOf([field]), { source, path: [field] })
    this.#lists.set(field, list)
    values.forEach((value, index) => {
      if (list.includes(value)) return
      this.#origins.set(pointerOf([field, list.length]), { source, path: [field, index] })
      list.push(value)
    })
  }

  #join(list: unknown[], position: number, origin: MergedPart, item: unknown): void {
    const first = list[position]
    if (!isObject(first) || !isObject(item)) return
    const joined = new Map(Object.entries(first))
    const place = ['products', position]
    for (const [field, value] of Object.entries(item)) {
      const from = { source: origin.source, path: [...origin.path, field] }
      const present = joined.get(field)
      if (!joined.has(field)) {
        joined.set(field, value)
        this.#origins.set(pointerOf([...place, field]), from)
      } else if (field === 'prices' && Array.isArray(present) && Array.isArray(value)) {
        value.forEach((_, index) =>
          this.#origins.set(pointerOf([...place, field, present.length + index]), {
            ...from,
            path: [...from.path, index],
          }),
        )
        joined.set(field, [...(present as unknown[]), ...(value as unknown[])])
      } else if (!sameJson(present, value)) this.#conflict(from, field, item['id'], pointerOf([...place, field]))
    }
    list[position] = Object.fromEntries(joined)
  }

  #conflict(origin: MergedPart, field: string, id: unknown, other: string): void {
    const place = this.locate(other)
    const beside = place === undefined ? '' : ` at ${formatLocation(place)}`
    const detail = `The product ${quoteValue(id)} has another "${field}"${beside}.`
    this.#report(
      origin.source,
      origin.path,
      errorIssue('merge_conflict', '#', detail, 'Write the field in only one of the files.'),
    )
  }

  #take(path: readonly string[], value: unknown, origin: MergedPart): void {
    this.#root.set(path.join(), value)
    this.#origins.set(pointerOf(path), origin)
    if (!this.#origins.has('#')) this.#origins.set('#', { source: origin.source, path: [] })
  }

  #report(source: ParsedSource, path: readonly (string | number)[], issue: Issue): void {
    const pointer = pointerOf(path)
    const place = placeIn(source, pointer) ?? { path: source.path, line: 1, column: 1 }
    this.issues.push({ ...issue, pointer, ...place })
  }
}

function placeIn(source: ParsedSource, pointer: string): SourceLocation | undefined {
  const position = source.locate(pointer)
  return position === undefined ? undefined : { path: source.path, ...position }
}

function formatLocation({ path, line, column }: SourceLocation): string {
  return `${path}:${line}:${column}`
}

function isHigher(candidate: unknown, current: unknown): boolean {
  const [a, b] = [numbersOf(candidate), numbersOf(current)]
  if (a === undefined || b === undefined) return false
  const index = a.findIndex((number, position) => number !== b[position])
  return index >= 0 && (a[index] ?? 0n) > (b[index] ?? 0n)
}

function numbersOf(version: unknown): bigint[] | undefined {
  return typeof version === 'string' && /^\d+\.\d+\.\d+$/.test(version) ? version.split('.').map(BigInt) : undefined
}

function sameJson(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b)
}

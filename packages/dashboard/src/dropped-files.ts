// What was dropped or pasted, as one document: read, merged and expanded by the very rules of the command line, in the browser.
// Whether it is a good one is for the service to say.
import { codeFrame } from '../../ratecard/src/config/files/code-frame.ts'
import { interpolate } from '../../ratecard/src/config/files/interpolate.ts'
import { mergeFiles, placeIssues } from '../../ratecard/src/config/files/merge-files.ts'
import { parseSource } from '../../ratecard/src/config/files/source.ts'

export interface GivenFile {
  readonly path: string
  readonly text: string
}

export interface PlacedIssue {
  readonly code: string
  readonly detail: string
  readonly hint?: string | undefined
  readonly pointer: string
  readonly severity: 'error' | 'warning'
  readonly place?: string | undefined
  readonly frame?: string | undefined
}

type BareIssue = Pick<PlacedIssue, 'code' | 'detail' | 'hint' | 'pointer' | 'severity'>
/** Services may be newer than these pages: their codes are text here. */
type OwnIssue = Parameters<typeof placeIssues>[0][number]

export interface ReadDocument {
  /** As written, with `${NAME}`; null when a file could not be read. */
  readonly written: object | null
  /** With the values of its variables; null while one is missing, or a file could not be read. */
  readonly document: object | null
  readonly issues: readonly PlacedIssue[]
  /** Names of variables that want a value. */
  readonly unset: readonly string[]
  /** Puts places beside what the service finds in the document. */
  place(issues: readonly BareIssue[]): readonly PlacedIssue[]
}

export function readDocument(files: readonly GivenFile[], values: ReadonlyMap<string, string>): ReadDocument {
  const sources = files.map(parseSource)
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  const merged = mergeFiles(sources)
  const framed = (issue: BareIssue & Partial<{ path: string; line: number; column: number }>): PlacedIssue => {
    const { path, line, column, ...rest } = issue
    if (path === undefined || line === undefined || column === undefined) return rest
    const text = texts.get(path)
    const frame = text === undefined ? undefined : codeFrame(text, line, column)
    return { ...rest, place: `${path}:${line}:${column}`, frame }
  }
  const place = (issues: readonly BareIssue[]) => placeIssues(issues as readonly OwnIssue[], merged.locate).map(framed)
  const ofFiles = merged.issues.map(framed)
  if (
    typeof merged.document !== 'object' ||
    merged.document === null ||
    sources.some((one) => one.document === undefined)
  )
    return { written: null, document: null, issues: ofFiles, unset: [], place }
  const asked = new Set<string>()
  const expanded = interpolate(merged.document, (name) => {
    asked.add(name)
    return values.get(name)
  })
  const unset = [...asked].filter((name) => !values.has(name)).sort()
  // A value that is still asked for is no mistake.
  const others = expanded.issues.filter(({ code }) => code !== 'variable_unset')
  const issues = [...ofFiles, ...place(others)]
  const isWhole = unset.length === 0 && issues.every(({ severity }) => severity !== 'error')
  return {
    written: merged.document,
    document: isWhole ? (expanded.value as object) : null,
    issues,
    unset,
    place,
  }
}

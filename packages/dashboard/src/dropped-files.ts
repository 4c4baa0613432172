// Reads dropped or pasted files into one document. Parses, merges and expands them in the browser with the code of the command line. The
// service validates the document.
import { codeFrame } from '../../ratecard/src/document/files/code-frame.ts'
import { interpolate } from '../../ratecard/src/document/files/interpolate.ts'
import { mergeFiles, placeIssues } from '../../ratecard/src/document/files/merge-files.ts'
import { parseSource } from '../../ratecard/src/document/files/source.ts'

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
/**
 * Issue of the dashboard or of the service. A newer service may return issue codes that the dashboard does not list, so the code is plain
 * text.
 */
type OwnIssue = Parameters<typeof placeIssues>[0][number]

export interface ReadDocument {
  /** The source document, with variables as `${NAME}`. Null if a file could not be parsed. */
  readonly written: object | null
  /** The document with its variables expanded. Null while a variable has no value, or if a file could not be parsed. */
  readonly document: object | null
  readonly issues: readonly PlacedIssue[]
  /** Names of the variables that have no value. */
  readonly unset: readonly string[]
  /** Returns the service's issues in the document with their file and line. */
  place(issues: readonly BareIssue[]): readonly PlacedIssue[]
}

/** True for text. A NUL or a replacement character comes from a binary file, e.g. a picture. */
const isTextFile = ({ text }: GivenFile) => !/[\0\ufffd]/.test(text)

const notConfiguration = ({ path }: GivenFile): PlacedIssue => ({
  code: 'not_configuration',
  detail: `${path} is not a configuration file: it is not text.`,
  hint: 'Drop files with the ending .json, .jsonc, .yaml or .yml.',
  pointer: '',
  severity: 'error',
  place: path,
})

export function readDocument(files: readonly GivenFile[], values: ReadonlyMap<string, string>): ReadDocument {
  const others = files.filter((file) => !isTextFile(file))
  if (others.length > 0)
    return { written: null, document: null, issues: others.map(notConfiguration), unset: [], place: (issues) => issues }
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
  // Omits `variable_unset`, because the page shows an input field for each variable without a value.
  const beside = expanded.issues.filter(({ code }) => code !== 'variable_unset')
  const issues = [...ofFiles, ...place(beside)]
  const isWhole = unset.length === 0 && issues.every(({ severity }) => severity !== 'error')
  return {
    written: merged.document,
    document: isWhole ? (expanded.value as object) : null,
    issues,
    unset,
    place,
  }
}

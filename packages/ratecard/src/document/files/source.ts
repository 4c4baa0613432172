// Parses one configuration file to its value and the text position of each part. Performs no disk I/O.
import { syntaxIssue, type ParsedText, type PlacedIssue, type Position } from './position.ts'
import { parseJson } from './source-json.ts'
import { parseYaml } from './source-yaml.ts'

export type { SourceLocation, PlacedIssue, Position } from './position.ts'

export interface ConfigSource {
  readonly path: string
  readonly text: string
}

export interface ParsedSource extends ConfigSource {
  /** The parsed value; undefined if the file could not be parsed, and then `issues` contains the reason. */
  readonly document: unknown
  readonly issues: readonly PlacedIssue[]
  /** Returns the position of the value at a pointer. If the value is absent, returns the position of the nearest parent that exists. */
  readonly locate: (pointer: string) => Position | undefined
}

/** Parses JSON, JSONC or YAML, chosen by the file extension. Returns syntax errors and duplicate keys as issues; does not throw. */
export function parseSource(source: ConfigSource): ParsedSource {
  const text = source.text.replace(/^\uFEFF/, '')
  const parsed = parseText(source.path, text)
  return { ...source, text, ...parsed, issues: parsed.issues.map((issue) => ({ ...issue, path: source.path })) }
}

function parseText(path: string, text: string): ParsedText {
  try {
    if (text.trim() === '') return unparsedText('The file is empty.')
    return /\.ya?ml$/i.test(path) ? parseYaml(text) : parseJson(text, /\.jsonc$/i.test(path))
  } catch (error) {
    // The parsers are recursive, so excessive nesting overflows the stack.
    if (error instanceof RangeError) return unparsedText('The file is nested too deeply.')
    throw error
  }
}

function unparsedText(detail: string): ParsedText {
  const start = { line: 1, column: 1 }
  return { document: undefined, issues: [syntaxIssue(detail, start)], locate: () => start }
}

// One file of the configuration: its value, and where in the text each part of it stands. Reads no disk.
import { syntaxIssue } from './position.ts'
import type { ParsedText, PlacedIssue, Position } from './position.ts'
import { parseJson } from './source-json.ts'
import { parseYaml } from './source-yaml.ts'

export type { SourceLocation, PlacedIssue, Position } from './position.ts'

export interface ConfigSource {
  readonly path: string
  readonly text: string
}

export interface ParsedSource extends ConfigSource {
  /** undefined when the file could not be read; then `issues` says why. */
  readonly document: unknown
  readonly issues: readonly PlacedIssue[]
  /** Where the value of a pointer stands; for a part that is absent, its nearest parent that exists. */
  readonly locate: (pointer: string) => Position | undefined
}

/** JSON, JSONC or YAML, by the extension of the path. Syntax errors and keys given twice are issues, never exceptions. */
export function parseSource(source: ConfigSource): ParsedSource {
  const text = source.text.replace(/^\uFEFF/, '')
  const parsed = parseText(source.path, text)
  return { ...source, text, ...parsed, issues: parsed.issues.map((issue) => ({ ...issue, path: source.path })) }
}

function parseText(path: string, text: string): ParsedText {
  try {
    if (text.trim() === '') return failed('The file is empty.')
    return /\.ya?ml$/i.test(path) ? parseYaml(text) : parseJson(text, /\.jsonc$/i.test(path))
  } catch (error) {
    // The parsers recurse: text of hostile depth exhausts the stack.
    if (error instanceof RangeError) return failed('The file is nested too deeply.')
    throw error
  }
}

function failed(detail: string): ParsedText {
  const start = { line: 1, column: 1 }
  return { document: undefined, issues: [syntaxIssue(detail, start)], locate: () => start }
}

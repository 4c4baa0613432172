// Environment files: `NAME=value` lines, quotes, comments, as dotenv reads them. Nothing in them is expanded, so that a `$` of a
// password stays one. Decides what a worker may be given from one; never reads a file.
import { parse } from 'dotenv'
import { variableName } from './manifest-keys.ts'

export interface EnvironmentIssue {
  readonly severity: 'error' | 'warning'
  readonly line: number
  readonly column: number
  readonly detail: string
  readonly hint: string
}

/** The variables of an environment file. */
export function parseEnvFile(text: string): ReadonlyMap<string, string> {
  return new Map(Object.entries(parse(text.replace(/^\uFEFF/, ''))))
}

/** Reserved by RFC 2606 and 6761: nobody's real address is there. */
const reservedHost = /(^|[/@.])(example\.(com|net|org)|[\w-]+\.(example|invalid))([:/]|$)/
/** The end of each line in the templates of `init` whose value has to be replaced, e.g. `X=https://a.example.com # placeholder of init`. */
const placeholderLine = /^\s*(\w+)=([^\s'"`#]+)\s+# placeholder of init\b.*$/

/**
 * Variables of an environment file that are still the placeholders of `init`, with their lines: these count as absent. The comment
 * marks the line as one that `init` wrote, so the same value without the comment is set, and so is another value beside it.
 */
export function placeholders(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const { line, text: written, name } of assignments(text)) {
    if (name === null) continue
    const [, marked, value = ''] = placeholderLine.exec(written) ?? []
    // Of a name that is assigned twice the last line counts.
    if (marked === name && reservedHost.test(value)) found.set(name, line)
    else found.delete(name)
  }
  return found
}

/** Credentials of the deploying person: they would give a worker the power over its own account. */
const withheld = ['CLOUDFLARE_API_TOKEN', 'CLOUDFLARE_ACCOUNT_ID']

/** What a worker gets of an environment file, and what is wrong with the file, at its lines. */
export function workerEnvironment(
  text: string,
  untouched: ReadonlyMap<string, number> = new Map(),
): {
  readonly variables: ReadonlyMap<string, string>
  readonly issues: readonly EnvironmentIssue[]
} {
  const variables = new Map(parseEnvFile(text))
  for (const name of [...withheld, ...untouched.keys()]) variables.delete(name)
  const found = assignments(text)
  const issues = [...found.flatMap(issuesOf), ...repeated(found), ...leftAlone(found, untouched)]
  return { variables, issues: issues.toSorted((a, b) => a.line - b.line) }
}

interface Assignment {
  readonly line: number
  readonly text: string
  /** null: the line is no assignment at all, and the parser would skip it without a word. */
  readonly name: string | null
  readonly value: string
  /** The quote that the value begins with and that never ends: the parser would take the quote for a part of the value. */
  readonly openQuote: string | null
}

function assignments(text: string): Assignment[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  const found: Assignment[] = []
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    if (/^\s*(#|$)/.test(line)) continue
    const [, name, rest = ''] = /^\s*(?:export\s+)?([^\s=]+?)\s*(?:=|:\s)\s*(.*)$/.exec(line) ?? []
    const quote = /^['"`]/.exec(rest)?.[0]
    const length = quote === undefined ? 1 : quotedLines([rest, ...lines.slice(index + 1)].join('\n'), quote)
    const isOpen = quote !== undefined && length === null && !rest.replace(/#.*/, '').includes(quote, 1)
    found.push({ line: index + 1, text: line, name: name ?? null, value: rest, openQuote: isOpen ? quote : null })
    index += (length ?? 1) - 1
  }
  return found
}

/** How many lines the quoted value goes over, as the parser reads it; null when it is none: its quote is part of the value. */
function quotedLines(text: string, quote: string): number | null {
  const value = new RegExp(`^${quote}(?:\\\\${quote}|[^${quote}])*${quote}(?=[^\\S\\n]*(?:#.*)?(?:\\n|$))`).exec(text)
  return value === null ? null : value[0].split('\n').length
}

/** The parser lets the last one stand without a word. */
function repeated(found: readonly Assignment[]): EnvironmentIssue[] {
  const lines = new Map<string, number>()
  return found.flatMap(({ name, line, text }) => {
    if (name === null) return []
    const before = lines.get(name)
    lines.set(name, line)
    if (before === undefined) return []
    const detail = `${name} is given twice, in line ${before} and in line ${line}: the last one counts.`
    return [{ severity: 'warning', line, column: columnOf(text), detail, hint: 'Remove one of them.' } as const]
  })
}

/** What to do about a line of {@link placeholders}. */
export const placeholderHint =
  'Write your own value there; if this value is meant, remove the comment at the end of its line.'

function leftAlone(found: readonly Assignment[], untouched: ReadonlyMap<string, number>): EnvironmentIssue[] {
  return found.flatMap(({ name, line, text }) => {
    if (name === null || untouched.get(name) !== line) return []
    const detail = `${name} is still the value of the example file, as \`init\` wrote it: it counts as not set.`
    return [{ severity: 'warning', line, column: columnOf(text), detail, hint: placeholderHint } as const]
  })
}

function columnOf(text: string): number {
  return text.length - text.trimStart().length + 1
}

function issuesOf({ line, text, name, value, openQuote }: Assignment): EnvironmentIssue[] {
  const column = columnOf(text)
  const issue = (severity: EnvironmentIssue['severity'], detail: string, hint: string): EnvironmentIssue[] => [
    { severity, line, column, detail, hint },
  ]
  // The text of the line may be a secret: it is not repeated.
  if (name === null)
    return issue('error', 'This line is no assignment.', 'Write NAME=value, or put # before a comment.')
  if (!variableName.test(name))
    return issue(
      'error',
      `"${name}" cannot be the name of a variable.`,
      'Use letters, digits and "_", and no digit first.',
    )
  if (openQuote !== null)
    return issue(
      'error',
      `The value of ${name} begins with ${openQuote}, which never ends.`,
      `End it with ${openQuote}; when it belongs to the value, put the whole value in quotes of another kind.`,
    )
  const reference = /^[^']*?\$\{([A-Za-z_]\w*)\}/.exec(value)?.[1]
  if (reference === undefined) return []
  return issue(
    'warning',
    `"\${${reference}}" in the value of ${name} stays as it is: nothing in environment files is expanded.`,
    'Write the value out, or put the whole value in single quotes when it is meant.',
  )
}

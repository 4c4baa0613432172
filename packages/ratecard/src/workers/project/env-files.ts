// Parses environment files (`NAME=value` lines, quotes and comments) with dotenv. Values are not expanded, so that a `$` in a password
// stays literal. Decides which variables a worker receives; never reads a file.
import { parse } from 'dotenv'
import { variableName } from './manifest-keys.ts'

export interface EnvironmentIssue {
  readonly severity: 'error' | 'warning'
  readonly line: number
  readonly column: number
  readonly detail: string
  readonly hint: string
}

/** Parses an environment file into its variables; a byte order mark is removed. */
export function parseEnvFile(text: string): ReadonlyMap<string, string> {
  return new Map(Object.entries(parse(text.replace(/^\uFEFF/, ''))))
}

/** Matches host names reserved by RFC 2606 and RFC 6761 (e.g. `a.example.com`), which never have a real address. */
const reservedHost = /(^|[/@.])(example\.(com|net|org)|[\w-]+\.(example|invalid))([:/]|$)/
/**
 * Matches a line of an environment file by `ratecard init` whose value must be replaced, e.g. `X=https://a.example.com # placeholder of
 * init`.
 */
const placeholderLine = /^\s*(\w+)=([^\s'"`#]+)\s+# placeholder of init\b.*$/

/**
 * Returns the variables that still have the placeholder value of `ratecard init`, with their line numbers. They count as unset. A variable
 * counts as set if its line lacks the comment `# placeholder of init`, or if it has a real host name.
 */
export function placeholdersIn(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const { line, text: written, name } of readAssignments(text)) {
    if (name === null) continue
    const [, marked, value = ''] = placeholderLine.exec(written) ?? []
    // If a name is assigned twice, the last line wins.
    if (marked === name && reservedHost.test(value)) found.set(name, line)
    else found.delete(name)
  }
  return found
}

/** Variables with the default that `ratecard init` writes into `.env.dev`: the address of `cloud workers dev` on this machine. */
const defaultsOfInit: Readonly<Record<string, string>> = { WEBHOOK_ORIGIN: 'http://127.0.0.1:8787' }

/** True if the variable still has the value that `ratecard init` wrote into `.env.dev`. */
export function isDefaultOfInit(name: string, value: string | undefined): boolean {
  return value !== undefined && defaultsOfInit[name] === value
}

/**
 * Cloudflare credentials of the user who deploys. A worker never receives them, because with them it could control the account that it runs
 * in.
 */
const withheld = ['CLOUDFLARE_API_TOKEN', 'CLOUDFLARE_ACCOUNT_ID']

/** Returns the variables that a worker receives from an environment file, and the issues of the file with their lines. */
export function workerEnvironment(
  text: string,
  untouched: ReadonlyMap<string, number> = new Map(),
): {
  readonly variables: ReadonlyMap<string, string>
  readonly issues: readonly EnvironmentIssue[]
} {
  const variables = new Map(parseEnvFile(text))
  for (const name of [...withheld, ...untouched.keys()]) variables.delete(name)
  const found = readAssignments(text)
  const issues = [...found.flatMap(issuesOf), ...repeatedAssignments(found), ...leftAlone(found, untouched)]
  return { variables, issues: issues.toSorted((a, b) => a.line - b.line) }
}

/**
 * Returns warnings for those of the named variables whose value is not what is written: cut at a `#`, or with quotes that stay a part of it.
 * Example: `PASS=abc#def` is read as `abc`.
 */
export function alteredValues(text: string, names: ReadonlySet<string>): readonly EnvironmentIssue[] {
  return readAssignments(text)
    .filter(({ name }) => name !== null && names.has(name))
    .flatMap(alteredValue)
}

/** Returns line and column of the assignment that counts, which is the last one. Undefined if there is none. */
export function placeOfVariable(text: string, name: string): { line: number; column: number } | undefined {
  const found = readAssignments(text).findLast((assignment) => assignment.name === name)
  return found === undefined ? undefined : { line: found.line, column: columnOf(found.text) }
}

interface Assignment {
  readonly line: number
  readonly text: string
  /** Variable name; null if the line is not an assignment. The parser would skip such a line silently. */
  readonly name: string | null
  readonly value: string
  /** Opening quote of a value that has no closing quote, otherwise null. The parser would read the quote as part of the value. */
  readonly openQuote: string | null
  /** The value of the variable with its quotes, e.g. `"a b"`, also over several lines; null if it is not in quotes, see {@link quotedValue}. */
  readonly quoted: string | null
}

function readAssignments(text: string): Assignment[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  const found: Assignment[] = []
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    if (/^\s*(#|$)/.test(line)) continue
    const [, name, rest = ''] = /^\s*(?:export\s+)?([^\s=]+?)\s*(?:=|:\s)\s*(.*)$/.exec(line) ?? []
    const quote = /^['"`]/.exec(rest)?.[0]
    const following = [rest, ...lines.slice(index + 1)].join('\n')
    const quoted = quote === undefined ? null : quotedValue(following, quote)
    const isOpen = quote !== undefined && quoted === null && !rest.replace(/#.*/, '').includes(quote, 1)
    found.push({
      line: index + 1,
      text: line,
      name: name ?? null,
      value: rest,
      quoted,
      openQuote: isOpen ? quote : null,
    })
    index += (quoted?.split('\n').length ?? 1) - 1
  }
  return found
}

/**
 * Returns a value in quotes, as the parser reads it. Returns null if the quote is not closed, or if something other than a comment follows
 * it: the parser then reads the quotes as part of the value.
 */
function quotedValue(text: string, quote: string): string | null {
  const value = new RegExp(`^${quote}(?:\\\\${quote}|[^${quote}])*${quote}(?=[^\\S\\n]*(?:#.*)?(?:\\n|$))`).exec(text)
  return value === null ? null : value[0]
}

/** Returns warnings for names assigned more than once, because the parser silently uses the last assignment. */
function repeatedAssignments(found: readonly Assignment[]): EnvironmentIssue[] {
  const lines = new Map<string, number>()
  return found.flatMap(({ name, line, text }) => {
    if (name === null) return []
    const before = lines.get(name)
    lines.set(name, line)
    if (before === undefined) return []
    const detail = `${name} is given twice, in line ${before} and in line ${line}: the last one is used.`
    return [{ severity: 'warning', line, column: columnOf(text), detail, hint: 'Remove one of them.' } as const]
  })
}

/** Hint for an issue of a placeholder line, see {@link placeholdersIn}. */
export const placeholderHint =
  'Write your own value. If you mean this value, remove the comment at the end of its line.'

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

/** Returns a warning if the parser does not read the value as it is written. It does not quote the value, which may be a secret. */
function alteredValue({ line, text, name, value, quoted, openQuote }: Assignment): EnvironmentIssue[] {
  if (name === null || openQuote !== null) return []
  const issue = (detail: string, hint: string): EnvironmentIssue[] => [
    { severity: 'warning', line, column: columnOf(text), detail, hint },
  ]
  const inQuotes = 'If it belongs to the value, put the whole value in single quotes.'
  const otherQuotes = 'Put the whole value in quotes of another kind.'
  const quote = /^['"`]/.exec(value)?.[0]
  if (quote === undefined) {
    const hash = text.indexOf('#', text.length - value.length)
    const isPart = hash > 0 && /\S/.test(text.charAt(hash - 1))
    return isPart ? issue(`The value of ${name} ends before its "#": the rest counts as a comment.`, inQuotes) : []
  }
  if (quoted === null) {
    // `'it's'` is read as `it's`, because the parser takes off quotes at both ends.
    const isStripped = value.replace(/#.*/, '').trimEnd().endsWith(quote)
    const detail = `The value of ${name} goes on after its closing ${quote}: its quotes are part of it.`
    return isStripped ? [] : issue(detail, otherQuotes)
  }
  const lastLine = quoted.includes('\n') ? '' : value.slice(quoted.length)
  if (lastLine.startsWith('#'))
    return issue(`What follows the closing ${quote} of ${name} counts as a comment.`, inQuotes)
  return quoted.includes(`\\${quote}`)
    ? issue(`"\\${quote}" in the value of ${name} stays as these two characters.`, otherQuotes)
    : []
}

function issuesOf(assignment: Assignment): EnvironmentIssue[] {
  const { line, text, name, value, openQuote } = assignment
  const column = columnOf(text)
  const issue = (severity: EnvironmentIssue['severity'], detail: string, hint: string): EnvironmentIssue[] => [
    { severity, line, column, detail, hint },
  ]
  // The message does not quote the line, because the line may contain a secret.
  if (name === null)
    return issue('error', 'This line is not an assignment.', 'Write NAME=value, or put # before a comment.')
  if (!variableName.test(name))
    return issue(
      'error',
      `"${name}" cannot be the name of a variable.`,
      'Use letters, digits and "_", and no digit first.',
    )
  if (openQuote !== null)
    return issue(
      'error',
      `The value of ${name} begins with ${openQuote}, but has no closing quote.`,
      `End it with ${openQuote}; if it is part of the value, put the whole value in quotes of another kind.`,
    )
  const altered = alteredValue(assignment)
  const reference = /^[^']*?\$\{([A-Za-z_]\w*)\}/.exec(value)?.[1]
  if (reference === undefined || altered.length > 0) return altered
  return issue(
    'warning',
    `"\${${reference}}" in the value of ${name} stays as it is: environment files are not expanded.`,
    'Write the value itself or, if you mean this text, put the whole value in single quotes.',
  )
}

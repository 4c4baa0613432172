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

/** Credentials of the deploying person: they would give a worker the power over its own account. */
const withheld = ['CLOUDFLARE_API_TOKEN', 'CLOUDFLARE_ACCOUNT_ID']

/** What a worker gets of an environment file, and what is wrong with the file, at its lines. */
export function workerEnvironment(text: string): {
  readonly variables: ReadonlyMap<string, string>
  readonly issues: readonly EnvironmentIssue[]
} {
  const variables = new Map(parseEnvFile(text))
  for (const name of withheld) variables.delete(name)
  return { variables, issues: assignments(text).flatMap(issuesOf) }
}

interface Assignment {
  readonly line: number
  readonly text: string
  /** null: the line is no assignment at all, and the parser would skip it without a word. */
  readonly name: string | null
  readonly value: string
}

function assignments(text: string): Assignment[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  const found: Assignment[] = []
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    if (/^\s*(#|$)/.test(line)) continue
    const [, name, rest = ''] = /^\s*(?:export\s+)?([^\s=]+?)\s*(?:=|:\s)\s*(.*)$/.exec(line) ?? []
    found.push({ line: index + 1, text: line, name: name ?? null, value: rest })
    // A quoted value may go over several lines; without its end it does not, and the quote is part of the value.
    const quote = /^['"`]/.exec(rest)?.[0]
    if (quote === undefined || rest.indexOf(quote, 1) > 0) continue
    const last = lines.findIndex((later, at) => at > index && later.includes(quote))
    if (last > 0) index = last
  }
  return found
}

function issuesOf({ line, text, name, value }: Assignment): EnvironmentIssue[] {
  const column = text.length - text.trimStart().length + 1
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
  const reference = /^[^']*?\$\{([A-Za-z_]\w*)\}/.exec(value)?.[1]
  if (reference === undefined) return []
  return issue(
    'warning',
    `"\${${reference}}" in the value of ${name} stays as it is: nothing in environment files is expanded.`,
    'Write the value out, or put the whole value in single quotes when it is meant.',
  )
}

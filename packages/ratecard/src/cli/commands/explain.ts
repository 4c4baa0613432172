import { issueCodes, problemCodes } from '../../base/errors/codes.ts'
import { didYouMean } from '../../base/errors/suggest.ts'
import type { Command } from '../program/command.ts'
import { CliFailure } from '../failure.ts'
import { failureCodes } from '../failure-codes.ts'

interface Explanation {
  readonly code: string
  /**
   * Where the code occurs: in a response of the service (`problem`), in an issue of a document (`issue`), or in the CLI itself (`command`).
   */
  readonly kind: 'problem' | 'issue' | 'command'
  readonly status: number | null
  readonly title: string | null
  readonly meaning: string
}

export const explain: Command = {
  name: 'explain',
  summary: 'Explain an error code, and what to do about it',
  description: 'Works without a server, for all codes of the service, of documents and of the command line.',
  arguments: [{ name: '<code>', description: 'The code, as errors show it.' }],
  examples: [
    { command: 'ratecard explain processor_drift', what: 'an error of the service' },
    { command: 'ratecard explain base_price_missing', what: 'an error in a document' },
  ],
  run: ({ args, out }) => {
    const found = explanationOf(args[0] ?? '')
    const status = found.status === null ? '' : `  ${out.paint.dim(`HTTP ${String(found.status)}`)}`
    out.print(`${out.paint.bold(found.code)}${status}`)
    if (found.title !== null) out.print(`  ${found.title}.`)
    out.print(`  ${found.meaning}`)
    return Promise.resolve({ json: found })
  },
}

/** Finds the explanation of a code. The code may be copied from an error message: quotes and brackets are removed, and case is ignored. */
function explanationOf(given: string): Explanation {
  const code = given
    .trim()
    .replaceAll(/^[`'"(]+|[`'").,:]+$/g, '')
    .toLowerCase()
  const problem = ownMember(problemCodes, code)
  if (problem !== undefined)
    return { code, kind: 'problem', status: problem.status, title: problem.title, meaning: problem.when }
  const issue = ownMember(issueCodes, code)
  if (issue !== undefined) return { code, kind: 'issue', status: null, title: null, meaning: issue }
  const own = ownMember(failureCodes, code)
  if (own !== undefined) return { code, kind: 'command', status: null, title: null, meaning: own }
  const known = [problemCodes, issueCodes, failureCodes].flatMap((table) => Object.keys(table))
  throw new CliFailure(1, {
    code: 'code_unknown',
    title: 'There is no such code',
    detail: `"${given}" is not an error code of this version.`,
    hint: didYouMean(code, known) ?? 'Codes look like processor_drift; errors show theirs in brackets.',
  })
}

function ownMember<T extends object>(table: T, name: string): T[keyof T] | undefined {
  return Object.hasOwn(table, name) ? table[name as keyof T] : undefined
}

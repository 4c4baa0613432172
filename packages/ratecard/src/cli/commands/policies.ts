import type { PolicyHistory, PolicySet } from '@ratecard/client'
import { elsewhereText } from '../../catalog/policies/elsewhere.ts'
import { authorOf } from '../author.ts'
import type { Command, CommandContext } from '../program/command.ts'
import { CliFailure, toFailure } from '../failure.ts'
import { readPoliciesFile, type PoliciesFile } from '../files/policies-file.ts'
import { connect, requireAddress } from '../server-address.ts'
import { count } from '../views/issues.ts'
import { jsonPolicies, jsonPolicyHistory } from '../views/text/json.ts'
import { printTable, rightColumn, showTime } from '../views/text/table.ts'
import { formatAuthor } from '../views/plan/who.ts'
import { actorOptions } from './plan-and-apply.ts'

export const policiesPush: Command = {
  name: 'policies push',
  summary: 'Set the policies of the server',
  description:
    'Replaces the rules for pushes, rollbacks, migrations and deals with those in ratecard/policies.json. Needs a key with the scope "owner". Pushing the same rules again changes nothing.',
  arguments: [{ name: '[file]', description: 'File to read instead of ratecard/policies.json.' }],
  options: actorOptions,
  examples: [{ command: 'ratecard policies push --env production --message "No big rises"', what: 'from the project' }],
  run: async (context) => {
    const { args, options, io, out } = context
    requireAddress(context)
    const { rules, file } = requirePolicies(context, args[0])
    const { client, url } = connect(context)
    const set = await client.admin
      .setPolicies({ rules }, { author: await authorOf(context), message: options.text('message'), signal: io.signal })
      .catch((error: unknown) => {
        throw withPositions(file, toFailure(error, { apiUrl: url }))
      })
    out.say(`${out.paint.green('✓')} ${count(set.rules.length, 'rule')} at ${url} (change ${String(set.number)}).`)
    const elsewhere = elsewhereText(set.rules, set.environment)
    if (elsewhere !== null) out.note(elsewhere)
    return { json: jsonPolicies(set) }
  },
}

function requirePolicies({ io }: CommandContext, named: string | undefined) {
  const file = readPoliciesFile(io, named)
  if (file === null)
    throw new CliFailure(1, {
      code: 'file_not_found',
      title: 'There is no policies file',
      detail: 'The project has no ratecard/policies.json.',
      hint: 'Write it, or name another file: `ratecard policies push rules.json`.',
    })
  if (file.policies === null)
    throw new CliFailure(1, {
      code: 'policies_invalid',
      title: 'The policies have errors',
      detail: `${count(file.errors.length, 'problem')} in ${file.path}.`,
      hint: 'Nothing was sent. Correct the file and try again.',
      errors: file.errors,
    })
  return { rules: file.policies.rules, file }
}

/** Adds positions in the file to errors that only the server reports, e.g. because it is newer than this CLI and has more checks. */
function withPositions(file: PoliciesFile, failure: CliFailure): CliFailure {
  const { errors } = failure.problem
  if (errors === undefined || errors.length === 0) return failure
  return new CliFailure(failure.exit, {
    ...failure.problem,
    errors: file.place(errors as Parameters<PoliciesFile['place']>[0]),
  })
}

export const policiesShow: Command = {
  name: 'policies show',
  summary: 'Show the policies of the server, and who changed them',
  options: [
    {
      flags: '--limit <n>',
      description: 'Number of changes to show, newest first.',
      range: [1, 100],
      defaultText: '10',
    },
    { flags: '--offset <n>', description: 'Number of changes to skip.', range: [0, 1_000_000], defaultText: '0' },
  ],
  examples: [
    { command: 'ratecard policies show --env production', what: 'show the rules that are in force in production' },
  ],
  run: async (context) => {
    const { options, io, out } = context
    const policies = await connect(context).client.admin.policies({
      limit: options.whole('limit') ?? 10,
      offset: options.whole('offset') ?? 0,
      signal: io.signal,
    })
    const rows = policies.rules.map(rowOf)
    printTable(out, ['id', 'rule', 'value', 'severity', 'environments', 'except'], rows, 'There are no policies.')
    if (policies.rules.length > 0) out.note(`\n${environmentText(policies)}`)
    if (policies.history.length > 0) {
      out.say()
      const changes = policies.history.map((one) => [
        String(one.number),
        showTime(one.createdAt),
        formatAuthor(one),
        count(one.rules.length, 'rule'),
        one.message ?? '',
      ])
      printTable(out, [rightColumn('change'), 'when (UTC)', 'author', 'rules', 'message'], changes, '')
    }
    return { json: jsonPolicyHistory(policies) }
  },
}

function rowOf({ id, rule, value, severity, environments, except }: PolicySet['rules'][number]): string[] {
  return [
    id,
    rule,
    value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value),
    severity,
    environments === undefined ? 'all' : environments.join(', '),
    (except ?? []).join(', '),
  ]
}

function environmentText({ rules, environment }: PolicyHistory): string {
  return environment === null
    ? 'The server does not know its environment (RATECARD_ENVIRONMENT), so every rule applies.'
    : (elsewhereText(rules, environment) ?? `The environment of the server is "${environment}".`)
}

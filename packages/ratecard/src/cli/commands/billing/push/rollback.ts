import { authorOf } from '../../../author.ts'
import type { Command } from '../../../program/command.ts'
import { redactRevisions } from '../../../terminal/conceal.ts'
import { redactEnvironment } from '../../../files/read-config.ts'
import { connect, type ServerConnection } from '../../../server-address.ts'
import { CliFailure, toFailure } from '../../../failure.ts'
import { placeWords } from '../../../../base/wording/place-words.ts'
import { jsonOutcome } from '../../../views/text/json.ts'
import { revisionNumber } from '../diff.ts'
import { showOutcome } from './push.ts'
import {
  actorOptions,
  approvalOption,
  confirmPlan,
  followStarted,
  hasChanges,
  impactOptions,
  overrideOf,
  overrideOption,
  overriding,
  showPlanOf,
} from '../../plan-and-apply.ts'

/** Returns the failure with the places of its issues in words, because the document of a revision is in no file. */
async function inRevision({ client, url }: ServerConnection, revision: number, error: unknown): Promise<CliFailure> {
  const failure = toFailure(error, { apiUrl: url })
  const { errors = [] } = failure.problem
  if (errors.length === 0) return failure
  const document = await client.admin.revision(revision).then(
    (found) => found.document,
    () => null,
  )
  const placed = errors.map((issue) => ({ ...issue, place: placeWords(document, issue.pointer) }))
  return new CliFailure(failure.exit, { ...failure.problem, errors: placed })
}

export const billingRollback: Command = {
  name: 'billing rollback',
  summary: 'Push the content of an earlier revision again',
  description:
    'Shows the plan, and then creates a new revision with the content of the earlier one. Prices that still exist at the processor are reactivated.',
  arguments: [{ name: '<revision>', description: 'A number from `ratecard billing history`.' }],
  options: [
    { flags: '--dry-run', description: 'Show the plan and stop.' },
    { flags: '--exit-code', description: 'With --dry-run: exit 3 when there are changes.' },
    approvalOption,
    ...impactOptions,
    overrideOption,
    ...actorOptions,
  ],
  examples: [{ command: 'ratecard billing rollback 4', what: 'push the content of revision 4 again' }],
  run: async (context) => {
    const { args, options, io, out } = context
    const revision = revisionNumber(args[0] ?? '')
    const connection = connect(context)
    const choices = {
      force: options.flag('force'),
      approveImpact: options.flag('approveImpact'),
      author: await authorOf(context),
      message: options.text('message'),
      ...overriding(overrideOf(context)),
      signal: io.signal,
    }
    const planned = await connection.client.admin
      .rollback(revision, { ...choices, dryRun: true })
      .catch(async (error: unknown) => Promise.reject(await inRevision(connection, revision, error)))
    redactEnvironment(context)
    await redactRevisions(context, connection.client, [revision, planned.revision])
    showPlanOf(context, connection, planned)
    if (options.flag('dryRun'))
      return { exit: options.flag('exitCode') && hasChanges(planned) ? 3 : 0, json: jsonOutcome(planned) }
    const exactly = await confirmPlan(context, connection, planned)
    out.say()
    const outcome = await followStarted(context, connection.client, planned, (signal) =>
      connection.client.admin.startRollback(revision, {
        ...choices,
        ...(exactly ? { expectPlan: planned.plan } : {}),
        idempotencyKey: crypto.randomUUID(),
        signal,
      }),
    )
    out.endProgress()
    showOutcome(context, outcome)
    return { json: jsonOutcome(outcome) }
  },
}

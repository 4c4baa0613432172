// Applies a saved plan: only at the server that it was made for, and only if the server computes the same plan again.
import { variablesOf } from '../../../../document/files/written-form.ts'
import type { PushOutcome } from '@ratecard/client'
import { authorOf } from '../../../author.ts'
import type { CommandContext } from '../../../program/command.ts'
import { redactPlan, redactVariables } from '../../../terminal/conceal.ts'
import { CliFailure } from '../../../failure.ts'
import { createPushQueue } from '../../../follow/push-queue.ts'
import { redactEnvironment } from '../../../files/read-config.ts'
import type { SavedPlan } from '../../../files/saved-plan.ts'
import { connect, sameServer } from '../../../server-address.ts'
import { showTime } from '../../../views/text/table.ts'
import { confirmPlan, overrideOf, overriding, pushAndFollow, showPlanOf } from '../../plan-and-apply.ts'

export async function applySavedPlan(asked: CommandContext, saved: SavedPlan): Promise<PushOutcome> {
  // Without `--env`, use the environment of the plan.
  const context = { ...asked, global: { ...asked.global, environment: asked.global.environment ?? saved.environment } }
  const connection = connect(context)
  const { options, io, out, global } = context
  if (global.environment !== saved.environment)
    throw planElsewhere(
      `It was made for ${saved.environment === null ? 'no environment' : `the environment ${saved.environment}`}.`,
    )
  if (!sameServer(connection.url, saved.apiUrl))
    throw planElsewhere(`It was made at ${saved.apiUrl}, and this would apply it at ${connection.url}.`)
  const choices = {
    force: saved.force,
    approveImpact: saved.approveImpact || options.flag('approveImpact'),
    author: await authorOf(context),
    message: options.text('message'),
    ...overriding(overrideOf(context)),
  }
  await createPushQueue(context, connection.client).untilFree()
  const planned = await connection.client.admin.push(saved.document, {
    ...choices,
    expectPlan: saved.plan,
    dryRun: true,
    signal: io.signal,
  })
  out.say(`Saved ${showTime(saved.createdAt)} UTC. A new plan would be the same.\n`)
  redactEnvironment(context)
  if (saved.written !== null) redactVariables(context.io, variablesOf(saved.written, saved.document))
  await redactPlan(context, connection.client, planned)
  showPlanOf(context, connection, planned)
  if (options.flag('dryRun')) return planned
  await confirmPlan(context, connection, planned, { approved: true })
  out.say()
  return pushAndFollow(context, connection.client, saved.document, {
    ...choices,
    plan: { ...planned, plan: saved.plan },
    exactly: true,
    written: saved.written,
  })
}

function planElsewhere(detail: string): CliFailure {
  return new CliFailure(1, {
    code: 'plan_elsewhere',
    title: 'The plan was made for another environment or server',
    detail: `${detail} Nothing was changed.`,
    hint: 'Plan again for the server that the plan is for: `ratecard billing push --plan-out FILE`.',
  })
}

// Redacts secrets in webhook URLs. Secrets are the values that this command expanded, the variables of the environment, and the values in
// stored revisions. To find the latter, the document of a revision is compared with its source document.
import type { Client, PushOutcome } from '@ratecard/client'
import { isSecretName } from '../../document/rules/variable-rules.ts'
import { variablesOf } from '../../document/files/written-form.ts'
import type { CommandContext } from '../program/command.ts'
import type { CliIo } from './io.ts'

export function redactVariables(io: CliIo, values: ReadonlyMap<string, string>): void {
  for (const [name, value] of values) if (isSecretName(name)) io.redact?.(name, value)
}

/** Registers the secrets of the revisions that a command shows. null in the list means that there is no revision. */
export async function redactRevisions(
  { io }: Pick<CommandContext, 'io'>,
  client: Client,
  revisions: readonly (number | null)[],
): Promise<void> {
  for (const revision of new Set(revisions)) {
    if (revision === null) continue
    const { document, written } = await client.admin.revision(revision, { signal: io.signal })
    if (document !== null && typeof written === 'object' && written !== null)
      redactVariables(io, variablesOf(written, document))
  }
}

/** Registers the secrets of the current revision if the plan changes a webhook, because a plan shows old values beside the new ones. */
export async function redactPlan(
  context: Pick<CommandContext, 'io'>,
  client: Client,
  plan: PushOutcome,
): Promise<void> {
  if (plan.details.some(({ kind, action }) => kind === 'webhook' && action !== 'keep'))
    await redactRevisions(context, client, [plan.revision])
}

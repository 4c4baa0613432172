// Secrets in the URL of a webhook are shown by their names: values that this command expanded, those of the chosen environment,
// and those of a revision that was pushed elsewhere, found by holding its document against how it was written.
import type { Client, PushOutcome } from '@ratecard/client'
import { isSecretName } from '../../config/rules/variable-rules.ts'
import { variablesOf } from '../../config/files/written-form.ts'
import type { CommandContext } from '../program/command.ts'
import type { CliIo } from './io.ts'

export function concealVariables(io: CliIo, values: ReadonlyMap<string, string>): void {
  for (const [name, value] of values) if (isSecretName(name)) io.conceal?.(name, value)
}

/** For a command that shows documents of the history; null stands for no revision. */
export async function concealRevisions(
  { io }: Pick<CommandContext, 'io'>,
  client: Client,
  revisions: readonly (number | null)[],
): Promise<void> {
  for (const revision of new Set(revisions)) {
    if (revision === null) continue
    const { document, written } = await client.admin.revision(revision, { signal: io.signal })
    if (document !== null && typeof written === 'object' && written !== null)
      concealVariables(io, variablesOf(written, document))
  }
}

/** For a plan, which shows what is in place beside what would be. */
export async function concealPlan(
  context: Pick<CommandContext, 'io'>,
  client: Client,
  plan: PushOutcome,
): Promise<void> {
  if (plan.details.some(({ kind, action }) => kind === 'webhook' && action !== 'keep'))
    await concealRevisions(context, client, [plan.revision])
}

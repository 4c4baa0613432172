// Notes that `billing pull` prints beside the document: how many items it has, what is left out, and the variables to set.
import type { Pulled } from '@ratecard/client'
import { itemsOf, resourceKinds } from '../../../../catalog/kinds.ts'
import type { BillingConfig } from '../../../../document/schema/schema.ts'
import { kindWord } from '../../../../base/wording/change-words.ts'
import type { CommandContext } from '../../../program/command.ts'
import type { SecretVariable } from '../../../files/webhook-secrets.ts'
import { escapeBreaks } from '../../../terminal/terminal-text.ts'
import { count } from '../../../views/issues.ts'

/** Returns the number of items of every kind, e.g. `2 products, 3 prices, 0 meters, …`. */
export function countsOf(document: BillingConfig): string {
  return resourceKinds.map((kind) => count(itemsOf(document, kind).length, kindWord(kind))).join(', ')
}

export function noteLeftOut({ out }: CommandContext, left: Pulled['unrepresentable']): void {
  for (const { kind, processorId, field, reason } of left) {
    const what = `${kindWord(kind)} ${processorId}`
    out.note(
      `${out.paint.yellow('left out')} ${field === null ? what : `the field ${escapeBreaks(field)} of ${what}`}: ${escapeBreaks(reason)}`,
    )
  }
  const fields = left.filter(({ field }) => field !== null).length
  const parts = [
    ...(left.length > fields ? [count(left.length - fields, 'object')] : []),
    ...(fields > 0 ? [count(fields, 'field')] : []),
  ]
  if (parts.length > 0)
    out.note(`${out.paint.yellow('left out')} ${parts.join(' and ')} in all; a push changes none of them.`)
}

/**
 * Tells which variables replace the secrets in webhook URLs. With `--debug` the values are left out, because the output of such a run is
 * made to be shared.
 */
export function noteVariables(
  { global, out }: Pick<CommandContext, 'global' | 'out'>,
  variables: readonly SecretVariable[],
): void {
  if (variables.length === 0) return
  const file = `ratecard/environments/.env.${global.environment ?? 'dev'}`
  const what =
    variables.length === 1 ? 'A secret in a webhook URL is a variable' : 'Secrets in webhook URLs are variables'
  out.note(`${out.paint.yellow('!')} ${what} now. Add to ${file}, which is not in version control:`)
  for (const { name, value } of variables)
    out.note(`  ${name}=${global.debug ? '(run again without --debug to see it)' : value}`)
}

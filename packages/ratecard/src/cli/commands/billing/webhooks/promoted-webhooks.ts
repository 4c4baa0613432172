// A promoted document may contain webhook URLs of its source environment. So webhooks that the target does not have yet must be confirmed.
import { webhookId } from '../../../../document/schema/ids.ts'
import { variableTexts } from '../../../../document/files/written-form.ts'
import type { BillingConfig } from '../../../../document/schema/schema.ts'
import type { CommandContext, EnvironmentName } from '../../../program/command.ts'
import { requireConsent } from '../../../terminal/confirm.ts'

export interface WebhookMove {
  readonly id: string
  readonly detail: string
}

/** Returns the endpoints to which the target environment has never delivered before: new webhooks, and webhooks whose URL changes. */
export function webhookMoves(
  target: BillingConfig | null,
  promoted: BillingConfig,
  written: object | null,
): WebhookMove[] {
  const own = new Set(variableTexts(written).map(({ pointer }) => pointer))
  const present = new Map((target?.webhooks ?? []).map((webhook) => [webhookId(webhook), webhook.url]))
  const known = new Set(present.values())
  return (
    (promoted.webhooks ?? [])
      // A URL that came from a variable is specific to the target environment and needs no confirmation.
      .filter(({ url }, index) => !known.has(url) && !own.has(`#/webhooks/${index}/url`))
      .map((webhook) => {
        const id = webhookId(webhook)
        const before = present.get(id)
        const change =
          before === undefined ? `would be sent to ${webhook.url}` : `would go to ${webhook.url} in place of ${before}`
        return { id, detail: `Webhook "${id}": events ${change}, the address that the source uses.` }
      })
  )
}

/** Asks for confirmation of the webhook URLs on a terminal. Without a terminal, `--yes` is required. */
export async function requireWebhooksMeant(
  context: CommandContext,
  moves: readonly WebhookMove[],
  to: EnvironmentName,
): Promise<void> {
  if (moves.length === 0) return
  await requireConsent(context, {
    question: `${to} would deliver events to the addresses above. Is this intended?`,
    title: 'Webhook addresses would change',
    detail: moves.map(({ detail }) => detail).join(' '),
    hint: `To confirm the addresses, pass --yes. Otherwise push the files of the same commit, which expand to the addresses of ${to}: \`ratecard billing push --env ${to}\`.`,
  })
}

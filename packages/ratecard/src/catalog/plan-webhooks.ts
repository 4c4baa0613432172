// What a webhook endpoint of somebody else means for ours: the account's limit, and double delivery.
import { refuse, warn } from './plan-context.ts'
import type { PlanContext } from './plan-context.ts'

/** Stripe's limit of endpoints per account; a push must not find out at its last step. */
const endpointLimit = 16

export function checkWebhooks(context: PlanContext): void {
  const live = context.own.all('webhook')
  const created = context.forward.filter((step) => step.op === 'create' && step.kind === 'webhook')
  const last = created.at(-1)
  if (last !== undefined && live.length + created.length > endpointLimit)
    refuse(
      context,
      last,
      'webhook_limit',
      `The account has ${String(live.length)} webhook endpoints; with ${String(created.length)} more it would exceed the processor’s limit of ${String(endpointLimit)}.`,
      'Delete endpoints that nobody needs in the processor’s dashboard, or listen to more events at one URL.',
    )
  for (const webhook of context.desired.webhook) {
    const foreign = live.find(
      (endpoint) =>
        endpoint.active &&
        endpoint.fields.url === webhook.fields.url &&
        context.own.ownerOf('webhook', endpoint.processorId) === null &&
        !context.settled.has('webhook', endpoint.processorId),
    )
    if (foreign !== undefined)
      warn(
        context,
        webhook,
        'webhook_url_foreign',
        `The endpoint ${foreign.processorId}, which is not ours, has the same URL: events would be delivered twice.`,
        `Delete it in the dashboard, or adopt it with "processor_id": "${foreign.processorId}".`,
      )
  }
}

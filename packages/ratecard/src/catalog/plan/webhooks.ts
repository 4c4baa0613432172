// Checks the webhook endpoints of the account for Stripe's limit, and for foreign endpoints with the same URL, which would receive events
// twice.
import { webhookKey } from '../../document/schema/ids.ts'
import type { Issue } from '../../base/errors/issue.ts'
import type { DesiredResource } from '../resource.ts'
import { planWarning, planError, type PlanState } from './state.ts'

/** Stripe's limit of webhook endpoints per account. The plan checks it, because otherwise a push would fail at its last step. */
export const endpointLimit = 16

export function webhookIssues(state: PlanState): Issue[] {
  return [...limitIssues(state), ...state.desired.webhook.flatMap((webhook) => foreignTwin(state, webhook))]
}

function limitIssues(state: PlanState): Issue[] {
  const live = state.own.all('webhook').length
  const created = state.steps.filter((step) => step.op === 'create' && step.kind === 'webhook')
  const last = created.at(-1)
  if (last === undefined || live + created.length <= endpointLimit) return []
  return [
    planError(
      state,
      last,
      'webhook_limit',
      `The account has ${String(live)} webhook endpoints; with ${String(created.length)} more it would exceed the processor’s limit of ${String(endpointLimit)}.`,
      'Delete unused endpoints in the processor’s dashboard, or let one URL receive more events.',
    ),
  ]
}

function foreignTwin(state: PlanState, webhook: DesiredResource<'webhook'>): Issue[] {
  const twin = state.own
    .all('webhook')
    .find(
      (endpoint) =>
        endpoint.active &&
        webhookKey(endpoint.fields) === webhookKey(webhook.fields) &&
        state.own.ownerOf('webhook', endpoint.processorId) === null &&
        !state.settled.has('webhook', endpoint.processorId),
    )
  if (twin === undefined) return []
  return [
    planWarning(
      state,
      webhook,
      'webhook_url_foreign',
      `The endpoint ${twin.processorId}, which Ratecard does not manage, has the same URL: if it is of the same kind, events are delivered twice.`,
      `If it is, adopt it with "processor_id": "${twin.processorId}". If it is the endpoint for connected accounts, leave it as it is, or adopt it as a webhook of its own with "connect": true.`,
    ),
  ]
}

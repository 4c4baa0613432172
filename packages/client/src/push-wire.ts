// The wire form of pushes and their live events; the rest is in wire.ts.
import { byOf } from './by.ts'
import { isRecord } from './error.ts'
import type * as result from './results.ts'
import type { Answers, PriceImpact, PushStep } from './wire-types.generated.ts'

export type WirePriceImpact = PriceImpact

export const priceImpactOf = (wire: WirePriceImpact): result.PriceImpact => ({
  priceId: wire.price_id,
  processorPriceId: wire.processor_price_id,
  action: wire.action,
  subscriptions: wire.subscriptions,
  subscriptionsWithoutTenant: wire.subscriptions_without_tenant,
  tenants: wire.tenants,
  monthly: wire.monthly,
  usageBased: wire.usage_based,
})

export type WirePushSummary = Answers['listPushes'][200]['pushes'][number]

export const pushSummaryOf = (wire: WirePushSummary): result.PushSummary => ({
  id: wire.id,
  kind: wire.kind,
  state: wire.state,
  version: wire.version,
  revision: wire.revision,
  author: wire.author,
  by: byOf(wire.by),
  message: wire.message,
  createdAt: wire.created_at,
  updatedAt: wire.updated_at,
  finishedAt: wire.finished_at,
  stepsTotal: wire.steps_total,
  stepsDone: wire.steps_done,
})

export type WirePushStep = PushStep

export const pushStepOf = (wire: WirePushStep): result.PushStep => ({
  index: wire.index,
  op: wire.op,
  kind: wire.kind,
  configId: wire.config_id,
  state: wire.state,
  attempts: wire.attempts,
  processorId: wire.processor_id,
  requestId: wire.request_id,
  error: wire.error,
})

export type WirePushReport = Answers['getPush'][200]

export const pushReportOf = (wire: WirePushReport): result.PushReport => ({
  ...pushSummaryOf(wire),
  steps: wire.steps.map(pushStepOf),
  error: wire.error,
})

export type WirePushEvent =
  | { type: 'state'; push_id: string; state: result.PushState; steps_done: number; steps_total: number }
  | { type: 'step'; push_id: string; step: WirePushStep; steps_done: number; steps_total: number }

export const pushEventOf = (wire: WirePushEvent): result.PushEvent => {
  const progress = { pushId: wire.push_id, stepsDone: wire.steps_done, stepsTotal: wire.steps_total }
  return wire.type === 'state'
    ? { type: 'state', state: wire.state, ...progress }
    : { type: 'step', step: pushStepOf(wire.step), ...progress }
}

/** Whether a parsed event is one that this client knows; later servers may send more kinds. */
export function isPushEvent(value: unknown): value is WirePushEvent {
  return isRecord(value) && (value['type'] === 'state' || value['type'] === 'step')
}

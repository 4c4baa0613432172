import { Type } from 'typebox'
import { pushStates } from '../store/records/journal.ts'
import { ChangeReport, Detail } from './changes.ts'
import { journalled, Pagination, PushKind, ResourceKind, Revision, StepState } from './notation/common.ts'
import { Formatted, NullableMinor, perhapsMirrored } from './notation/mirrored.ts'
import { actorHeaders, idParams, keyHeader, operations, pageQuery, pushErrors } from './notation/operation.ts'
import { Issue } from './problem.ts'
import { AnyObject, choice, closed, Count, nullable, shape, shared } from './notation/schema.ts'

const MonthlyImpact = Type.Array(
  Type.Object(
    {
      currency: Type.String(),
      amount: Count('Minor units, rounded half up once.'),
      formatted: Type.String({ description: 'The amount as people read it.' }),
    },
    closed,
  ),
  {
    description: 'Amount per month at list price. Empty for metered prices, because their amount depends on the usage.',
  },
)

export const PriceImpact = shape(
  'PriceImpact',
  {
    price_id: Type.String(),
    processor_price_id: Type.String({
      description: 'The one that is sold now. Its subscribers stay on it until they are moved.',
    }),
    action: Type.Enum(['archive', 'replace', 'update'], {
      description: '`update`: the price is changed in place, and there are subscribers on earlier generations of it.',
    }),
    subscriptions: Count('Subscriptions on the price that have not ended, on every generation of it.'),
    subscriptions_without_tenant: Count('Of these, those of customers that are no tenant.'),
    tenants: Count('Tenants that these subscriptions belong to.'),
    monthly: MonthlyImpact,
    usage_based: Type.Boolean(),
    generations: Type.Array(
      Type.Object(
        {
          processor_price_id: Type.String(),
          currency: Type.String({ description: 'Currency of `amount`.' }),
          amount: NullableMinor('Amount per unit and interval, in minor units; null with tiers.'),
          formatted: nullable(Formatted('`amount`')),
          subscriptions: Count('Subscriptions on this generation that have not ended.'),
          tenants: Count('Tenants that these subscriptions belong to.'),
          monthly: MonthlyImpact,
          current: Type.Boolean({ description: 'The one that is sold now.' }),
        },
        closed,
      ),
      { description: 'The one that is sold now, then earlier ones with subscribers, newest first.' },
    ),
  },
  'Subscriptions that the plan affects: live subscriptions on any generation of a price that it changes.',
)

export const PushOutcome = shape('PushOutcome', {
  status: Type.Enum(['applied', 'unchanged', 'planned']),
  version: Type.String(),
  revision: nullable(Revision),
  push_id: nullable(Type.String()),
  changes: shared(ChangeReport),
  details: Type.Array(shared(Detail)),
  warnings: Type.Array(shared(Issue)),
  impact: Type.Array(shared(PriceImpact)),
  ...perhapsMirrored,
  writes: Count('Calls that change something at the processor.'),
  plan: Type.String({ description: 'Fingerprint of the plan, for `X-Ratecard-Plan`.' }),
})

const PushStarted = Type.Object(
  { push_id: Type.String(), state: Type.Literal('running') },
  { ...closed, description: 'The push continues; its state is at the address in `Location`.' },
)

export const PushState = choice('PushState', pushStates)

const summary = {
  id: Type.String(),
  kind: PushKind,
  state: PushState,
  version: Type.String(),
  revision: nullable(Revision),
  ...journalled,
}
export const PushSummary = shape('PushSummary', summary)
export const PushStep = shape('PushStep', {
  index: Count('Number of the step, from 0.'),
  op: Type.Enum(['create', 'update', 'attach', 'detach', 'archive', 'record']),
  kind: ResourceKind,
  config_id: Type.String(),
  state: StepState,
  attempts: Count('How often it was begun.'),
  processor_id: nullable(Type.String()),
  request_id: nullable(Type.String()),
  error: nullable(AnyObject),
})
export const PushReport = shape('PushReport', {
  ...summary,
  error: nullable(AnyObject),
  steps: Type.Array(shared(PushStep)),
})

const progress = { push_id: Type.String(), steps_done: Count('Steps that are done.'), steps_total: Count('All steps.') }
/** Data of the server-sent events of a push, by event name. In the code and in the client, the event name is the member `type`. */
export const pushEvents = {
  state: shape('PushStateEvent', { ...progress, state: PushState }),
  step: shape('PushStepEvent', { ...progress, step: PushStep }),
}

export const pushQuery = {
  dry_run: Type.Boolean({ default: false, description: 'Only preview: nothing is written.' }),
  force: Type.Boolean({ default: false, description: 'Overwrite fields that were edited at the processor.' }),
  approve_impact: Type.Boolean({ default: false, description: 'Continue although live subscriptions are affected.' }),
}
const prefer = {
  prefer: Type.Optional(
    Type.String({ description: '`respond-async`: respond with 202 as soon as the push is accepted.' }),
  ),
}
export const pushHeaders = {
  ...prefer,
  ...keyHeader,
  'x-ratecard-written': Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{64}$',
      description:
        'Id of the document as its author wrote it, from `POST admin/config/written`: kept with the revision, so that it can be expanded for another environment.',
    }),
  ),
  'x-ratecard-plan': Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'Fingerprint (`plan`) of a plan that was shown before: any other plan is refused with `plan_stale`.',
    }),
  ),
  ...actorHeaders,
}

export const pushStarted = {
  description: 'Accepted and running (`Prefer: respond-async`).',
  schema: PushStarted,
  headers: { Location: { type: 'string', description: 'Where the push is followed.' } },
} as const

const path = '/api/v1/billing/admin/pushes'
const all = { tag: 'Pushes', access: 'service_key' } as const

export const pushOperations = operations({
  listPushes: {
    ...all,
    scope: 'read',
    method: 'GET',
    path,
    summary: 'Pushes, newest first',
    query: pageQuery,
    answers: {
      200: {
        description: 'A page of pushes.',
        schema: Type.Object({ pushes: Type.Array(PushSummary), pagination: Pagination }, closed),
      },
    },
  },
  getPush: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${path}/:id`,
    summary: 'A push with each of its steps',
    params: idParams,
    answers: { 200: { description: 'The push.', schema: PushReport } },
    errors: ['push_not_found'],
  },
  followPush: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${path}/:id/events`,
    summary: 'Live events of a push',
    description: 'Server-sent events `state` and `step`, from the present state until the push ends.',
    params: idParams,
    answers: { 200: { description: 'The events.', schema: Type.String(), mediaType: 'text/event-stream' } },
    events: pushEvents,
    errors: ['push_not_found'],
  },
  resumePush: {
    ...all,
    scope: 'write',
    method: 'POST',
    path: `${path}/:id/resume`,
    summary: 'Finish an interrupted push',
    params: idParams,
    headers: prefer,
    answers: { 200: { description: 'The push is applied.', schema: PushOutcome }, 202: pushStarted },
    errors: ['push_not_found', 'push_not_resumable', ...pushErrors],
  },
  cancelPush: {
    ...all,
    scope: 'write',
    method: 'POST',
    path: `${path}/:id/cancel`,
    summary: 'Stop a running push between two steps',
    description:
      'Waits for the write that is in flight. The push is then interrupted: it can be resumed, and the earlier version is still served.',
    params: idParams,
    answers: { 202: { description: 'The push as it is now; it stops shortly.', schema: PushSummary } },
    errors: ['push_not_found', 'push_not_running'],
  },
})

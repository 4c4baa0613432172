import { Type } from 'typebox'
import { pushStates } from '../../store/records/journal.ts'
import { ChangeReport, Detail } from './changes.ts'
import { journalled, Pagination, PushKind, ResourceKind, Revision, StepState } from '../notation/common.ts'
import { Formatted, NullableMinor, perhapsMirrored } from '../notation/mirrored.ts'
import {
  actorHeaders,
  idParams,
  keyHeader,
  operations,
  overrideQuery,
  pageQuery,
  pushErrors,
} from '../notation/operation.ts'
import { Violation } from './policies.ts'
import { Issue } from '../server/problem.ts'
import { AnyObject, choice, closed, Count, nullable, shape, sharedSchema, type Inside } from '../notation/schema.ts'
import type { Actor } from '../notation/callers.ts'

const MonthlyImpact = Type.Array(
  Type.Object(
    {
      currency: Type.String(),
      amount: Count('Amount in minor units, rounded half up once.'),
      formatted: Type.String({ description: 'The amount, formatted for display.' }),
    },
    closed,
  ),
  {
    description:
      'What the subscriptions pay a month, less discounts that last. Empty for metered prices, because their amount depends on the usage.',
  },
)

export const PriceImpact = shape(
  'PriceImpact',
  {
    price_id: Type.String(),
    processor_price_id: Type.String({
      description: 'Processor id of the price that is sold now. Its subscribers keep it until they are moved.',
    }),
    action: Type.Enum(['archive', 'replace', 'update'], {
      description: '`update`: the price is changed in place, and some subscribers still pay an earlier price.',
    }),
    subscriptions: Count('Subscriptions to the price that have not ended, including those on its earlier prices.'),
    subscriptions_without_tenant: Count('How many of these subscriptions belong to customers that are not tenants.'),
    tenants: Count('Number of tenants that these subscriptions belong to.'),
    monthly: MonthlyImpact,
    monthly_after: Type.Array(MonthlyImpact.items, {
      description:
        'What the same subscriptions would pay at the new price. Empty if the price is not replaced, or if the amount depends on the usage.',
    }),
    subscribers_url: Type.String({ description: 'Path of the list of the subscribers of the price.' }),
    usage_based: Type.Boolean(),
    generations: Type.Array(
      Type.Object(
        {
          processor_price_id: Type.String(),
          currency: Type.String({ description: 'Currency of `amount`.' }),
          amount: NullableMinor('Amount per unit and interval, in minor units; null with tiers.'),
          formatted: nullable(Formatted('`amount`')),
          subscriptions: Count('Subscriptions to this version of the price that have not ended.'),
          tenants: Count('Number of tenants that these subscriptions belong to.'),
          monthly: MonthlyImpact,
          current: Type.Boolean({ description: 'True for the version of the price that is sold now.' }),
        },
        closed,
      ),
      {
        description:
          'Versions of the price: the one that is sold now, then earlier ones that still have subscribers, newest first.',
      },
    ),
  },
  'Live subscriptions to the prices that the plan changes, including those on their earlier prices.',
)
export type PriceImpact = Inside<typeof PriceImpact>

export const AffectedSubscriber = shape(
  'AffectedSubscriber',
  {
    price_id: Type.String(),
    tenant_id: nullable(Type.String({ description: 'null: the customer is not a tenant.' })),
    customer: Type.String({ description: 'Id of the customer at the processor.' }),
    name: nullable(Type.String({ description: 'Name of the tenant.' })),
    subscription: Type.String(),
    currency: Type.String(),
    before: Count('What it pays a month, in minor units, less discounts that last.'),
    after: Count('What it would pay at the new price.'),
  },
  'A subscriber who would pay another amount at a new price.',
)
export type AffectedSubscriber = Inside<typeof AffectedSubscriber>

export const PushOutcome = shape('PushOutcome', {
  status: Type.Enum(['applied', 'unchanged', 'planned']),
  version: Type.String(),
  revision: nullable(Revision),
  push_id: nullable(Type.String()),
  summary: Type.String({
    description:
      'Summary of the plan in sentences: which prices change, which customers keep their price, and the monthly amounts.',
  }),
  changes: sharedSchema(ChangeReport),
  details: Type.Array(sharedSchema(Detail)),
  warnings: Type.Array(sharedSchema(Issue)),
  violations: Type.Array(sharedSchema(Violation), {
    description: 'Policies that the plan breaks. With severity `deny` a push is refused, unless they are overridden.',
  }),
  impact: Type.Array(sharedSchema(PriceImpact)),
  who: Type.Array(sharedSchema(AffectedSubscriber), {
    description:
      'Subscribers who would pay another amount at a new price: for each currency, the ten with the largest difference. All: `subscribers_url` of a price in `impact`.',
  }),
  ...perhapsMirrored,
  writes: Count('Number of write requests to the processor.'),
  plan: Type.String({ description: 'Fingerprint of the plan, for `X-Ratecard-Plan`.' }),
})
export type PushOutcome = Inside<typeof PushOutcome>

const PushStarted = Type.Object(
  { push_id: Type.String(), state: Type.Literal('running') },
  {
    ...closed,
    description: 'The push continues in the background. The header `Location` contains the path of its state.',
  },
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
export type PushSummary = Inside<typeof PushSummary>

export const PushStep = shape('PushStep', {
  index: Count('Number of the step, from 0.'),
  op: Type.Enum(['create', 'update', 'attach', 'detach', 'archive', 'record']),
  kind: ResourceKind,
  config_id: Type.String(),
  state: StepState,
  attempts: Count('Number of attempts.'),
  processor_id: nullable(Type.String()),
  request_id: nullable(Type.String()),
  error: nullable(AnyObject),
})
export type PushStep = Inside<typeof PushStep>

export const PushReport = shape('PushReport', {
  ...summary,
  error: nullable(AnyObject),
  steps: Type.Array(sharedSchema(PushStep)),
})
export type PushReport = Inside<typeof PushReport>

const progress = { push_id: Type.String(), steps_done: Count('Steps that are done.'), steps_total: Count('All steps.') }
/** Data of the server-sent events of a push, by event name. In the code and in the client, the event name is the member `type`. */
export const pushEvents = {
  state: shape('PushStateEvent', { ...progress, state: PushState }),
  step: shape('PushStepEvent', { ...progress, step: PushStep }),
}

export type PushEvent = {
  readonly [Type in keyof typeof pushEvents]: { readonly type: Type } & Inside<(typeof pushEvents)[Type]>
}[keyof typeof pushEvents]

export const pushQuery = {
  dry_run: Type.Boolean({ default: false, description: 'Only preview the change: nothing is written.' }),
  force: Type.Boolean({ default: false, description: 'Overwrite fields that were edited at the processor.' }),
  approve_impact: Type.Boolean({ default: false, description: 'Approve that live subscriptions are affected.' }),
  ...overrideQuery,
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
        'Id of the source document, from `POST admin/config/written`. It is stored with the revision, so that the document can be expanded with the variables of another environment.',
    }),
  ),
  'x-ratecard-plan': Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{64}$',
      description:
        'Fingerprint (`plan`) of the plan to apply. If the plan has changed since, the push is refused with `plan_stale`.',
    }),
  ),
  ...actorHeaders,
}

export const pushStarted = {
  description: 'The push was accepted and is running (`Prefer: respond-async`).',
  schema: PushStarted,
  headers: { Location: { type: 'string', description: 'Path at which the progress of the push can be read.' } },
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
    summary: 'Get a push with all its steps',
    params: idParams,
    answers: { 200: { description: 'The push.', schema: PushReport } },
    errors: ['push_not_found'],
  },
  followPush: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${path}/:id/events`,
    summary: 'Stream the events of a push',
    description: 'Server-sent events `state` and `step`, from the current state until the push ends.',
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
    query: overrideQuery,
    headers: { ...prefer, ...actorHeaders },
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
      'Waits until the current write is done. The push is then interrupted: it can be resumed, and until then the earlier version is served.',
    params: idParams,
    answers: { 202: { description: 'The current state of the push, which stops shortly.', schema: PushSummary } },
    errors: ['push_not_found', 'push_not_running'],
  },
})

export interface PushOptions extends Actor {
  readonly dryRun?: boolean
  /** True to overwrite fields that were edited at the processor. */
  readonly force?: boolean
  readonly approveImpact?: boolean
  /** Ids of the policies to override. */
  readonly override?: readonly string[]
  /** Fingerprint of an approved plan. If the push would have another plan, it throws `plan_stale`. */
  readonly expectPlan?: string
  /** Id of the source document, which `keepWritten` returned. */
  readonly written?: string
  readonly signal?: AbortSignal
  /** Called when the push is in the journal, before its first step (for `Prefer: respond-async`). */
  readonly onOpen?: (pushId: string) => void
}

// Operations on the configuration, for callers with a service key: read, push, validate, roll back, pull, drift, reset.
import { Type } from 'typebox'
import type { BillingConfig } from '../../document/schema/schema.ts'
import { Detail } from './changes.ts'
import { Ids, ResourceKind, Revision } from '../notation/common.ts'
import {
  actorHeaders,
  keyHeader,
  operations,
  overrideQuery,
  processorErrors,
  pushErrors,
} from '../notation/operation.ts'
import { Issue } from '../server/problem.ts'
import { pushHeaders, PushOutcome, pushQuery, pushStarted } from './pushes.ts'
import {
  AnyObject,
  asWritten,
  closed,
  Count,
  document,
  nullable,
  shape,
  sharedSchema,
  Time,
  type Inside,
} from '../notation/schema.ts'
import type { Actor } from '../notation/callers.ts'

const Document = document<BillingConfig>('BillingConfig')
/** A configuration document whose content the API schema does not check. The service validates it later and returns detailed issues. */
const GivenDocument = document<unknown>('BillingConfig')

export const ServedConfig = shape('ServedConfig', {
  id: Type.String(),
  version: Type.String(),
  revision: Revision,
  created_at: Time('Time at which the first revision was applied.'),
  updated_at: Time('Time at which this revision was applied.'),
  config: Document,
})
export type ServedConfig = Inside<typeof ServedConfig>

export const Validation = shape('Validation', {
  valid: Type.Boolean(),
  errors: Type.Array(sharedSchema(Issue)),
  warnings: Type.Array(sharedSchema(Issue)),
})

const PullReport = Type.Object(
  {
    document: Document,
    unrepresented: Type.Array(
      Type.Object(
        {
          kind: Type.String(),
          processor_id: Type.String(),
          field: nullable(Type.String({ description: 'The omitted field; null if the whole object is omitted.' })),
          reason: Type.String(),
        },
        closed,
      ),
    ),
  },
  closed,
)

export const DriftReport = shape('DriftReport', {
  in_sync: Type.Boolean(),
  revision: Revision,
  version: Type.String(),
  edited_fields: Count('Number of fields that were edited. An object that is missing at the processor counts as one.'),
  differences: Type.Array(sharedSchema(Detail)),
  notes: Type.Array(
    Type.Object(
      {
        kind: ResourceKind,
        config_id: Type.String(),
        processor_id: Type.String(),
        not_expressible: Type.Array(Type.String(), { description: 'Members of the processor’s object.' }),
      },
      closed,
    ),
    { description: 'Values on managed objects that no document sets. They do not count as drift.' },
  ),
  unmanaged: Type.Array(
    Type.Object({ kind: ResourceKind, processor_id: Type.String(), name: nullable(Type.String()) }, closed),
  ),
})
export type DriftReport = Inside<typeof DriftReport>

export const ResetReport = shape('ResetReport', {
  archived: asWritten(
    Type.Object(
      {
        products: Ids,
        prices: Ids,
        features: Ids,
        meters: Ids,
        coupons: Ids,
        promotion_codes: Ids,
        tax_rates: Ids,
        portal: Ids,
      },
      closed,
    ),
  ),
  errors: Type.Array(Type.Object({ kind: ResourceKind, config_id: Type.String(), detail: Type.String() }, closed)),
  revision: Revision,
})
export type ResetReport = Inside<typeof ResetReport>

const path = '/api/v1/billing/admin/config'
const all = { tag: 'Configuration', access: 'service_key' } as const
/** Maximum size of a document in bytes (10 MiB). */
const documentLimit = 10 * 1024 * 1024
const pushAnswers = {
  200: { description: 'Applied, unchanged, or (`dry_run`) planned.', schema: PushOutcome },
  202: pushStarted,
} as const

export const configOperations = operations({
  getFullConfig: {
    ...all,
    scope: 'read',
    method: 'GET',
    path,
    summary: 'The whole configuration',
    answers: { 200: { description: 'The whole configuration, including hidden prices.', schema: ServedConfig } },
    errors: ['config_not_found'],
  },
  pushConfig: {
    ...all,
    scope: 'dry_run',
    method: 'POST',
    path,
    summary: 'Push a configuration document',
    description:
      'Validates the document, plans the changes, and applies them to the processor. The document must be complete: managed items that it does not contain are archived.',
    query: pushQuery,
    headers: pushHeaders,
    body: GivenDocument,
    bodyLimit: documentLimit,
    keepsText: true,
    answers: pushAnswers,
    errors: pushErrors,
  },
  keepWritten: {
    ...all,
    scope: 'write',
    method: 'POST',
    path: `${path}/written`,
    summary: 'Store a document as its author wrote it, with its `${NAME}` placeholders, for a push',
    description:
      'The body is the document before its variables are expanded. Send the returned id in `X-Ratecard-Written` with the push of the expanded document. A document that no push uses within a day is deleted.',
    body: AnyObject,
    bodyLimit: documentLimit,
    keepsText: true,
    answers: {
      200: {
        description: 'Kept.',
        schema: Type.Object(
          { written: Type.String({ description: 'Id for `X-Ratecard-Written`: 64 hexadecimal digits.' }) },
          closed,
        ),
      },
    },
  },
  validateConfig: {
    ...all,
    scope: 'read',
    method: 'POST',
    path: `${path}/validate`,
    summary: 'Validate a configuration document; applies nothing',
    body: GivenDocument,
    bodyLimit: documentLimit,
    keepsText: true,
    answers: {
      200: { description: 'The result of the validation, for valid and invalid documents.', schema: Validation },
    },
  },
  rollbackConfig: {
    ...all,
    scope: 'dry_run',
    method: 'POST',
    path: `${path}/rollback`,
    summary: 'Push the content of an earlier revision as a new one',
    query: pushQuery,
    headers: pushHeaders,
    body: Type.Object(
      { revision: Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'The revision to go back to.' }) },
      closed,
    ),
    answers: pushAnswers,
    errors: ['revision_not_found', ...pushErrors],
  },
  pullConfig: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${path}/pull`,
    summary: 'Generate a configuration document from the active objects at the processor',
    query: {
      report: Type.Boolean({
        default: false,
        description: 'Also list the parts of objects that a document cannot express.',
      }),
      codes: Type.Enum(['all', 'active'], {
        default: 'all',
        description: '`active` leaves out promotion codes that were used up, have expired or are switched off.',
      }),
    },
    answers: {
      200: {
        description: 'The document; with `report`, the document and what it cannot express.',
        schema: Type.Union([Document, PullReport]),
        headers: {
          'X-Ratecard-Unrepresented': {
            type: 'integer',
            description: 'How many objects have parts that the document cannot express.',
          },
        },
      },
    },
    errors: [...processorErrors, 'account_mismatch'],
  },
  getDrift: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${path}/drift`,
    summary: 'Compare the last applied version with the live objects at the processor',
    answers: { 200: { description: 'The differences, one per field.', schema: DriftReport } },
    errors: ['config_not_found', ...processorErrors, 'account_mismatch'],
  },
  resetConfig: {
    ...all,
    scope: 'write',
    method: 'POST',
    path: `${path}/reset`,
    summary: 'Archive everything',
    description:
      'Archives every managed product, price, feature, meter, coupon, promotion code, tax rate and portal configuration. Webhooks stay.',
    query: {
      scope: Type.Enum(['managed', 'account'], {
        default: 'managed',
        description: '`account` also archives objects that Ratecard did not create.',
      }),
      ...overrideQuery,
    },
    headers: { ...keyHeader, ...actorHeaders },
    answers: { 200: { description: 'The archived objects.', schema: ResetReport } },
    errors: pushErrors,
  },
})

/** The public configuration with its JSON as bytes. Both are created once per revision. */
export interface PublishedConfig {
  readonly served: ServedConfig
  /** Body of the complete JSON response of `GET config`. */
  readonly body: Buffer
  /** Strong entity tag of the response, with quotes. */
  readonly etag: string
}

export interface ResetOptions extends Actor {
  /**
   * `managed`: archives the objects that Ratecard manages. `account`: archives all other objects too, e.g. prices created in Stripe's
   * dashboard.
   */
  readonly scope: 'managed' | 'account'
  /** Ids of the policies to override. */
  readonly override?: readonly string[]
}

/** A document as JSON text or as a parsed value. */
export type GivenDocument = string | object

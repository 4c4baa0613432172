// Operations on accepted revisions: the history, a single revision, and the difference of two revisions.
import { Type } from 'typebox'
import type { BillingConfig } from '../../document/schema/schema.ts'
import { ChangeReport, DocumentDifference } from './changes.ts'
import { Violation } from './policies.ts'
import { AffectedSubscriber, PriceImpact } from './pushes.ts'
import { By, Pagination, PushKind, ResourceKind, Revision as RevisionNumber } from '../notation/common.ts'
import { operations, pageQuery } from '../notation/operation.ts'
import { AnyObject, closed, document, nullable, shape, sharedSchema, Time, type Inside } from '../notation/schema.ts'

const entry = {
  revision: RevisionNumber,
  version: Type.String(),
  kind: PushKind,
  created_at: Time('Time at which the revision was applied.'),
  author: nullable(Type.String()),
  by: nullable(By),
  message: nullable(Type.String()),
  checksum: Type.String({ description: 'SHA-256 of the document’s canonical JSON; empty for a reset.' }),
  push_id: nullable(
    Type.String({
      description: 'Id of the push that created the revision. The push contains the processor’s request ids.',
    }),
  ),
  changes: sharedSchema(ChangeReport),
  overrides: Type.Array(Type.String(), {
    description: 'Ids of the overridden policies. `message` contains the reason.',
  }),
  actions: Type.Array(
    Type.Object(
      {
        kind: ResourceKind,
        config_id: Type.String(),
        action: Type.Enum(['adopt', 'reactivate', 'rename', 'replace']),
      },
      closed,
    ),
    {
      description:
        'Changes that `changes` lists under another name: replaced and renamed resources are in `updated`, adopted and reactivated ones in `created`.',
    },
  ),
  headline: nullable(
    Type.Object(
      {
        kind: ResourceKind,
        config_id: Type.String(),
        action: Type.Enum(['create', 'adopt', 'reactivate', 'update', 'rename', 'replace', 'archive']),
        before: nullable(
          Type.String({ description: 'The resource before, e.g. `€16.00 / month`; null if it was created.' }),
        ),
        after: nullable(Type.String({ description: 'The resource after; null if it was archived.' })),
      },
      {
        ...closed,
        description:
          'The change that says most of the revision, for lists: a price that got another amount, or else the first change. Null for a revision that changed nothing.',
      },
    ),
  ),
  archived_webhooks: Type.Array(Type.String(), {
    description: 'Removed webhooks, which `changes` does not list.',
  }),
}
export const HistoryEntry = shape('HistoryEntry', entry)
export type HistoryEntry = Inside<typeof HistoryEntry>

export const History = shape('History', { versions: Type.Array(HistoryEntry), pagination: Pagination })
export const Revision = shape(
  'Revision',
  {
    ...entry,
    document: nullable(document<BillingConfig>('BillingConfig')),
    written: nullable(AnyObject),
    plan: nullable(
      Type.Object(
        {
          summary: Type.String({ description: 'What the plan said of customers and money when it was applied.' }),
          impact: Type.Array(sharedSchema(PriceImpact)),
          who: Type.Array(sharedSchema(AffectedSubscriber)),
          violations: Type.Array(sharedSchema(Violation), { description: 'Policies that the plan broke.' }),
        },
        { ...closed, description: 'The plan as it was applied; null for a revision without a push.' },
      ),
    ),
  },
  '`document` is null for a reset. `written` is the source document, with `${NAME}` where `document` has values; null if the push sent no source document.',
)
export type RevisionDetail = Inside<typeof Revision>

const path = '/api/v1/billing/admin/config/history'
const all = { tag: 'Configuration', access: 'service_key', scope: 'read', method: 'GET' } as const
const inPath = Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Number of a revision.' })

export const revisionOperations = operations({
  listVersions: {
    ...all,
    path,
    summary: 'List the accepted changes, newest first',
    query: pageQuery,
    answers: { 200: { description: 'A page of the history.', schema: History } },
  },
  getRevision: {
    ...all,
    path: `${path}/:revision`,
    summary: 'Get a revision with its document',
    params: { revision: inPath },
    answers: { 200: { description: 'The revision.', schema: Revision } },
    errors: ['revision_not_found'],
  },
  compareRevisions: {
    ...all,
    path: `${path}/:from/diff/:to`,
    summary: 'Compare two revisions',
    params: { from: inPath, to: inPath },
    answers: {
      200: {
        description: 'One entry for each configuration id that differs.',
        schema: Type.Object(
          { from: Type.Integer(), to: Type.Integer(), differences: Type.Array(DocumentDifference) },
          closed,
        ),
      },
    },
    errors: ['revision_not_found'],
  },
})

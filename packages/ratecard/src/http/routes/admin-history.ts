import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Page, Service } from '../../service.ts'
import { describeRoute } from '../contract.ts'
import { pageQuery } from '../request-parts.ts'
import { differenceToWire, historyEntryToWire, paginationToWire, revisionToWire } from '../wire.ts'
import { DifferenceSchema, HistoryEntrySchema, PaginationSchema, RevisionSchema } from '../wire-schemas.ts'

const closed = { additionalProperties: false } as const
const RevisionNumber = Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Number of a revision.' })

/** What was applied before: the list, one revision, and the difference of two. */
export function adminHistoryRoutes(
  app: FastifyInstance,
  { service }: { readonly service: Pick<Service, 'history' | 'revision' | 'difference'> },
): void {
  app.get<{ Querystring: Page }>(
    '/config/history',
    {
      schema: describeRoute({
        operationId: 'listVersions',
        scope: 'read',
        summary: 'Accepted changes, newest first',
        tag: 'Configuration',
        access: 'service_key',
        query: pageQuery,
        answers: {
          200: {
            description: 'A page of the history.',
            schema: Type.Object({ versions: Type.Array(HistoryEntrySchema), pagination: PaginationSchema }, closed),
          },
        },
      }),
    },
    async ({ query: { limit, offset } }) => {
      const page = { limit, offset }
      const { items, total } = await service.history(page)
      return { versions: items.map(historyEntryToWire), pagination: paginationToWire(page, total, items.length) }
    },
  )
  app.get<{ Params: { revision: number } }>(
    '/config/history/:revision',
    {
      schema: describeRoute({
        operationId: 'getRevision',
        scope: 'read',
        summary: 'One revision with its document',
        tag: 'Configuration',
        access: 'service_key',
        params: Type.Object({ revision: RevisionNumber }),
        answers: { 200: { description: 'The revision.', schema: RevisionSchema } },
        errors: ['revision_not_found'],
      }),
    },
    async ({ params }) => revisionToWire(await service.revision(params.revision)),
  )
  app.get<{ Params: { from: number; to: number } }>(
    '/config/history/:from/diff/:to',
    {
      schema: describeRoute({
        operationId: 'compareRevisions',
        scope: 'read',
        summary: 'What changed in meaning between two revisions',
        tag: 'Configuration',
        access: 'service_key',
        params: Type.Object({ from: RevisionNumber, to: RevisionNumber }),
        answers: {
          200: {
            description: 'One entry per configuration id that differs.',
            schema: Type.Object(
              { from: Type.Integer(), to: Type.Integer(), differences: Type.Array(DifferenceSchema) },
              closed,
            ),
          },
        },
        errors: ['revision_not_found'],
      }),
    },
    async ({ params: { from, to } }) => ({
      from,
      to,
      differences: (await service.difference(from, to)).map(differenceToWire),
    }),
  )
}

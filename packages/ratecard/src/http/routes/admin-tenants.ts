import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Page, Service } from '../../service.ts'
import type { NewTenant, TenantChange } from '../../service-tenants.ts'
import { describeRoute, customerErrors } from '../contract.ts'
import type { KeyRoute } from '../contract.ts'
import { answerKeyed, keyErrors, keyHeader } from '../keyed-answer.ts'
import { actorHeaders, callerOf, idParams, pageQuery } from '../request-parts.ts'
import type { IdParams } from '../request-parts.ts'
import {
  AuditEntrySchema,
  NewTenantSchema,
  TenantChangeSchema,
  TenantSchema,
  TenantSubscriptionsSchema,
  UpcomingInvoiceSchema,
} from '../tenant-schemas.ts'
import { auditEntryToWire, tenantSubscriptionsToWire, tenantToWire, upcomingInvoiceToWire } from '../tenant-wire.ts'
import { paginationToWire } from '../wire.ts'
import { closed, PaginationSchema } from '../wire-schemas.ts'

export interface AdminTenantDeps {
  readonly service: Pick<
    Service,
    | 'createTenant'
    | 'listTenants'
    | 'findTenant'
    | 'updateTenant'
    | 'removeTenant'
    | 'tenantAudit'
    | 'tenantSubscriptions'
    | 'upcomingInvoices'
    | 'idempotent'
  >
}

const contract = (rest: Omit<KeyRoute, 'tag' | 'access'>) =>
  describeRoute({ tag: 'Tenants', access: 'service_key', ...rest })
const path = '/api/v1/billing/admin/tenants'
const tenantAnswer = { 200: { description: 'The tenant.', schema: TenantSchema } } as const

interface WireTenant {
  readonly id?: string
  readonly name?: string
  readonly email?: string | null
  readonly processor_customer_id?: string | null
}

/** Absent members stay absent: null is a value of its own here. */
function fieldsOf({ processor_customer_id: customer, ...fields }: WireTenant): TenantChange & { readonly id?: string } {
  return { ...fields, ...(customer === undefined ? {} : { processorCustomerId: customer }) }
}

/** Tenants: who buys, what they are on, and what was changed about them. */
export function adminTenantRoutes(app: FastifyInstance, deps: AdminTenantDeps): void {
  createRoute(app, deps)
  listRoute(app, deps)
  oneRoutes(app, deps)
  removeRoute(app, deps)
  subscriptionRoutes(app, deps)
  auditRoute(app, deps)
}

function createRoute(app: FastifyInstance, { service }: AdminTenantDeps): void {
  app.post<{ Body: WireTenant & Pick<NewTenant, 'name'> }>(
    '/tenants',
    {
      schema: contract({
        operationId: 'createTenant',
        scope: 'write',
        summary: 'Create a tenant',
        headers: { ...keyHeader, ...actorHeaders },
        body: NewTenantSchema,
        answers: {
          201: {
            description: 'The tenant.',
            schema: TenantSchema,
            headers: { Location: { type: 'string', description: 'Where it is.' } },
          },
        },
        errors: ['conflict', ...keyErrors],
      }),
    },
    (request, reply) =>
      answerKeyed(service, request, reply, async () => {
        const tenant = await service.createTenant(
          { ...fieldsOf(request.body), name: request.body.name },
          callerOf(request),
        )
        return { status: 201, body: tenantToWire(tenant), location: `${path}/${encodeURIComponent(tenant.id)}` }
      }),
  )
}

interface ListQuery extends Page {
  readonly processor_customer_id?: string
  readonly enterprise_template?: string
  readonly enterprise_id?: string
}

function listRoute(app: FastifyInstance, { service }: AdminTenantDeps): void {
  const filter = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 255, description }))
  app.get<{ Querystring: ListQuery }>(
    '/tenants',
    {
      schema: contract({
        operationId: 'listTenants',
        scope: 'read',
        summary: 'Tenants by id',
        query: {
          ...pageQuery,
          processor_customer_id: filter('Only the tenant of this customer at the processor.'),
          enterprise_template: filter('Only tenants that have this template.'),
          enterprise_id: filter('Only tenants that have this enterprise id.'),
        },
        answers: {
          200: {
            description: 'A page of tenants.',
            schema: Type.Object({ tenants: Type.Array(TenantSchema), pagination: PaginationSchema }, closed),
          },
        },
      }),
    },
    async ({ query: { limit, offset, ...filters } }) => {
      const page = { limit, offset }
      const { items, total } = await service.listTenants({
        ...page,
        ...(filters.processor_customer_id === undefined ? {} : { processorCustomerId: filters.processor_customer_id }),
        ...(filters.enterprise_template === undefined ? {} : { enterpriseTemplate: filters.enterprise_template }),
        ...(filters.enterprise_id === undefined ? {} : { enterpriseId: filters.enterprise_id }),
      })
      return { tenants: items.map(tenantToWire), pagination: paginationToWire(page, total, items.length) }
    },
  )
}

function oneRoutes(app: FastifyInstance, { service }: AdminTenantDeps): void {
  app.get<{ Params: IdParams }>(
    '/tenants/:id',
    {
      schema: contract({
        operationId: 'getTenant',
        scope: 'read',
        summary: 'A tenant',
        params: idParams,
        answers: tenantAnswer,
        errors: ['tenant_not_found'],
      }),
    },
    async ({ params }) => tenantToWire(await service.findTenant(params.id)),
  )
  app.patch<{ Params: IdParams; Body: WireTenant }>(
    '/tenants/:id',
    {
      schema: contract({
        operationId: 'updateTenant',
        scope: 'write',
        summary: 'Change a tenant',
        description:
          'Another customer (or none) is refused while the present one has live subscriptions or enterprise pricing; its checkout pages that can still be paid are closed. It stays at the processor as it is.',
        params: idParams,
        headers: actorHeaders,
        body: TenantChangeSchema,
        answers: tenantAnswer,
        errors: ['tenant_not_found', 'conflict', 'tenant_busy', ...customerErrors],
      }),
    },
    async (request) =>
      tenantToWire(await service.updateTenant(request.params.id, fieldsOf(request.body), callerOf(request))),
  )
}

function removeRoute(app: FastifyInstance, { service }: AdminTenantDeps): void {
  app.delete<{ Params: IdParams }>(
    '/tenants/:id',
    {
      schema: contract({
        operationId: 'removeTenant',
        scope: 'write',
        summary: 'Remove a tenant',
        description:
          'Refused while it has live subscriptions. Its sessions end, and so do its checkout pages that can still be paid; its audit trail stays. Its customer stays at the processor as it is.',
        params: idParams,
        headers: actorHeaders,
        answers: { 204: { description: 'Removed.', schema: null } },
        errors: ['tenant_not_found', 'conflict', 'tenant_busy', ...customerErrors],
      }),
    },
    async (request, reply) => {
      await service.removeTenant(request.params.id, callerOf(request))
      return reply.code(204).send()
    },
  )
}

function subscriptionRoutes(app: FastifyInstance, { service }: AdminTenantDeps): void {
  app.get<{ Params: IdParams }>(
    '/tenants/:id/subscriptions',
    {
      schema: contract({
        operationId: 'listTenantSubscriptions',
        scope: 'read',
        summary: 'What a tenant is subscribed to now, by config price id',
        params: idParams,
        answers: { 200: { description: 'The subscriptions.', schema: TenantSubscriptionsSchema } },
        errors: ['tenant_not_found', ...customerErrors],
      }),
    },
    async ({ params }) => tenantSubscriptionsToWire(params.id, await service.tenantSubscriptions(params.id)),
  )
  app.get<{ Params: IdParams }>(
    '/tenants/:id/upcoming-invoice',
    {
      schema: contract({
        operationId: 'getUpcomingInvoice',
        scope: 'read',
        summary: 'What a tenant will be invoiced next',
        params: idParams,
        answers: { 200: { description: 'The processor’s preview.', schema: UpcomingInvoiceSchema } },
        errors: ['tenant_not_found', ...customerErrors],
      }),
    },
    async ({ params }) => upcomingInvoiceToWire(params.id, await service.upcomingInvoices(params.id)),
  )
}

function auditRoute(app: FastifyInstance, { service }: AdminTenantDeps): void {
  app.get<{ Params: IdParams; Querystring: Page }>(
    '/tenants/:id/audit',
    {
      schema: contract({
        operationId: 'listTenantAudit',
        scope: 'read',
        summary: 'What was changed about a tenant, newest first',
        params: idParams,
        query: pageQuery,
        answers: {
          200: {
            description: 'A page of the trail.',
            schema: Type.Object({ entries: Type.Array(AuditEntrySchema), pagination: PaginationSchema }, closed),
          },
        },
        errors: ['tenant_not_found'],
      }),
    },
    async ({ params, query: { limit, offset } }) => {
      const page = { limit, offset }
      const { items, total } = await service.tenantAudit(params.id, page)
      return { entries: items.map(auditEntryToWire), pagination: paginationToWire(page, total, items.length) }
    },
  )
}

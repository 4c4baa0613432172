// Operation on dropped usage: the processor accepted the usage and dropped it later, as its error events report.
import { Type } from 'typebox'
import { reportUsageAgain } from '../errors/advice.ts'
import { TenantId } from './notation/common.ts'
import { customerErrors, operations } from './notation/operation.ts'
import { closed, Count, nullable, shape, Time } from './notation/schema.ts'

export const DroppedUsage = shape(
  'DroppedUsage',
  {
    at: Time('When the processor reported it.'),
    meter: nullable(Type.String({ description: 'Config id; null when it is not in the config.' })),
    processor_meter_id: nullable(Type.String({ description: 'null when no meter counts such events.' })),
    code: Type.String({ description: 'The processor’s own, for example `meter_event_customer_not_found`.' }),
    count: Count('Events of this report, of all tenants.'),
    message: Type.String(),
    examples: Type.Array(
      Type.Object(
        {
          tenant_id: nullable(
            Type.String({
              description: 'null when the identifier names none, or is a digest of one that was too long.',
            }),
          ),
          identifier: Type.String({
            description: 'The identifier that was reported to Ratecard; otherwise the one at the processor.',
          }),
        },
        closed,
      ),
      { description: 'A sample of the events; the processor does not list all.' },
    ),
  },
  'Usage that the processor took and then dropped. It is not billed.',
)

export const DroppedUsageList = shape('DroppedUsageList', { dropped: Type.Array(DroppedUsage) })

export const usageOperations = operations({
  listDroppedUsage: {
    tag: 'Tenants',
    access: 'service_key',
    scope: 'read',
    method: 'GET',
    path: '/api/v1/billing/admin/usage/dropped',
    summary: 'Usage of the last 30 days that the processor accepted and later dropped, newest first',
    description: `The processor accepts usage first and validates it later. ${reportUsageAgain}`,
    query: {
      meter: Type.Optional(
        Type.String({ minLength: 1, maxLength: 200, description: 'Config id: only reports of this meter.' }),
      ),
      tenant_id: Type.Optional(
        Type.Unsafe<string>({
          ...TenantId,
          description:
            'Only reports with an example of this tenant, or with a digest of an identifier that was too long, which may be of any. Examples are samples: that no report names a tenant does not prove that it lost nothing.',
        }),
      ),
    },
    answers: {
      200: { description: 'The reports.', schema: DroppedUsageList },
    },
    errors: ['meter_not_found', 'tenant_not_found', ...customerErrors],
  },
})

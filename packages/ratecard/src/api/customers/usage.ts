// Operation on dropped usage: the processor accepted the usage and dropped it later, as its error events report.
import { Type } from 'typebox'
import { reportUsageAgain } from '../../base/errors/advice.ts'
import { TenantId } from '../notation/common.ts'
import { customerErrors, operations } from '../notation/operation.ts'
import { closed, Count, nullable, shape, Time, type Inside } from '../notation/schema.ts'

export const DroppedUsage = shape(
  'DroppedUsage',
  {
    at: Time('Time at which the processor reported the error.'),
    meter: nullable(Type.String({ description: 'Configuration id; null when it is not in the config.' })),
    processor_meter_id: nullable(
      Type.String({ description: 'Id of the meter at the processor; null if no meter counts such events.' }),
    ),
    code: Type.String({ description: 'Error code of the processor, for example `meter_event_customer_not_found`.' }),
    count: Count('Events of this report, of all tenants.'),
    message: Type.String(),
    examples: Type.Array(
      Type.Object(
        {
          tenant_id: nullable(
            Type.String({
              description:
                'Id of the tenant; null if the identifier contains none, or was so long that only its hash was sent.',
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
  'Usage that the processor accepted and later dropped. It is not billed.',
)
export type DroppedUsage = Inside<typeof DroppedUsage>

export const DroppedUsageList = shape('DroppedUsageList', { dropped: Type.Array(DroppedUsage) })

export const usageOperations = operations({
  listDroppedUsage: {
    tag: 'Tenants',
    access: 'service_key',
    scope: 'read',
    method: 'GET',
    path: '/api/v1/billing/admin/usage/dropped',
    summary: 'List usage of the last 30 days that the processor accepted and later dropped, newest first',
    description: `The processor accepts usage first and validates it later. ${reportUsageAgain}`,
    query: {
      meter: Type.Optional(
        Type.String({ minLength: 1, maxLength: 200, description: 'Configuration id: only reports of this meter.' }),
      ),
      tenant_id: Type.Optional(
        Type.Unsafe<string>({
          ...TenantId,
          description:
            'Only errors whose sample event belongs to this tenant, or to no known tenant. The examples are only samples, so a tenant may have lost usage even if no report names it.',
        }),
      ),
    },
    answers: {
      200: { description: 'The reports.', schema: DroppedUsageList },
    },
    errors: ['meter_not_found', 'tenant_not_found', ...customerErrors],
  },
})

export interface DroppedUsageQuery {
  /** Configuration id of the meter, current or former. */
  readonly meter?: string
  readonly tenantId?: string
}

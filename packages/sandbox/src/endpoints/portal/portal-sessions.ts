import { missingParam } from '../../protocol/responses/errors.ts'
import { newId } from '../../protocol/ids.ts'
import type { Operation } from '../../protocol/operation.ts'
import { text } from '../../protocol/parameters/params.ts'
import { webUrl } from '../checkout/new-session.ts'
import { configurationFor } from './portal-configurations.ts'

const portalFields = {
  configuration: text(),
  customer: text(),
  return_url: webUrl(),
}

export const portalSessions: readonly Operation[] = [
  {
    method: 'POST',
    path: '/v1/billing_portal/sessions',
    of: 'billing_portal.session',
    run: (call) => {
      const params = call.read(portalFields)
      if (params.customer === undefined) throw missingParam('customer')
      const id = newId('bps_1', 40)
      const object = call.create(
        {
          id,
          object: 'billing_portal.session',
          configuration: configurationFor(call, params.configuration),
          created: call.now,
          customer: call.reference('customer', params.customer, 'customer').id,
          return_url: params.return_url ?? null,
          url: `${call.origin}/portal/${id}`,
        },
        'billing_portal.session.created',
      )
      return { object }
    },
  },
]

import type { Operation } from '../protocol/operation.ts'

export const account: readonly Operation[] = [
  {
    method: 'GET',
    path: '/v1/account',
    of: null,
    run: (call) => {
      call.read({})
      return {
        unstored: {
          id: call.account,
          object: 'account',
          business_profile: null,
          business_type: null,
          capabilities: {},
          charges_enabled: true,
          country: 'US',
          default_currency: 'usd',
          details_submitted: true,
          email: null,
          metadata: {},
          payouts_enabled: true,
          type: 'standard',
        },
      }
    },
  },
]

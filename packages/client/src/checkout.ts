import { camel, snake } from './names.ts'
import type * as result from './tenant-results.ts'
import { acted } from './tenants.ts'
import type { WriteOptions } from './tenants.ts'
import type { CallOptions, Transport } from './transport.ts'
import { read } from './typed.ts'
import type { Answers, Bodies } from './wire-types.generated.ts'

export interface CheckoutClient {
  /** Send the customer to the `url` of the answer. */
  create(checkout: result.NewCheckout, options?: WriteOptions): Promise<result.Checkout>
}

export interface PortalClient {
  /** The processor's portal, where customers look after what they bought. */
  create(
    portal: { readonly returnUrl: string; readonly tenantId?: string | undefined },
    options?: CallOptions,
  ): Promise<{ url: string }>
}

export interface UsageClient {
  record(usage: result.NewUsage, options?: WriteOptions): Promise<result.Usage>
}

const root = '/api/v1/billing'

export function checkoutClient(transport: Transport): CheckoutClient {
  return {
    create: async (checkout, options = {}) => {
      const body: Bodies['createCheckout'] = snake(checkout)
      const call = { ...acted(options), method: 'POST', keyed: true, body } as const
      return camel(await read<Answers['createCheckout'][200]>(transport, `${root}/checkout`, call))
    },
  }
}

export function portalClient(transport: Transport): PortalClient {
  return {
    create: (portal, options) => {
      const body: Bodies['createPortal'] = snake(portal)
      return read<Answers['createPortal'][200]>(transport, `${root}/portal`, { ...options, method: 'POST', body })
    },
  }
}

export function usageClient(transport: Transport): UsageClient {
  return {
    record: async (usage, options = {}) => {
      const body: Bodies['recordUsage'] = snake(usage)
      const call = { ...acted(options), method: 'POST', keyed: true, body } as const
      return camel(await read<Answers['recordUsage'][200]>(transport, `${root}/usage`, call))
    },
  }
}

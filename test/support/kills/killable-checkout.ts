// A process that opens a checkout page for several prices and ends itself (SIGKILL) at the n-th point.
import { runKillable } from './killable-service.ts'

await runKillable({ tenants: ['bindCustomer'] }, (service) =>
  service.createCheckout(
    {
      items: [{ priceId: 'pro_monthly', quantity: 3 }, { priceId: 'setup' }],
      ...{ successUrl: 'http://127.0.0.1:9/done', cancelUrl: 'http://127.0.0.1:9/back' },
    },
    { kind: 'key', keyId: 'key_1', tenantId: 't' },
    'order-1',
  ),
)

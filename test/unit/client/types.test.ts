// What `npm run types` holds together: documents as the client's users write them, and as the service describes them.
import { describe, expectTypeOf, it } from 'vitest'
import type {
  BillingDocument,
  Checkout,
  EnterpriseOutcome,
  MeterDocument,
  NewCheckout,
  PriceDocument,
  ProductDocument,
  Tenant,
} from '../../../packages/client/src/client.ts'
import type { Camelled, Snaked } from '../../../packages/client/src/names.ts'
import type {
  Answers,
  BillingConfig,
  Bodies,
  Meter,
  Price,
  Product,
} from '../../../packages/client/src/wire-types.generated.ts'

describe('the types of the client', () => {
  it('hold every document that the service may send', () => {
    expectTypeOf<BillingConfig>().toExtend<BillingDocument>()
    expectTypeOf<Product>().toExtend<ProductDocument>()
    expectTypeOf<Price>().toExtend<PriceDocument>()
    expectTypeOf<Meter>().toExtend<MeterDocument>()
  })

  it('know each member of a document', () => {
    expectTypeOf<keyof Price>().toEqualTypeOf<keyof PriceDocument>()
    expectTypeOf<keyof Product>().toEqualTypeOf<keyof ProductDocument>()
    expectTypeOf<keyof Meter>().toEqualTypeOf<keyof MeterDocument>()
    expectTypeOf<keyof BillingConfig>().toEqualTypeOf<keyof BillingDocument>()
  })

  it('are the wire’s with the client’s names', () => {
    expectTypeOf<Camelled<Answers['getTenant'][200]>>().toEqualTypeOf<Tenant>()
    expectTypeOf<Camelled<Answers['createCheckout'][200]>>().toEqualTypeOf<Checkout>()
    expectTypeOf<Camelled<Answers['applyTemplate'][200]>>().toEqualTypeOf<EnterpriseOutcome>()
    expectTypeOf<Required<Snaked<NewCheckout>>>().toEqualTypeOf<Readonly<Required<Bodies['createCheckout']>>>()
    expectTypeOf<Camelled<{ processor_customer_id?: string }>>().toEqualTypeOf<{ processorCustomerId?: string }>()
  })
})

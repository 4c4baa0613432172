import { call } from '../call.ts'
import type { MeterId, PriceId, ProductId } from '../ids.ts'
import type { Cost } from '../results.ts'
import type { CallOptions, Transport } from '../transport.ts'
import type { Conversion, MeterDocument, PriceDocument, ProductDocument, ServedConfig } from '../wire.generated.ts'

export interface CalculateOptions extends CallOptions {
  /** Currency of the cost. The price must be offered in this currency. Default: the price's default currency. */
  readonly currency?: string
}

export interface BillingClient {
  /** Returns the JSON Schema of the configuration document. */
  schema(options?: CallOptions): Promise<Record<string, unknown>>
  /** Returns the public configuration. */
  config(options?: CallOptions): Promise<ServedConfig>
  /** Finds a price by id. Hidden prices are found only with a service key. */
  price(id: PriceId, options?: CallOptions): Promise<{ price: PriceDocument; product: ProductDocument }>
  product(id: ProductId, options?: CallOptions): Promise<ProductDocument>
  meter(id: MeterId, options?: CallOptions): Promise<MeterDocument>
  /** Calculates the cost of a quantity. The amount equals the one that the processor would invoice. */
  calculate(priceId: PriceId, quantity: number, options?: CalculateOptions): Promise<Cost>
  /** Returns the configuration id of an object, given its current or an earlier id at the processor. */
  convert(processorId: string, options?: CallOptions): Promise<Conversion>
}

export function billingClient(transport: Transport): BillingClient {
  return {
    schema: (options) => call(transport, 'getSchema', {}, options),
    config: (options) => call(transport, 'getConfig', {}, options),
    price: (id, options) => call(transport, 'getPrice', { params: { id } }, options),
    product: async (id, options) => (await call(transport, 'getProduct', { params: { id } }, options)).product,
    meter: async (id, options) => (await call(transport, 'getMeter', { params: { id } }, options)).meter,
    calculate: async (id, quantity, { currency, ...options } = {}) => {
      const body = { quantity, ...(currency === undefined ? {} : { currency }) }
      const cost = await call(transport, 'calculatePrice', { params: { id }, body }, options)
      const breakdown = cost.breakdown.map((line) => ({ ...line, upTo: line.upTo === 'inf' ? null : line.upTo }))
      return { ...cost, tiersMode: cost.tiersMode ?? null, breakdown }
    },
    convert: (processorId, options) => call(transport, 'convertProcessorId', { params: { processorId } }, options),
  }
}

import type { MeterDocument, PriceDocument, ProductDocument } from './documents.generated.ts'
import type { Conversion, Cost, ServedConfig } from './results.ts'
import type { CallOptions, Transport } from './transport.ts'
import { conversionOf, costOf, servedConfigOf } from './wire.ts'
import type { WireConversion, WireCost, WireServedConfig } from './wire.ts'
import { read, segment } from './typed.ts'
import type { Answers } from './wire-types.generated.ts'

export interface BillingClient {
  /** The JSON Schema of the configuration document. */
  schema(options?: CallOptions): Promise<Record<string, unknown>>
  /** The public configuration. */
  config(options?: CallOptions): Promise<ServedConfig>
  /** Hidden prices are found only with a service key. */
  price(id: string, options?: CallOptions): Promise<{ price: PriceDocument; product: ProductDocument }>
  product(id: string, options?: CallOptions): Promise<ProductDocument>
  meter(id: string, options?: CallOptions): Promise<MeterDocument>
  /** What a quantity costs, as the processor would invoice it. */
  calculate(priceId: string, quantity: number, options?: CallOptions & { readonly currency?: string }): Promise<Cost>
  /** The configuration id behind a processor id, current or past. */
  convert(processorId: string, options?: CallOptions): Promise<Conversion>
}

export function billingClient(transport: Transport): BillingClient {
  const root = '/api/v1/billing'
  return {
    schema: (options) => read<Record<string, unknown>>(transport, `${root}/schema`, options),
    config: async (options) => servedConfigOf(await read<WireServedConfig>(transport, `${root}/config`, options)),
    price: (id, options) => read<Answers['getPrice'][200]>(transport, `${root}/config/prices/${segment(id)}`, options),
    product: async (id, options) =>
      (await read<Answers['getProduct'][200]>(transport, `${root}/config/products/${segment(id)}`, options)).product,
    meter: async (id, options) =>
      (await read<Answers['getMeter'][200]>(transport, `${root}/config/meters/${segment(id)}`, options)).meter,
    calculate: async (priceId, quantity, { currency, ...options } = {}) =>
      costOf(
        await read<WireCost>(transport, `${root}/config/prices/${segment(priceId)}/calculate`, {
          ...options,
          method: 'POST',
          body: { quantity, ...(currency === undefined ? {} : { currency }) },
        }),
      ),
    convert: async (processorId, options) =>
      conversionOf(
        await read<WireConversion>(transport, `${root}/convert/processor-id/${segment(processorId)}`, options),
      ),
  }
}

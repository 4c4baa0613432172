import type { Stripe } from 'stripe'
import { processorId } from '../../../catalog/resource.ts'
import type { ObservedResource } from '../../../catalog/resource.ts'
import { idOf, known, reasons } from './kind.ts'
import type { CreateOf, KindAdapter, UpdateOf } from './kind.ts'
import { metadataChange, newMetadata, splitMetadata } from './metadata.ts'

export function productAdapter(products: Stripe['products']): KindAdapter<'product', Stripe.Product> {
  const change = (id: string, params: Stripe.ProductUpdateParams) => ({
    operation: 'POST /v1/products/:id',
    send: (options: Stripe.RequestOptions) => products.update(id, params, options),
  })
  const retrieve = (id: string) => ({
    operation: 'GET /v1/products/:id',
    send: (options: Stripe.RequestOptions) => products.retrieve(id, {}, options),
  })
  return {
    kind: 'product',
    object: 'product',
    updatable: ['name', 'description', 'defaultPrice', 'metadata'],
    create: (step) => {
      const params = newProductParams(step)
      return { operation: 'POST /v1/products', send: (options) => products.create(params, options) }
    },
    update: (step) => change(step.processorId, productChangeParams(step)),
    // A default price cannot be archived, so the product lets go of it in the same call.
    archive: (id) => change(id, { active: false, default_price: '' }),
    retrieve,
    search: (step) => retrieve(chosenId(step)),
    lists: () => [{ operation: 'GET /v1/products', page: (paging, options) => products.list(paging, options) }],
    observe: observeProduct,
  }
}

function chosenId(step: CreateOf<'product'>): string {
  if (step.id === null) throw new TypeError(`The product ${step.configId} has no id to be created under.`)
  return step.id
}

export function newProductParams(step: CreateOf<'product'>): Stripe.ProductCreateParams {
  const { fields, configId } = step
  if (fields.defaultPrice !== null)
    throw new TypeError(`The product ${configId} cannot have a default price before it has prices.`)
  return {
    id: chosenId(step),
    name: fields.name,
    type: fields.type,
    ...(fields.description === '' ? {} : { description: fields.description }),
    metadata: newMetadata(configId, fields.metadata),
  }
}

export function productChangeParams(step: UpdateOf<'product'>): Stripe.ProductUpdateParams {
  const { name, description, defaultPrice } = step.set
  return {
    ...(step.activate ? { active: true } : {}),
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(defaultPrice === undefined ? {} : { default_price: defaultPrice ?? '' }),
    ...metadataChange(step),
  }
}

export function observeProduct(product: Stripe.Product): ObservedResource<'product'> {
  const { author, mark } = splitMetadata(product.metadata)
  const type = known(['service', 'good'], product.type)
  return {
    kind: 'product',
    processorId: processorId(product.id),
    active: product.active,
    fields: {
      name: product.name,
      description: product.description ?? '',
      type: type ?? 'service',
      metadata: author,
      defaultPrice: product.default_price ? idOf(product.default_price) : null,
    },
    mark,
    created: product.created,
    lookupKey: null,
    redeemed: 0,
    carried: 0,
    spent: false,
    unrepresentable: reasons({ type: type === null }),
    raw: null,
  }
}

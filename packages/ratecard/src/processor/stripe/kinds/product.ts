import type { Stripe } from 'stripe'
import { processorId, type ObservedResource } from '../../../catalog/resource.ts'
import { changeParams, creationParams, readFields, updatableFields, type Translations } from './field-translation.ts'
import { updatableField, changeableText } from './same-member.ts'
import { idOf, known, listOf, ordinary, reasonsIn, unlessEmpty, unlessNull } from './kind.ts'
import { unmanagedMembers } from './members.ts'
import type { CreateOf, KindAdapter, UpdateOf } from './kind.ts'
import { metadataChange, newMetadata, splitMetadata } from './metadata.ts'

const translations: Translations<'product', Stripe.Product, Stripe.ProductCreateParams, Stripe.ProductUpdateParams> = {
  name: updatableField('name'),
  description: changeableText('description'),
  type: {
    read: (product) => known(['service', 'good'], product.type) ?? 'service',
    create: (type) => ({ type }),
  },
  taxCode: {
    read: (product) => (product.tax_code ? idOf(product.tax_code) : ''),
    create: (code) => unlessEmpty('tax_code', code),
    update: (code) => ({ tax_code: code }),
  },
  unitLabel: changeableText('unit_label'),
  statementDescriptor: changeableText('statement_descriptor'),
  url: changeableText('url'),
  images: {
    read: (product) => listOf(product.images),
    create: (images) => unlessEmpty('images', [...images]),
    update: (images) => ({ images: images.length === 0 ? '' : [...images] }),
  },
  marketingFeatures: {
    read: (product) => listOf(product.marketing_features).flatMap(({ name }) => name ?? []),
    create: (names) =>
      unlessEmpty(
        'marketing_features',
        names.map((name) => ({ name })),
      ),
    update: (names) => ({ marketing_features: names.length === 0 ? '' : names.map((name) => ({ name })) }),
  },
  shippable: {
    read: (product) => product.shippable ?? false,
    create: (shippable) => (shippable ? { shippable } : {}),
    update: (shippable) => ({ shippable }),
  },
  packageDimensions: {
    read: ({ package_dimensions: size }) =>
      size ? { height: size.height, length: size.length, weight: size.weight, width: size.width } : null,
    create: (size) => unlessNull('package_dimensions', size),
    update: (size) => ({ package_dimensions: size ?? '' }),
  },
  defaultPrice: {
    read: (product) => (product.default_price ? idOf(product.default_price) : null),
    create: (price) => {
      if (price !== null) throw new TypeError('A product cannot have a default price before it has prices.')
      return {}
    },
    update: (price) => ({ default_price: price ?? '' }),
  },
}

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
    updatable: updatableFields(translations),
    create: (step) => {
      const params = newProductParams(step)
      return { operation: 'POST /v1/products', send: (options) => products.create(params, options) }
    },
    update: (step) => change(step.processorId, productChangeParams(step)),
    // Stripe refuses to archive a product's default price, so the same request removes the default price from the product.
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
  return {
    id: chosenId(step),
    ...(creationParams(translations, step) as Pick<Stripe.ProductCreateParams, 'name'>),
    metadata: newMetadata(step.configId, step.fields.metadata),
  }
}

export function productChangeParams(step: UpdateOf<'product'>): Stripe.ProductUpdateParams {
  return {
    ...(step.activate ? { active: true } : {}),
    ...changeParams(translations, step.set),
    ...metadataChange(step),
  }
}

export function observeProduct(product: Stripe.Product): ObservedResource<'product'> {
  const { author, mark, companions } = splitMetadata(product.metadata)
  return {
    ...ordinary,
    ...unmanagedMembers('product', product),
    kind: 'product',
    processorId: processorId(product.id),
    active: product.active,
    // Attached features are read by separate requests: attachments.ts.
    fields: { ...readFields<'product'>(translations, product), features: [], metadata: author },
    mark,
    companions,
    created: product.created,
    unrepresentable: reasonsIn({ type: known(['service', 'good'], product.type) === null }),
    raw: null,
  }
}

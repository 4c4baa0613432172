// Builders of push steps: a test passes only the fields it needs.
import { absentFields } from '../../../packages/ratecard/src/catalog/fields/tables.ts'
import { configId, processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { FieldsOf, ProcessorId, ResourceKind } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { ArchiveStep, CreateStep, UpdateStep } from '../../../packages/ratecard/src/catalog/steps.ts'

type Create<K extends ResourceKind> = Extract<CreateStep<ProcessorId>, { readonly kind: K }>
type Update<K extends ResourceKind> = Extract<UpdateStep<ProcessorId>, { readonly kind: K }>
type Fields<K extends ResourceKind> = FieldsOf<K, ProcessorId>

/** Fields of an object with required fields only. */
function fieldsOf<K extends ResourceKind>(kind: K, said: Partial<Fields<K>>): Fields<K> {
  return { ...absentFields[kind], ...said } as unknown as Fields<K>
}

export function createProduct(id: string, fields: Partial<Fields<'product'>> = {}): Create<'product'> {
  const chosen = processorId(`rc_${id}`)
  return {
    op: 'create',
    kind: 'product',
    configId: configId(id),
    id: chosen,
    carried: 0,
    fields: fieldsOf('product', { name: `Product ${id}`, ...fields }),
  }
}

export function createPrice(id: string, product: ProcessorId, fields: Partial<Fields<'price'>> = {}): Create<'price'> {
  const base = fieldsOf('price', { product, currency: 'eur', interval: 'month', unitAmount: '1200', lookupKey: id })
  return { op: 'create', kind: 'price', configId: configId(id), id: null, carried: 0, fields: { ...base, ...fields } }
}

export function createMeter(id: string, fields: Partial<Fields<'meter'>> = {}): Create<'meter'> {
  const base = fieldsOf('meter', { displayName: `Meter ${id}`, eventName: `${id}_events` })
  return { op: 'create', kind: 'meter', configId: configId(id), id: null, carried: 0, fields: { ...base, ...fields } }
}

export function createCoupon(id: string, fields: Partial<Fields<'coupon'>> = {}, carried = 0): Create<'coupon'> {
  const base = fieldsOf('coupon', { percentOff: '20', duration: 'forever' })
  return {
    op: 'create',
    kind: 'coupon',
    configId: configId(id),
    id: processorId(id),
    carried,
    fields: { ...base, ...fields },
  }
}

export function createCode(
  id: string,
  coupon: ProcessorId,
  fields: Partial<Fields<'promotion_code'>> = {},
  carried = 0,
): Create<'promotion_code'> {
  const base = fieldsOf('promotion_code', { code: id.toUpperCase(), coupon })
  return {
    op: 'create',
    kind: 'promotion_code',
    configId: configId(id),
    id: null,
    carried,
    fields: { ...base, ...fields },
  }
}

export function createTaxRate(id: string, fields: Partial<Fields<'tax_rate'>> = {}): Create<'tax_rate'> {
  const base = fieldsOf('tax_rate', { displayName: `Tax ${id}`, percentage: '19', inclusive: false })
  return {
    op: 'create',
    kind: 'tax_rate',
    configId: configId(id),
    id: null,
    carried: 0,
    fields: { ...base, ...fields },
  }
}

export function createWebhook(id: string, fields: Partial<Fields<'webhook'>> = {}): Create<'webhook'> {
  // The API version of webhook endpoints that a test does not state.
  const apiVersion = '2025-03-31.basil'
  const base = fieldsOf('webhook', { url: `https://example.com/${id}`, events: ['invoice.paid'], apiVersion })
  return { op: 'create', kind: 'webhook', configId: configId(id), id: null, carried: 0, fields: { ...base, ...fields } }
}

export function update<K extends ResourceKind>(
  kind: K,
  id: string,
  target: ProcessorId,
  change: Partial<Pick<Update<K>, 'set' | 'unset' | 'mark' | 'activate'>>,
): UpdateStep<ProcessorId> {
  return {
    op: 'update',
    kind,
    configId: configId(id),
    processorId: target,
    set: {},
    unset: [],
    mark: false,
    activate: false,
    ...change,
  } as UpdateStep<ProcessorId>
}

export function archive(kind: ResourceKind, id: string, target: ProcessorId): ArchiveStep {
  return { op: 'archive', kind, configId: configId(id), processorId: target, last: null }
}

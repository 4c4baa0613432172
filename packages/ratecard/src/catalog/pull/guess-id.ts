// Generates configuration ids for foreign objects in a pull. The ids are readable, and equal in every pull.
import { idPattern } from '../../document/schema/schema.ts'
import { webhookId } from '../../document/schema/ids.ts'
import type { ObservedResource } from '../resource.ts'

const valid = new RegExp(idPattern)

/**
 * Returns an unused id for the object. It is the object's own name at the processor (e.g. its lookup key) if it has one, otherwise a slug.
 * If that id is taken, appends the end of the processor id, so that the result does not depend on the order in which objects are read.
 */
export function guessId(object: ObservedResource, productName: string | undefined, taken: ReadonlySet<string>): string {
  const first = candidateId(object, productName)
  if (!taken.has(first)) return first
  const tail = slug(object.processorId).slice(-8)
  const second = `${first.slice(0, 90)}-${tail}`
  if (!taken.has(second)) return second
  for (let number = 2; ; number++) {
    const next = `${second.slice(0, 95)}-${String(number)}`
    if (!taken.has(next)) return next
  }
}

function candidateId(object: ObservedResource, productName: string | undefined): string {
  const named = ownName(object)
  if (named !== undefined && valid.test(named)) return named
  // A name of other letters only, e.g. `ключ`, has no slug.
  const short = slug(named ?? '')
  return short || slug(describe(object, productName)) || object.kind
}

function ownName(object: ObservedResource): string | undefined {
  const processorId: string = object.processorId
  switch (object.kind) {
    case 'feature':
    case 'price':
      return (object as ObservedResource<'price' | 'feature'>).fields.lookupKey || undefined
    case 'product':
      // Product ids that Stripe generates (`prod_…`) are not readable, unlike those that a user chose.
      return processorId.startsWith('prod_') ? undefined : processorId
    case 'coupon':
      return /^[A-Za-z0-9]{8}$/.test(processorId) ? undefined : processorId
    case 'meter':
      return (object as ObservedResource<'meter'>).fields.eventName
    case 'promotion_code':
      return (object as ObservedResource<'promotion_code'>).fields.code
    case 'tax_rate':
    case 'portal':
      return undefined
    case 'webhook':
      return webhookId((object as ObservedResource<'webhook'>).fields)
  }
}

function describe(object: ObservedResource, productName: string | undefined): string {
  if (object.kind === 'feature') return (object as ObservedResource<'feature'>).fields.name
  if (object.kind === 'product') return (object as ObservedResource<'product'>).fields.name
  if (object.kind === 'coupon') return (object as ObservedResource<'coupon'>).fields.name || object.processorId
  if (object.kind === 'price') {
    const { interval, currency } = (object as ObservedResource<'price'>).fields
    return `${productName ?? 'price'}_${interval ?? 'once'}_${currency}`
  }
  if (object.kind === 'portal') return (object as ObservedResource<'portal'>).fields.headline || 'portal'
  if (object.kind === 'tax_rate') {
    const { displayName, jurisdiction, percentage } = (object as ObservedResource<'tax_rate'>).fields
    return `${displayName} ${jurisdiction} ${percentage}`
  }
  return object.processorId
}

/**
 * Converts a text to a lower-case ASCII slug, e.g. `Pro plan` → `pro_plan`. A run of other characters becomes one `_`. The slug has at most
 * 100 characters, and is empty for a text of other characters only.
 */
function slug(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, '_')
    .replace(/^[^a-z0-9]+|[_.-]+$/g, '')
    .slice(0, 100)
}

import { createHash } from 'node:crypto'
import { canonicalDecimal } from '../../money/decimal.ts'
import type { Price, Webhook } from './schema.ts'

/**
 * The given id, or one derived from the URL: a readable slug of host and path, and six hex digits that keep URLs apart which
 * share a slug. Depends on nothing but the URL, so that it is the same on every push.
 */
export function webhookId(webhook: Pick<Webhook, 'url'> & { readonly id?: string | undefined }): string {
  if (webhook.id !== undefined) return webhook.id
  const slug = hostAndPath(webhook.url)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 90)
    .replace(/^-+|-+$/g, '')
  const digest = createHash('sha256').update(webhook.url).digest('hex').slice(0, 6)
  return `${slug === '' ? 'webhook' : slug}-${digest}`
}

/** Whether the price lives here alone: free, per unit, licensed, not enterprise, and not linked to an object of the processor. */
export function isLocalPrice(price: Price): boolean {
  return (
    price.tiers === undefined &&
    price.billing_scheme !== 'tiered' &&
    price.usage_type !== 'metered' &&
    price.currency_options === undefined &&
    !isEnterprise(price) &&
    // Served free prices are mapped to themselves, so that a served document can be pushed back.
    (price.processor_id === undefined || price.processor_id === price.id) &&
    (price.amount === 0 ||
      (price.unit_amount_decimal !== undefined && canonicalDecimal(price.unit_amount_decimal) === '0'))
  )
}

export function isEnterprise(price: Pick<Price, 'enterprise_template' | 'enterprise_id'>): boolean {
  return price.enterprise_template !== undefined || price.enterprise_id !== undefined
}

// Not URL: a document may still hold variables in its host, and the id must not depend on whether it parses.
function hostAndPath(url: string): string {
  return url.replace(/^[A-Za-z][A-Za-z0-9+.-]*:\/\//, '').replace(/[?#].*$/s, '')
}

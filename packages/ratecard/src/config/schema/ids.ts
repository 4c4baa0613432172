import { createHash } from 'node:crypto'
import { canonicalDecimal } from '../../money/decimal.ts'
import type { Price, Webhook } from './schema.ts'

/**
 * Returns the id of a webhook. If the document contains none, the id is derived only from the URL, so that it is the same in every push. It
 * consists of a readable slug of host and path, and six hex digits that distinguish URLs with the same slug.
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

/**
 * True if the price is local, i.e. has no object at the processor. A local price is free, per unit, licensed, not negotiated, and not
 * linked to a processor object.
 */
export function isLocalPrice(price: Price): boolean {
  return (
    price.tiers === undefined &&
    price.billing_scheme !== 'tiered' &&
    price.usage_type !== 'metered' &&
    price.currency_options === undefined &&
    !isEnterprise(price) &&
    // The API returns a document in which the `processor_id` of a free price is its own id. Accept that, so that such a document can be
    // pushed again.
    (price.processor_id === undefined || price.processor_id === price.id) &&
    (price.amount === 0 ||
      (price.unit_amount_decimal !== undefined && canonicalDecimal(price.unit_amount_decimal) === '0'))
  )
}

export function isEnterprise(price: Pick<Price, 'enterprise_template' | 'enterprise_id'>): boolean {
  return price.enterprise_template !== undefined || price.enterprise_id !== undefined
}

// Returns host and path of a URL. `URL` is not used for parsing, because the host may still contain variables, and invalid URLs need an id
// too.
function hostAndPath(url: string): string {
  return url.replace(/^[A-Za-z][A-Za-z0-9+.-]*:\/\//, '').replace(/[?#].*$/s, '')
}

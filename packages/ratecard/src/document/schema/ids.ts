import { createHash } from 'node:crypto'
import { canonicalDecimal } from '../../base/money/decimal.ts'
import type { Price, Webhook } from './schema.ts'

/**
 * Returns the id of a webhook. If the document contains none, the id is derived only from the URL and the kind of endpoint, so that it is
 * the same in every push. It consists of the host and six hex digits that distinguish webhooks of one host, e.g. `hooks-acme-test-0a1b2c`.
 * User, password, path and query of a URL can be secrets, so the id contains nothing of them.
 */
export function webhookId({ id, url, connect = false }: WebhookIdentity): string {
  if (id !== undefined) return id
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  const slug = host
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 90)
    .replace(/^-+|-+$/g, '')
  const digest = createHash('sha256').update(webhookKey({ url, connect })).digest('hex').slice(0, 6)
  return `${slug === '' ? 'webhook' : slug}-${digest}`
}

type WebhookIdentity = Pick<Webhook, 'url'> & {
  readonly id?: string | undefined
  readonly connect?: boolean | undefined
}

/** Returns the text that no two webhooks share: an endpoint for the account and one for connected accounts may have the same URL. */
export function webhookKey({ url, connect = false }: Omit<WebhookIdentity, 'id'>): string {
  return connect ? `${url} connect` : url
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

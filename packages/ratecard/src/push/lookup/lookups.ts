// Reads of the applied configuration: the published price list, single items, conversions and the history. Results come from a cache that
// is reloaded when the store's change sequence grows. Never calls the processor.
import type { Clock } from '../../base/clock.ts'
import type { Documents } from '../../catalog/document-tasks.ts'
import { resourceKey } from '../../catalog/resource.ts'
import { webhookId } from '../../document/schema/ids.ts'
import type { Price } from '../../document/schema/schema.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { attachedCosts } from '../../document/pricing/attached-costs.ts'
import { calculatePrice } from '../../document/pricing/calculate.ts'
import type { Store } from '../../store/store.ts'
import { createConversion } from './convert.ts'
import { findMeter, findPrice, findProduct } from './find.ts'
import { differenceBetween, historyPage, lastDocument, readRevision } from './history.ts'
import { createSecretTexts } from './secret-texts.ts'
import { createPublished, type PublishedList } from './published.ts'
import type { Cost, Visibility } from '../../api/push/price-list.ts'
import type { WebhookListing } from '../../api/push/webhooks.ts'
import type { PageQuery } from '../../store/records/page.ts'

export interface LookupDeps {
  readonly store: Pick<Store, 'versions' | 'writtenForms' | 'pushes' | 'mappings' | 'secrets' | 'changeSequence'>
  readonly clock: Clock
  readonly documents: Documents
}

export type Lookups = ReturnType<typeof createLookups>

/** Creates the operations of the service that read the applied configuration of one store. */
export function createLookups(deps: LookupDeps) {
  const { store } = deps
  const published = createPublished(deps)
  const convert = createConversion(store.versions)
  return {
    /** Reads the store's change sequence now, and reloads the cache if it grew. */
    refresh: published.refresh,
    /** Marks the cache as stale, so that the next read checks the store. Call this after a push of this process. */
    invalidate: published.invalidate,
    /** Starts background polling of the store, so that no reader waits for a reload. */
    start: published.start,
    stop: published.stop,
    published: async () => requireCurrent(await published.read()).published,
    /** The applied configuration in which all prices have amounts (including prices in per cent), for code that sells and bills. */
    applied: async () => requireCurrent(await published.read()).priced,
    fullConfig: async () => requireCurrent(await published.read()).full,
    findPrice: async (id: string, visibility: Visibility) =>
      findPrice(requireCurrent(await published.read()), id, visibility),
    findProduct: async (id: string, visibility: Visibility) =>
      findProduct(requireCurrent(await published.read()), id, visibility),
    findMeter: async (id: string, visibility: Visibility) =>
      findMeter(requireCurrent(await published.read()), id, visibility),
    convert: async (id: string, visibility: Visibility) => convert(await published.read(), id, visibility),
    /** Returns the cost of a quantity. `currency` defaults to the price's main currency. */
    calculate: async (id: string, quantity: number, visibility: Visibility, currency?: string) => {
      if (!Number.isSafeInteger(quantity) || quantity < 0)
        throw new ServiceError('quantity_invalid', 'The quantity must be a whole number, zero or more.')
      return costOf(requireCurrent(await published.read()), id, { quantity, visibility, currency })
    },
    /** Lists the webhooks. Without `secrets`, every `secret` is null. */
    listWebhooks: async ({ secrets }: { readonly secrets: boolean }) =>
      listWebhooks(deps, await published.read(), secrets),
    enterprisePrices: async (target: PricesOf) => enterprisePrices(await published.read(), target),
    history: (page: PageQuery) => historyPage(store.versions, page),
    revision: (number: number) => readRevision(store, number),
    difference: (from: number, to: number) =>
      differenceBetween({ versions: store.versions, documents: deps.documents }, from, to),
    secretTexts: createSecretTexts(store),
  }
}

function requireCurrent(published: PublishedList): NonNullable<PublishedList['current']> {
  if (published.current === null)
    throw new ServiceError('config_not_found', 'No configuration is applied.', {
      hint: 'Push one with `ratecard billing push`.',
    })
  return published.current
}

function costOf(
  indexes: NonNullable<PublishedList['current']>,
  id: string,
  asked: { readonly quantity: number; readonly visibility: Visibility; readonly currency: string | undefined },
): Cost {
  const found = findPrice(indexes, id, asked.visibility)
  const cost = calculatePrice(found.price, asked.quantity, asked.currency)
  const { prices } = asked.visibility.hidden ? indexes.fullIndex : indexes.publicIndex
  const { config } = indexes.priced
  const attached = attachedCosts(found.price, cost, { config, find: (one) => prices.get(one)?.price })
  return { ...cost, attached: attached.length === 0 ? null : attached }
}

/** Negotiated prices are those of a template, or of one custom deal. */
type PricesOf = { readonly template: string } | { readonly enterpriseId: string }

function enterprisePrices(published: PublishedList, target: PricesOf): readonly Price[] {
  const wanted = (price: Price) =>
    'template' in target ? price.enterprise_template === target.template : price.enterprise_id === target.enterpriseId
  return (published.current?.priced.config.products ?? []).flatMap((product) => (product.prices ?? []).filter(wanted))
}

/**
 * Lists the webhooks of the current document. After a reset there is no current document, but the endpoints still exist and sign events. So
 * the webhooks of the last document are listed.
 */
async function listWebhooks(
  { store }: LookupDeps,
  published: PublishedList,
  secrets: boolean,
): Promise<readonly WebhookListing[]> {
  const config = published.current?.full.config ?? (await lastDocument(store.versions))
  return Promise.all(
    (config?.webhooks ?? []).map(async (webhook) => {
      const id = webhookId(webhook)
      const mapping = published.mappings.get(resourceKey('webhook', id))?.at(-1)
      const secret = mapping === undefined ? null : await store.secrets.webhookSecret(mapping.processorId)
      const made = mapping === undefined ? null : await store.versions.find(mapping.revision)
      return {
        id,
        url: webhook.url,
        events: webhook.events,
        processorId: mapping?.processorId ?? null,
        secret: secrets ? secret : null,
        secretKnown: secret !== null,
        createdAt: made?.createdAt ?? null,
      }
    }),
  )
}

import { Stripe } from 'stripe'
import { processorId } from '../../../catalog/resource.ts'
import type { ObservedResource } from '../../../catalog/resource.ts'
import { without } from './kind.ts'
import type { CreateOf, KindAdapter, UpdateOf } from './kind.ts'
import { connectKey, metadataChange, newMetadata, splitMetadata } from './metadata.ts'

type Endpoints = Stripe['webhookEndpoints']

export function webhookAdapter(endpoints: Endpoints): KindAdapter<'webhook', Stripe.WebhookEndpoint> {
  const change = (id: string, params: Stripe.WebhookEndpointUpdateParams) => ({
    operation: 'POST /v1/webhook_endpoints/:id',
    send: (options: Stripe.RequestOptions) => endpoints.update(id, params, options),
  })
  const list = {
    operation: 'GET /v1/webhook_endpoints',
    page: (paging: Stripe.PaginationParams, options: Stripe.RequestOptions) => endpoints.list(paging, options),
  }
  return {
    kind: 'webhook',
    object: 'webhook_endpoint',
    updatable: ['url', 'events', 'description'],
    create: (step) => ({
      operation: 'POST /v1/webhook_endpoints',
      send: (options) => endpoints.create(newWebhookParams(step), options),
    }),
    update: (step) => change(step.processorId, webhookChangeParams(step)),
    archive: (id) => change(id, { disabled: true }),
    retrieve: (id) => ({
      operation: 'GET /v1/webhook_endpoints/:id',
      send: (options) => endpoints.retrieve(id, {}, options),
    }),
    search: () => list,
    lists: () => [list],
    observe: observeWebhook,
  }
}

export function discardRequest(endpoints: Endpoints, id: string) {
  return {
    operation: 'DELETE /v1/webhook_endpoints/:id',
    send: (options: Stripe.RequestOptions) => endpoints.del(id, {}, options),
  }
}

export function newWebhookParams({ fields, configId }: CreateOf<'webhook'>): Stripe.WebhookEndpointCreateParams {
  return {
    url: fields.url,
    enabled_events: eventNames(fields.events),
    connect: fields.connect,
    ...(fields.description === '' ? {} : { description: fields.description }),
    // Otherwise events would come in the account's default version, which anyone may raise in the dashboard.
    api_version: Stripe.API_VERSION,
    metadata: { ...newMetadata(configId), [connectKey]: String(fields.connect) },
  }
}

export function webhookChangeParams(step: UpdateOf<'webhook'>): Stripe.WebhookEndpointUpdateParams {
  const { url, events, description } = step.set
  return {
    ...(step.activate ? { disabled: false } : {}),
    ...(url === undefined ? {} : { url }),
    ...(events === undefined ? {} : { enabled_events: eventNames(events) }),
    ...(description === undefined ? {} : { description }),
    ...metadataChange({ ...step, set: {} }),
  }
}

type EventName = Stripe.WebhookEndpointCreateParams.EnabledEvent

/** Stripe itself refuses names it does not know; the SDK’s list may be older than Stripe’s. */
function eventNames(events: readonly string[]): EventName[] {
  return [...events] as EventName[]
}

export function observeWebhook(endpoint: Stripe.WebhookEndpoint): ObservedResource<'webhook'> {
  const { mark, connect } = splitMetadata(endpoint.metadata)
  return {
    kind: 'webhook',
    processorId: processorId(endpoint.id),
    active: endpoint.status !== 'disabled',
    fields: {
      url: endpoint.url,
      events: [...new Set(endpoint.enabled_events)].sort(),
      connect: connect ?? (endpoint.application ?? null) !== null,
      description: endpoint.description ?? '',
    },
    mark,
    created: endpoint.created,
    lookupKey: null,
    redeemed: 0,
    carried: 0,
    spent: false,
    unrepresentable: [],
    // The record of an object is kept and shown; its secret goes another way.
    raw: without(endpoint, 'secret'),
  }
}

import { Stripe } from 'stripe'
import { maxMetadataKeys } from '../../../document/schema/fields.ts'
import { connectKey, processorId, type ObservedResource } from '../../../catalog/resource.ts'
import { changeParams, creationParams, readFields, updatableFields, type Translations } from './field-translation.ts'
import { updatableField, changeableText } from './same-member.ts'
import { listOf, ordinary, withoutMember, type CreateOf, type KindAdapter, type UpdateOf } from './kind.ts'
import { unmanagedMembers } from './members.ts'
import { metadataChange, newMetadata, splitMetadata } from './metadata.ts'

type Endpoints = Stripe['webhookEndpoints']

const translations: Translations<
  'webhook',
  Stripe.WebhookEndpoint,
  Stripe.WebhookEndpointCreateParams,
  Stripe.WebhookEndpointUpdateParams
> = {
  url: updatableField('url'),
  events: {
    read: (endpoint) => [...new Set(listOf(endpoint.enabled_events))].sort(),
    create: (events) => ({ enabled_events: eventNames(events) }),
    update: (events) => ({ enabled_events: eventNames(events) }),
  },
  connect: {
    read: ({ metadata, application }) => splitMetadata(metadata).connect ?? (application ?? null) !== null,
    create: (connect) => ({ connect }),
  },
  description: changeableText('description'),
  apiVersion: {
    read: (endpoint) => endpoint.api_version ?? '',
    // If the document gives no API version, the endpoint gets the SDK's version. Otherwise its events would have the account's default
    // version, which can change at any time in Stripe's dashboard. The version is not validated here, because Stripe may have newer
    // versions than the SDK's list.
    create: (version) => ({
      api_version: (version === '' ? Stripe.API_VERSION : version) as Stripe.WebhookEndpointCreateParams.ApiVersion,
    }),
  },
}

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
    updatable: updatableFields(translations),
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

export function newWebhookParams(step: CreateOf<'webhook'>): Stripe.WebhookEndpointCreateParams {
  const params = creationParams(translations, step)
  return {
    ...(params as Pick<Stripe.WebhookEndpointCreateParams, 'url' | 'enabled_events'>),
    metadata: newMetadata(step.configId, step.fields.metadata, connectMetadata(step.fields)),
  }
}

/**
 * Returns the metadata entry for the flag `connect`. If there is no room for both the flag and the ownership mark, omits the flag if it has
 * its default value `false`.
 */
function connectMetadata({ connect, metadata }: CreateOf<'webhook'>['fields']): Readonly<Record<string, string>> {
  return connect || Object.keys(metadata).length < maxMetadataKeys - 1 ? { [connectKey]: String(connect) } : {}
}

export function webhookChangeParams(step: UpdateOf<'webhook'>): Stripe.WebhookEndpointUpdateParams {
  return {
    ...(step.activate ? { disabled: false } : {}),
    ...changeParams(translations, step.set),
    ...metadataChange(step),
  }
}

type EventName = Stripe.WebhookEndpointCreateParams.EnabledEvent

/**
 * Converts the type of event names for the SDK. The names are not checked, because the SDK’s list may be older than Stripe's, and Stripe
 * refuses unknown names.
 */
function eventNames(events: readonly string[]): EventName[] {
  return [...events] as EventName[]
}

export function observeWebhook(endpoint: Stripe.WebhookEndpoint): ObservedResource<'webhook'> {
  const { author, mark, companions, connect } = splitMetadata(endpoint.metadata)
  return {
    ...ordinary,
    ...unmanagedMembers('webhook', endpoint),
    ...(connect === null && (endpoint.application ?? null) === null ? { connectUnknown: true } : {}),
    kind: 'webhook',
    processorId: processorId(endpoint.id),
    active: endpoint.status !== 'disabled',
    fields: { ...readFields<'webhook'>(translations, endpoint), metadata: author },
    mark,
    companions,
    created: endpoint.created,
    unrepresentable: [],
    // The raw object without its secret, because the raw object is stored and shown. The secret is stored separately.
    raw: withoutMember(endpoint, 'secret'),
  }
}

import type { WebhookEndpointBody } from '../../objects/bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { StripeError, badRequest, notSupported } from '../../protocol/responses/errors.ts'
import { oldestEventVersion } from '../../events/former-shapes.ts'
import { newId } from '../../protocol/ids.ts'
import { applyMetadata, changed, metadata } from '../../protocol/parameters/metadata.ts'
import { deletion, listing, post, retrieve, type Operation } from '../../protocol/operation.ts'
import { boolean, checked, emptyable, list, oneOf, required, text } from '../../protocol/parameters/params.ts'
import type { Param } from '../../protocol/parameters/params.ts'
import { apiVersions, eventTypes } from '../../protocol/api-values.generated.ts'

const maxEndpoints = 16

const events = list(oneOf('*', ...eventTypes))
const description = emptyable(text())

const createFields = {
  enabled_events: required(events),
  url: required(url()),
  api_version: oneOf(...apiVersions),
  connect: boolean(),
  description,
  metadata: metadata(),
}

const updateFields = {
  description,
  disabled: boolean(),
  enabled_events: events,
  metadata: metadata(),
  url: url(),
}

function url(): Param<string, false> {
  return checked(text(), (given, name) => {
    if (!/^https?:\/\//i.test(given)) {
      throw badRequest('Invalid URL: An explicit scheme (such as https) must be provided.', name, 'url_invalid')
    }
    if (!URL.canParse(given)) throw badRequest('Not a valid URL', name, 'url_invalid')
    return given
  })
}

function create(call: OperationContext): {
  readonly object: WebhookEndpointBody
  readonly once: { readonly secret: string }
} {
  const params = call.read(createFields)
  if (params.api_version !== undefined && params.api_version < oldestEventVersion)
    throw notSupported(
      `events in the API version \`${params.api_version}\`, before ${oldestEventVersion}`,
      'api_version',
    )
  if (call.count('webhook_endpoint') >= maxEndpoints) {
    throw new StripeError(`You have reached the maximum of ${maxEndpoints} test webhook endpoints.`)
  }
  const secret = newId('whsec_', 32)
  const body: WebhookEndpointBody = {
    id: newId('we_1', 23),
    object: 'webhook_endpoint',
    api_version: params.api_version ?? null,
    created: call.now,
    description: params.description ?? null,
    enabled_events: [...params.enabled_events],
    metadata: applyMetadata({}, params.metadata),
    status: 'enabled',
    url: params.url,
    _secret: secret,
    _connect: params.connect ?? false,
  }
  // The secret is returned only here, at creation. Webhook endpoints emit no events.
  return { object: call.create(body, null), once: { secret } }
}

function update(call: OperationContext): WebhookEndpointBody {
  const before = call.subject('webhook_endpoint')
  const { disabled, enabled_events: events, ...params } = call.read(updateFields)
  const status = disabled === undefined ? before.status : disabled ? 'disabled' : 'enabled'
  const enabled = [...(events ?? before.enabled_events)]
  return call.update(before, { ...changed(before, params), enabled_events: enabled, status }, null)
}

const base = '/v1/webhook_endpoints'
const of = 'webhook_endpoint'

export const webhookEndpoints: readonly Operation[] = [
  { method: 'POST', path: base, of, run: create },
  listing(base, of, {}),
  retrieve(`${base}/:id`, of),
  post(`${base}/:id`, of, update),
  deletion(`${base}/:id`, of, (call) => {
    call.read({})
    call.remove(call.subject(of), null)
  }),
]

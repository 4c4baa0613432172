import type { Webhook } from '../../document/schema/schema.ts'
import { rowsFor } from './field.ts'

const { field, required, text, flag, metadata, table } = rowsFor<Webhook>('webhook_endpoints')

export const webhook = table()(
  {
    url: required('url', 'in_place'),
    /** Sorted event names, without duplicates. */
    events: field({
      name: 'events',
      members: ['events'],
      mutability: 'in_place',
      parameter: 'enabled_events',
      absent: [],
      canonical: (webhook): readonly string[] => [...new Set(webhook.events)].sort(),
      document: (events) => ({ events: [...events] }),
    }),
    connect: flag('connect', 'fixed', false),
    description: text('description', 'in_place'),
    // `kept`: if a document omits `api_version`, the endpoint keeps its version. Another version would need a new endpoint with a new
    // secret.
    apiVersion: text('api_version', 'fixed', { leftOut: 'kept' }),
    metadata: metadata('metadata'),
  },
  {},
)

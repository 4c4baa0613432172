import type { Webhook } from '../../config/document/schema.ts'
import { rowsFor } from './field.ts'

const { field, required, text, flag, table } = rowsFor<Webhook>('webhook_endpoints')

export const webhook = table()(
  {
    url: required('url', 'in_place'),
    /** Sorted, without duplicates. */
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
  },
  {},
)

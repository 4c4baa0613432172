import type { Meter } from '../../document/schema/schema.ts'
import { rowsFor } from './field.ts'

const { field, required, orNull, table } = rowsFor<Meter>('billing/meter')

const defaultCustomerKey = 'stripe_customer_id'
const defaultValueKey = 'value'

export const meter = table()(
  {
    displayName: required('display_name', 'in_place'),
    eventName: required('event_name', 'fixed'),
    formula: field({
      name: 'default_aggregation.formula',
      members: ['default_aggregation'],
      mutability: 'fixed',
      parameter: 'default_aggregation',
      absent: 'sum',
      canonical: (meter) => meter.default_aggregation?.formula ?? 'sum',
      document: (formula) => ({ default_aggregation: { formula } }),
    }),
    customerKey: field({
      name: 'customer_mapping.event_payload_key',
      members: ['customer_mapping'],
      mutability: 'fixed',
      parameter: 'customer_mapping',
      absent: defaultCustomerKey,
      canonical: (meter) => meter.customer_mapping?.event_payload_key ?? defaultCustomerKey,
      document: (key) => ({ customer_mapping: { type: 'by_id', event_payload_key: key } }),
    }),
    valueKey: field({
      name: 'value_settings.event_payload_key',
      members: ['value_settings'],
      mutability: 'fixed',
      parameter: 'value_settings',
      absent: defaultValueKey,
      canonical: (meter) => meter.value_settings?.event_payload_key ?? defaultValueKey,
      document: (key) => ({ value_settings: { event_payload_key: key } }),
    }),
    eventTimeWindow: orNull('event_time_window', 'fixed', { leftOut: 'unmanaged' }),
  },
  {},
)

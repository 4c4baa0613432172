// The second closed table of error codes: issues of a document or a request body, one row per rule.

/** Maps an issue code to its sentence in the reference. The code that reports an issue sets its `severity`. */
export const issueCodes = {
  field_missing: 'A required field is absent.',
  field_unknown: 'The schema has no such field.',
  type_wrong: 'The value has the wrong JSON type for this field.',
  value_invalid: 'The value breaks the format, the length or the range of the field.',
  reference_unknown: 'The field refers to an id that does not exist.',
  enum_unknown: 'The value is not one of the allowed values of the field.',
  syntax: 'The file is not valid JSON, JSONC or YAML.',
  document_too_large: 'The document is nested too deeply, or holds too many values.',
  issues_truncated: 'There are more than 1,000 problems; only the first 1,000 are listed.',
  version_format: '`version` must have the form MAJOR.MINOR.PATCH, digits only (e.g. `1.4.0`).',
  version_disagrees: 'Several files contain different versions; the highest is used (warning).',
  version_not_raised: 'The version is the same as, or lower than, the current one, but the content differs (warning).',
  products_empty: 'At least one product is required.',
  amount_negative: '`amount` must be zero or more.',
  amount_or_tiers:
    'A price must have exactly one of `amount`, `unit_amount_decimal`, `tiers`, `custom_unit_amount` and (enterprise only) `percent_off_base`.',
  currency_options_invalid:
    'An entry of `currency_options` repeats the item’s own currency, or gives its amount in another form than the item.',
  price_parts: 'Two fields of a price exclude each other, e.g. `transform_quantity` and `tiers`.',
  tiers_missing: 'A tiered price must have `tiers`, and `tiers` are allowed only with `billing_scheme: tiered`.',
  tiers_invalid:
    'The `up_to` of each tier must be higher than the `up_to` of the tier before; only the last may be "inf".',
  tier_amount_missing: 'A tier must have a unit amount, a flat amount, or both.',
  interval_unknown: '`interval` must be day, week, month or year.',
  interval_missing: 'A metered or tiered price has no `interval`.',
  interval_too_long: '`interval` times `interval_count` must be at most three years.',
  interval_count_alone: '`interval_count` is allowed only with an `interval`.',
  currency_unknown: '`currency` must be one of the supported codes, in lower case.',
  meter_missing: 'A metered price or feature has no `meter`.',
  meter_undefined: 'No meter has that id.',
  meter_unused_field: '`meter` is allowed only in metered prices and features.',
  public_enterprise: 'An enterprise price must not be public.',
  enterprise_both: 'A price must not have both `enterprise_template` and `enterprise_id`.',
  default_duplicate: 'A product has more than one default price.',
  default_enterprise: 'An enterprise price must not be the default price.',
  base_price_missing:
    'No base price can be derived for an enterprise price: the price is listed, but no subscription is moved to it (warning).',
  base_price_undefined: '`base_price` must be the id of an ordinary price of the same product.',
  base_price_mismatch: 'An enterprise price must have the same currency, interval and usage type as its base price.',
  base_price_duplicate: 'Two prices with the same base price have the same template or enterprise id.',
  percent_off_range: '`percent_off_base` must be more than 0 and at most 100.',
  percent_off_beside:
    'A price with `percent_off_base` must not have amounts, tiers, packages or other currencies: it takes those of its base price.',
  percent_off_without_base:
    '`percent_off_base` is allowed only in an enterprise price whose base price has an amount or tiers.',
  deal_moved:
    'The base price of an enterprise price in amounts changes, and so does the difference between the two (warning of a plan).',
  base_price_unused_field: '`base_price` is allowed only in enterprise prices.',
  id_duplicate: 'The id is used twice.',
  previous_id_conflict:
    'An id in `previous_ids` is the id of a current item, is listed twice, or would merge two items into one.',
  event_name_duplicate: 'Two meters have the same event name.',
  webhook_url_duplicate: 'Two webhooks have the same URL.',
  webhook_url_invalid: 'A webhook URL must be https, or http on loopback (e.g. `http://localhost`).',
  webhook_event_unknown: 'The processor has no event with that name.',
  webhook_event_duplicate: 'An event is listed twice.',
  webhook_id_missing: 'The webhook has no `id`: if its URL is edited, its signing secret is lost (warning).',
  code_duplicate: 'Two promotion codes have the same code (upper and lower case are equal).',
  code_exceeds_coupon: 'A promotion code must not expire later than its coupon, or allow more redemptions.',
  coupon_undefined: 'No coupon has that id.',
  coupon_discount: 'A coupon must have exactly one of `percent_off` and `amount_off`.',
  coupon_currency: '`currency` is required with `amount_off`, and not allowed with `percent_off`.',
  coupon_duration: '`duration_in_months` is required with `duration: repeating`, and not allowed otherwise.',
  feature_undefined: 'No feature has that id.',
  feature_limit_missing: 'A product that lists a feature of type `limit` or `metered` must set its `limit`.',
  feature_limit_unused: 'A product sets a limit for a feature of type `switch`, which cannot have one.',
  product_undefined: 'No product has that id.',
  minimum_amount_currency: '`minimum_amount` and `minimum_amount_currency` must be given together.',
  metadata_reserved: 'A metadata key starts with `ratecard_`; such keys are reserved.',
  text_malformed: 'The text contains a control character or invalid Unicode, or a line break outside a description.',
  variable_unset: 'The environment has no such variable.',
  variable_forbidden:
    'The variable is or may be a secret: `RATECARD_*`, `STRIPE_*`, `AWS_*` … are never expanded, others only in the URL of a webhook.',
  variable_malformed: 'A `${` has no matching `}`, or the name of the variable is invalid.',
  merge_conflict: 'Two files define the same product differently.',
  amount_suspicious: 'The amount looks 100 times too high for a currency without decimals (warning).',
  amount_below_minimum: 'The amount is below the minimum that the processor charges in this currency (warning).',
  product_type_changed: 'The type of a product changes, but the processor cannot change it after the creation.',
  lookup_key_taken: 'Another price or feature already has the lookup key.',
  processor_id_unknown: 'The processor has no object with that id.',
  processor_id_conflict: 'The object to adopt differs in a field that cannot be changed.',
  processor_id_taken: 'The object already belongs to another configuration id.',
  meter_event_name_taken: 'An active meter that Ratecard does not manage has that event name.',
  code_taken: 'An active promotion code that Ratecard does not manage has that code.',
  lookup_key_replaced: 'The lookup key of an adopted price differs from its id, and is replaced by the id (warning).',
  left_as_is: 'An adopted object has values that the document omits: they stay as they are (warning).',
  not_carried_over:
    'An object is replaced, and some of its values cannot be carried over to its replacement (warning).',
  coupon_redemptions_restart: 'The coupon is replaced, and its redemptions are counted from 0 again (warning).',
  webhook_limit: 'The account would have more than 16 webhook endpoints.',
  webhook_url_foreign:
    'An endpoint that Ratecard does not manage has the same URL: events would be delivered twice (warning).',
  date_past: 'The end date of a new coupon or promotion code is in the past.',
  looks_like_rename: 'The plan removes an item and adds one with the same content under another id (warning).',
  switched_off_at_processor: 'The item was switched off at the processor; it stays off (warning).',
  switched_on_again: 'The item was switched off at the processor; the push switches it on again (warning).',
  drift: 'The field was changed at the processor since the last push.',
  subscribers_affected:
    'More live subscriptions than the server allows without approval are on prices that the plan archives or replaces.',
  migration_waiting:
    'A migration waits for its date to move subscribers to a price that the plan replaces or archives.',
  customer_unchecked:
    'The processor key may not read customers, so the customer of a promotion code was not checked (warning).',
  migration_scheduled:
    'Subscribers are scheduled to move to a price that the plan replaces or archives: migrate them again after the push (warning).',
  features_lowered: 'A product gives less of a feature than before; the detail has the number of tenants (warning).',
  meter_in_use: 'Live subscriptions are on prices of the meter that would be deactivated.',
} as const satisfies Record<string, string>

export type IssueCode = keyof typeof issueCodes

// The table of issue codes: issues of a document or a request body, one row per rule. No other codes exist.

/** Maps an issue code to its sentence in the reference. The code that creates an issue decides its `severity`. */
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
  interval_missing: 'A metered or tiered price must have an `interval`.',
  interval_too_long: '`interval` times `interval_count` must be at most three years.',
  interval_count_alone: '`interval_count` is allowed only with an `interval`.',
  currency_unknown: '`currency` must be one of the supported codes, in lower case.',
  meter_missing: 'A metered price or feature must have a `meter`.',
  meter_undefined: 'No meter has that id.',
  meter_unused_field: '`meter` is allowed only in metered prices and features.',
  public_enterprise: 'An enterprise price must not be public.',
  enterprise_both: 'A price must not have both `enterprise_template` and `enterprise_id`.',
  default_duplicate: 'A product must not have more than one default price.',
  default_enterprise: 'An enterprise price must not be the default price.',
  attached_price_undefined: '`attached_prices` must contain ids of prices of the document.',
  attached_price_invalid:
    'An attached price must be an ordinary recurring price that the processor bills, listed once, without attached prices of its own; so must the price that it is attached to.',
  attached_price_mismatch:
    'An attached price must have the same currencies and interval as the price that it is attached to, and must be public if that price is.',
  credit_invalid:
    '`grants_credit` is allowed only in prices that the processor bills in advance, and its meters must be billed by a price.',
  credit_unusable:
    'The credit of a price cannot pay for usage, because no metered price has its currency, or buyers pay in another one (warning).',
  base_price_missing:
    'No base price can be derived for an enterprise price: the price is listed, but no subscription is moved to it (warning).',
  base_price_undefined: '`base_price` must be the id of an ordinary price of the document.',
  base_price_mismatch: 'An enterprise price must have the same currency, interval and usage type as its base price.',
  base_price_duplicate: 'Two prices with the same base price have the same template or enterprise id.',
  percent_off_range: '`percent_off_base` must be more than 0 and at most 100.',
  percent_off_beside:
    'A price with `percent_off_base` must not have amounts, tiers, packages or other currencies: it takes those of its base price.',
  percent_off_without_base:
    '`percent_off_base` is allowed only in an enterprise price whose base price has an amount or tiers.',
  deal_moved:
    'The plan changes the base price of an enterprise price that has its own amount, so the discount between the two changes (warning).',
  base_price_unused_field: '`base_price` is allowed only in enterprise prices.',
  id_duplicate: 'Two items of one kind have the same id.',
  previous_id_conflict:
    'An id in `previous_ids` is the id of a current item, is listed twice, or would merge two items into one.',
  event_name_duplicate: 'Two meters have the same event name.',
  webhook_url_duplicate:
    'Two webhooks of the same kind (for the account, or for connected accounts) have the same URL.',
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
  tax_rate_undefined: 'No tax rate has that id.',
  tax_rate_inactive: 'A sale cannot use a tax rate that is not active.',
  tax_conflict: '`automatic` and `rates` of `tax` exclude each other.',
  portal_price_undefined: 'The product of a portal configuration has no price with that id.',
  portal_price_invalid: 'A price of a portal configuration must be recurring, billed by quantity, and not free.',
  portal_products_limit: 'A portal configuration must have 1 to 10 products that a customer may change to.',
  portal_needs_payment_method: '`subscription_update` of a portal configuration needs `payment_method_update`.',
  metadata_full:
    'The object would have more metadata keys than the processor allows, or has no room for a key that Ratecard needs.',
  no_room_for_mark:
    'All 50 metadata keys of the object are used, so Ratecard cannot add its own. Only the store records that the object is managed (warning).',
  metadata_reserved: 'A metadata key starts with `ratecard_`; such keys are reserved.',
  text_malformed:
    'The text contains a control character or invalid Unicode, or a line break in a URL or a name for programs.',
  variable_unset: 'The environment has no such variable.',
  variable_altered:
    'The value of a variable is not what its line of the environment file shows, e.g. cut at a `#` (warning).',
  variable_forbidden:
    'The variable is or may be a secret. `RATECARD_*`, `STRIPE_*`, `AWS_*` … are never expanded; other secrets are expanded only in the URL of a webhook.',
  variable_malformed: 'A `${` has no matching `}`, or the name of the variable is invalid.',
  merge_conflict: 'Two files define the same product, or the same member of the document (e.g. `tax`), differently.',
  amount_suspicious: 'The amount looks 100 times too high for a currency without decimals (warning).',
  amount_not_chargeable:
    'In this currency the processor charges only multiples of 10 or 100 minor units (a warning for an adopted object).',
  currency_removed:
    'The plan stops selling a price in a currency in which subscriptions are billed; the tenants are named (warning).',
  amount_looks_major:
    'An amount is written with decimals, like an amount of the currency, but it is in minor units: `199.00` is 1.99 (warning).',
  amount_below_minimum: 'The amount is below the minimum that the processor charges in this currency (warning).',
  product_type_changed: 'The type of a product changes, but the processor cannot change it after the creation.',
  lookup_key_duplicate: 'Two prices, or two features, have the same lookup key (by default the id).',
  lookup_key_taken: 'Another price or feature already has the lookup key.',
  processor_id_unknown: 'The processor has no object with that id.',
  processor_id_conflict: 'The object to adopt differs in a field that cannot be changed.',
  processor_id_taken: 'The object already belongs to another configuration id.',
  meter_event_name_taken: 'An active meter that Ratecard does not manage has that event name.',
  code_taken: 'An active promotion code that Ratecard does not manage has that code.',
  lookup_key_replaced:
    'An adopted price has another lookup key than the document sets. It gets the key of the document (warning).',
  left_as_is: 'An adopted object has values that the document does not set. They stay unchanged (warning).',
  not_carried_over:
    'An object is replaced, and some of its values cannot be carried over to its replacement (warning).',
  coupon_redemptions_restart: 'The coupon is replaced, and its redemptions are counted from 0 again (warning).',
  webhook_limit: 'The account would have more than 16 webhook endpoints.',
  webhook_url_foreign:
    'An endpoint that Ratecard does not manage has the same URL: events would be delivered twice (warning).',
  date_past: 'The end date of a new coupon or promotion code is in the past.',
  looks_like_rename: 'The plan removes an item and adds one with the same content under another id (warning).',
  switched_off_at_processor: 'The object was switched off at the processor. The push leaves it off (warning).',
  switched_on_again: 'The object was switched off at the processor. The push switches it on again (warning).',
  drift: 'The field was edited at the processor since the last push.',
  subscribers_affected:
    'More live subscriptions than the server allows without approval are on prices that the plan archives or replaces.',
  migration_waiting:
    'A migration waits for its date to move subscribers to a price that the plan replaces or archives.',
  customer_unchecked:
    'The processor key may not read customers, so the customer of a promotion code was not checked (warning).',
  migration_scheduled:
    'Subscribers are scheduled to move to a price that the plan replaces or archives. The moves can be taken back.',
  features_lowered:
    'A product gives less of a feature than before. The detail contains the number of affected tenants (warning).',
  tax_rate_kept: 'Subscriptions keep a tax rate that the plan replaces or archives; the detail names them (warning).',
  tax_of_sales_changed: 'New checkouts collect other taxes than before (warning).',
  portal_default_stays:
    'A portal configuration that is the account’s own default cannot be switched off; it stays (warning).',
  policy_not_here: 'A policy is for other environments than that of the server, so it does not apply (warning).',
  meter_in_use: 'Live subscriptions are on prices of the meter that would be deactivated.',
} as const satisfies Record<string, string>

export type IssueCode = keyof typeof issueCodes

// Members that have the same value in every object of a kind, because the sandbox never sets them. They are not stored; `render` adds them.
import type { Kind } from './bodies.ts'

type Values = Readonly<Record<string, unknown>>

const nulls = (names: string): Values => Object.fromEntries(names.split(' ').map((name) => [name, null]))
const test = { livemode: false }

/** Constant members of nested objects. Unlike the constant members of whole objects, they are stored. */
export const cardNulls = nulls('checks generated_from networks regulated_status three_d_secure_usage wallet')
export const phaseConstants = {
  ...nulls('application_fee_percent billing_cycle_anchor billing_thresholds on_behalf_of transfer_data'),
  add_invoice_items: [],
}
export const defaultSettingConstants = {
  ...nulls('application_fee_percent billing_thresholds on_behalf_of transfer_data'),
  billing_cycle_anchor: 'automatic',
}

const intent = {
  ...nulls('application automatic_payment_methods customer_account excluded_payment_method_types managed_payments'),
  ...nulls('on_behalf_of payment_method_configuration_details'),
  ...test,
  payment_method_options: {},
}

export const constants: { readonly [K in Kind]?: Values } = {
  product: test,
  price: test,
  'billing.meter': test,
  coupon: test,
  promotion_code: { ...nulls('customer_account'), ...test },
  webhook_endpoint: { ...nulls('application'), ...test },
  customer: { ...nulls('customer_account'), ...test },
  tax_rate: { ...nulls('flat_amount jurisdiction_level'), ...test, rate_type: 'percentage' },
  'entitlements.feature': test,
  product_feature: test,
  'entitlements.active_entitlement': test,
  payment_method: { ...nulls('customer_account'), ...test },
  subscription: {
    ...nulls('application application_fee_percent billing_cycle_anchor_config billing_thresholds customer_account'),
    ...nulls('default_source managed_payments next_pending_invoice_item_invoice on_behalf_of'),
    ...nulls('pending_invoice_item_interval pending_update transfer_data'),
    ...test,
    billing_schedules: [],
  },
  subscription_item: nulls('billing_thresholds current_trial'),
  subscription_schedule: { ...nulls('application customer_account'), ...test, pause_schedules: [] },
  discount: nulls('customer_account invoice invoice_item'),
  invoice: {
    ...nulls('account_tax_ids application customer_account default_source from_invoice invoice_pdf'),
    ...nulls('last_finalization_error latest_revision on_behalf_of receipt_number rendering shipping_cost'),
    ...nulls('shipping_details statement_descriptor'),
    ...test,
    account_country: 'US',
    account_name: 'Sandbox',
    amount_overpaid: 0,
    amount_shipping: 0,
    customer_tax_ids: [],
    issuer: { type: 'self' },
    payment_settings: nulls('default_mandate payment_method_options payment_method_types'),
  },
  invoiceitem: { ...nulls('customer_account'), ...test, discounts: [] },
  credit_note: {
    ...nulls('customer_account shipping_cost'),
    ...test,
    amount_shipping: 0,
    discount_amount: 0,
    discount_amounts: [],
    pretax_credit_amounts: [],
    total_taxes: [],
  },
  'billing.credit_grant': { ...nulls('customer_account'), ...test },
  'billing.credit_balance_transaction': test,
  'billing.credit_balance_summary': { ...nulls('customer_account'), ...test },
  balance_transaction: { balance_type: 'payments', exchange_rate: null, fee: 0, fee_details: [] },
  charge: {
    ...nulls('application application_fee application_fee_amount balance_transaction calculated_statement_descriptor'),
    ...nulls('failure_balance_transaction on_behalf_of receipt_email receipt_number receipt_url review source'),
    ...nulls('source_transfer statement_descriptor statement_descriptor_suffix transfer_data transfer_group'),
    ...test,
    disputed: false,
    fraud_details: {},
  },
  refund: {
    ...nulls('balance_transaction customer_account receipt_number source_transfer_reversal transfer_reversal'),
    status: 'succeeded',
  },
  payment_intent: {
    ...intent,
    ...nulls('application_fee_amount payment_record processing receipt_email review source statement_descriptor'),
    ...nulls('statement_descriptor_suffix transfer_group'),
    amount_capturable: 0,
    capture_method: 'automatic_async',
    confirmation_method: 'automatic',
  },
  setup_intent: {
    ...intent,
    ...nulls('allowed_payment_method_types flow_directions mandate single_use_mandate'),
  },
  'test_helpers.test_clock': test,
  'checkout.session': {
    ...nulls('adaptive_pricing after_expiration billing_address_collection client_secret consent'),
    ...nulls('consent_collection currency_conversion customer_account integration_identifier invoice_creation'),
    ...nulls('managed_payments origin_context payment_link payment_method_configuration_details permissions'),
    ...nulls('recovered_from saved_payment_method_options shipping_address_collection shipping_cost submit_type'),
    ...nulls('wallet_options'),
    ...test,
    collected_information: nulls('business_name individual_name shipping_details'),
    custom_fields: [],
    custom_text: nulls('after_submit shipping_address submit terms_of_service_acceptance'),
    payment_method_options: { card: { request_three_d_secure: 'automatic' } },
    shipping_options: [],
    ui_mode: 'hosted_page',
  },
  'billing_portal.session': { ...nulls('customer_account locale on_behalf_of'), ...test },
  'billing_portal.configuration': {
    ...nulls('application'),
    ...test,
  },
}

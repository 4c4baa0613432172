// What of the SDK the contract is about.

/** Resource file, its class, and the methods that we call. */
export const used: readonly (readonly [file: string, className: string, ...methods: string[]])[] = [
  ['Accounts', 'AccountResource', 'retrieveCurrent'],
  ['Products', 'ProductResource', 'create', 'retrieve', 'update', 'list', 'del'],
  ['Prices', 'PriceResource', 'create', 'retrieve', 'update', 'list'],
  ['Billing/Meters', 'MeterResource', 'create', 'retrieve', 'update', 'list', 'deactivate', 'reactivate'],
  ['Coupons', 'CouponResource', 'create', 'retrieve', 'update', 'list', 'del'],
  ['PromotionCodes', 'PromotionCodeResource', 'create', 'retrieve', 'update', 'list'],
  ['WebhookEndpoints', 'WebhookEndpointResource', 'create', 'retrieve', 'update', 'list', 'del'],
  ['Customers', 'CustomerResource', 'create', 'retrieve', 'update', 'list', 'del'],
  ['Events', 'EventResource', 'retrieve', 'list'],
  ['Subscriptions', 'SubscriptionResource', 'create', 'retrieve', 'update', 'list', 'cancel'],
  ['SubscriptionItems', 'SubscriptionItemResource', 'create', 'retrieve', 'update', 'list', 'del'],
  [
    'SubscriptionSchedules',
    'SubscriptionScheduleResource',
    'create',
    'retrieve',
    'update',
    'list',
    'release',
    'cancel',
  ],
  ['Invoices', 'InvoiceResource', 'retrieve', 'list', 'createPreview', 'listLineItems', 'pay'],
  ['PaymentIntents', 'PaymentIntentResource', 'retrieve'],
  ['PaymentMethods', 'PaymentMethodResource', 'retrieve', 'list', 'attach', 'detach'],
  ['Billing/MeterEvents', 'MeterEventResource', 'create'],
  ['Billing/Meters', 'MeterResource', 'listEventSummaries'],
  ['TestHelpers/TestClocks', 'TestClockResource', 'create', 'retrieve', 'list', 'del', 'advance'],
  ['Checkout/Sessions', 'SessionResource', 'create', 'retrieve', 'list', 'expire', 'listLineItems'],
  ['BillingPortal/Sessions', 'SessionResource', 'create'],
]

/** Objects described in full; any other one that is met is only asked for its `object`. */
export const described = new Set([
  'Account',
  'Product',
  'DeletedProduct',
  'Price',
  'Meter',
  'Coupon',
  'DeletedCoupon',
  'PromotionCode',
  'WebhookEndpoint',
  'DeletedWebhookEndpoint',
  'Customer',
  'DeletedCustomer',
  'EventBase',
  'Subscription',
  'SubscriptionItem',
  'DeletedSubscriptionItem',
  'SubscriptionSchedule',
  'Discount',
  'Invoice',
  'InvoiceLineItem',
  'PaymentIntent',
  'PaymentMethod',
  'MeterEvent',
  'MeterEventSummary',
  'TestClock',
  'DeletedTestClock',
  'LineItem',
  'Session',
])

/** Fields of hundreds of lines about ways to pay that we never ask for: an object or null is all that is asked of them. */
export const unread = new Set([
  'payment_method_options',
  'payment_method_data',
  'customer_details',
  'payment_settings',
  'next_action',
  'last_payment_error',
  'last_finalization_error',
])

/** Described where they are the answer, but met within another object only asked for their `object`: each leads to all the others. */
export const heavy = new Set([
  'Account',
  'Subscription',
  'SubscriptionSchedule',
  'Invoice',
  'PaymentIntent',
  'PaymentMethod',
  'TestClock',
  'Session',
])

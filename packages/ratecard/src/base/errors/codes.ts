// All error codes, in two complete tables: problems (one per response) and issues (many per document). Only these tables define statuses
// and titles. A test compares them with docs/reference/errors.md and OpenAPI.

export interface ProblemRow {
  readonly status: number
  /** Title of the problem, the same for every occurrence. Details of an occurrence are in `detail`. */
  readonly title: string
  /** Cause and remedy in one or two sentences, for docs/reference/errors.md. */
  readonly when: string
  /**
   * Members of a request body that may cause the error. The error's pointer refers to the first of these members that the body contains.
   */
  readonly about?: readonly string[]
}

export const problemCodes = {
  json_malformed: {
    status: 400,
    title: 'The body is not JSON',
    when: 'The request body could not be parsed. Send one JSON document.',
  },
  request_invalid: {
    status: 400,
    title: 'The request is invalid',
    when: 'A path parameter, query parameter or body member is wrong; `errors` lists each.',
  },
  delivery_invalid: {
    status: 400,
    title: 'The delivery is not signed by the processor',
    when: 'A delivered processor event has no valid signature, or the signature is older than five minutes. Check `RATECARD_PROCESSOR_EVENTS_SECRET` and the clock.',
  },
  service_key_missing: {
    status: 401,
    title: 'A service key is required',
    when: 'The route needs the header `X-Service-Key`.',
  },
  service_key_invalid: {
    status: 401,
    title: 'The service key is not valid',
    when: 'The key is unknown, revoked or mistyped.',
  },
  service_key_expired: {
    status: 401,
    title: 'The service key has expired',
    when: 'The key has expired. Create a new one with `ratecard keys create`.',
  },
  session_invalid: {
    status: 401,
    title: 'The session is not valid',
    when: 'The session cookie is missing, expired, revoked or forged.',
  },
  not_allowed: { status: 403, title: 'Not allowed', when: 'The caller may not do this; `detail` contains the reason.' },
  key_scope: {
    status: 403,
    title: 'The service key may not do this',
    when: 'A key with scope `read` can read, validate and request dry runs, but cannot change anything. A key with scope `write` cannot set or override policies, nor create owner keys. Use a key with a wider scope.',
  },
  route_not_found: { status: 404, title: 'No such route', when: 'The path or the method does not exist.' },
  config_not_found: {
    status: 404,
    title: 'There is no configuration',
    when: 'Nothing has been pushed yet, or everything was reset.',
  },
  revision_not_found: {
    status: 404,
    title: 'No such revision',
    when: 'The history has no revision with that number.',
    about: ['revision'],
  },
  price_not_found: {
    status: 404,
    title: 'No such price',
    when: 'The price is unknown, or hidden from this caller.',
    about: ['price_id'],
  },
  product_not_found: {
    status: 404,
    title: 'No such product',
    when: 'The product is unknown, or hidden from this caller.',
  },
  meter_not_found: {
    status: 404,
    title: 'No such meter',
    when: 'The meter is unknown, or no price that is visible to this caller uses it.',
    about: ['meter'],
  },
  mapping_not_found: {
    status: 404,
    title: 'No such processor id',
    when: 'No item of the configuration has had this processor id, or the caller may not see the item.',
  },
  push_not_found: { status: 404, title: 'No such push', when: 'No push has that id.' },
  webhook_not_found: { status: 404, title: 'No such webhook', when: 'The configuration has no webhook with that id.' },
  key_not_found: { status: 404, title: 'No such service key', when: 'No service key has that id.' },
  grant_not_found: { status: 404, title: 'No such grant', when: 'The tenant has no grant of that feature.' },
  feature_not_found: { status: 404, title: 'No such feature', when: 'The configuration has no feature with that id.' },
  tenant_not_found: { status: 404, title: 'No such tenant', when: 'No tenant has that id.', about: ['tenant_id'] },
  discount_not_found: {
    status: 404,
    title: 'There is no such discount',
    when: 'No subscription of the tenant has a discount with this id, or it has ended. `GET admin/tenants/{id}/discounts` lists them.',
  },
  portal_not_found: {
    status: 404,
    title: 'No such portal configuration',
    when: 'The applied configuration has no portal configuration with that id.',
  },
  subscription_not_found: {
    status: 404,
    title: 'No such subscription',
    when: 'The tenant has no running free subscription with that id.',
  },
  session_not_found: { status: 404, title: 'No such session', when: 'No session has that id.' },
  job_not_found: { status: 404, title: 'No such job', when: 'No job has that id.' },
  deployment_not_found: {
    status: 404,
    title: 'No such deployment',
    when: 'The worker has no deployment with that id. For a rollback without an id: there is no deployment before the current one.',
  },
  enterprise_price_not_found: {
    status: 404,
    title: 'No such enterprise price',
    when: 'No price has that template or enterprise id.',
    about: ['enterprise_template', 'enterprise_id'],
  },
  worker_not_found: { status: 404, title: 'No such worker', when: 'No worker with that name is deployed.' },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    when: 'The path does not support this method. The header `Allow` lists the methods that it supports.',
  },
  written_form_mismatch: {
    status: 422,
    title: 'The source document and the expanded document differ',
    when: 'The header `X-Ratecard-Written` names a source document that the server does not have, or that does not expand to the pushed document. Send the source document again, then push.',
  },
  push_in_progress: {
    status: 409,
    title: 'Another push is running',
    when: 'An account can have one push at a time. Wait until it ends, or follow it at `GET admin/pushes`.',
  },
  push_unfinished: {
    status: 409,
    title: 'The outcome of the last push is not known yet',
    when: 'A step of an earlier push got no response and may still take effect, or the processor cannot be reached. Try again after the time in `Retry-After`.',
  },
  push_not_resumable: {
    status: 409,
    title: 'The push cannot be resumed',
    when: 'The push is not interrupted. Only an interrupted push can be resumed; `GET admin/pushes` lists the states.',
  },
  push_not_running: { status: 409, title: 'The push is not running', when: 'Only a running push can be cancelled.' },
  tenant_busy: {
    status: 409,
    title: 'The tenant is being changed',
    when: 'Another request is changing this tenant’s subscriptions, or a change that was sent earlier may still take effect. Try again after the time in `Retry-After`.',
  },
  preview_stale: {
    status: 409,
    title: 'The preview is stale',
    when: 'A preview is valid for a limited time, and only for the same request while the subscription and its prices do not change. Nothing was changed. Request a new preview and show it to the customer.',
  },
  payment_overdue: {
    status: 409,
    title: 'A payment is overdue',
    when: 'The subscription cannot change now, because it has unpaid invoices, or because an earlier change waits for its payment. Let the customer pay, or change at the end of the period.',
  },
  job_not_running: {
    status: 409,
    title: 'The state of the job does not allow this',
    when: 'A running or waiting job can be cancelled; an interrupted, waiting or failed job can be resumed. Some kinds of jobs allow neither: the member `allows` of the job lists what is allowed.',
  },
  push_cancelled: {
    status: 409,
    title: 'The push was cancelled',
    when: 'A user cancelled the push. It stopped between two steps and can be resumed.',
  },
  deployment_in_progress: {
    status: 409,
    title: 'Another deployment is running',
    when: 'A worker can have one deployment at a time. Try again in a moment.',
  },
  version_conflict: {
    status: 409,
    title: 'The version was not raised',
    when: 'Only with RATECARD_REQUIRE_VERSION_BUMP: the content changed, but `version` is the same or lower. Raise `version`.',
    about: ['version'],
  },
  processor_drift: {
    status: 409,
    title: 'An object was edited at the processor',
    when: 'A managed field was edited at the processor, and the push would overwrite it. Take the change into your files (`ratecard billing pull --update`), or push with `force`.',
  },
  plan_stale: {
    status: 409,
    title: 'The plan is out of date',
    when: 'The processor or the configuration changed since the plan was made. Plan again.',
  },
  impact_not_approved: {
    status: 409,
    title: 'The change needs approval',
    when: 'Live subscriptions are affected. Read the impact, then push with approval.',
  },
  policy_denied: {
    status: 409,
    title: 'A policy forbids the change',
    when: 'The change breaks a policy with severity `deny`; `violations` lists each. Nothing was written. Change the document, or let an owner override the rule (`--override`).',
  },
  account_mismatch: {
    status: 409,
    title: 'The key belongs to another processor account',
    when: 'The store belongs to one processor account and mode (test or live), and the processor key belongs to another. Use a key of the first account, or another store.',
  },
  key_last: {
    status: 409,
    title: 'The last service key cannot be revoked',
    when: 'Without this key, nobody could manage the service. Create another key first.',
  },
  last_owner_key: {
    status: 409,
    title: 'The last owner key cannot be revoked',
    when: 'Without a service key of scope `owner`, nobody could change or override a policy. Create another owner key first.',
  },
  request_in_progress: {
    status: 409,
    title: 'The same request is still running',
    when: 'The first request with this Idempotency-Key has not finished. Retry with the same key.',
  },
  idempotency_key_reused: {
    status: 409,
    title: 'The idempotency key was used before',
    when: 'An earlier request with this Idempotency-Key had another body. Use a new key for a new request.',
  },
  already_subscribed: {
    status: 409,
    title: 'The tenant already has a subscription to this product or group',
    when: 'A second subscription would be billed in addition. `detail` names the existing subscription and its price. Change it (`POST subscription/change`) or cancel it (`POST subscription/cancel`), or pass `allow_duplicate` if you want both.',
    about: ['price_id', 'items'],
  },
  meter_not_subscribed: {
    status: 409,
    title: 'The tenant has no subscription item for this meter',
    when: 'The usage was reported with `strict: true`, and the tenant has no subscription item for the meter. Nothing was recorded. Sell the tenant a price of the meter, or leave out `strict`.',
    about: ['meter'],
  },
  limit_reached: {
    status: 409,
    title: 'The allowance is used up',
    when: 'The usage was reported with `enforce: true`, and would exceed the allowance of a feature with `beyond: deny`. Nothing was recorded or sent.',
    about: ['value'],
  },
  trial_used: {
    status: 409,
    title: 'The tenant has used its trial',
    when: 'A tenant gets one trial of each product or `subscription_group`; `detail` names the subscription that had the trial. Leave out `trial_period_days`, or pass `allow_second_trial` with a service key.',
    about: ['trial_period_days'],
  },
  mirror_off: {
    status: 409,
    title: 'The mirror is switched off',
    when: 'The response needs the mirror (the copy of customers and subscriptions). Start the service without `RATECARD_MIRROR=off`.',
  },
  conflict: {
    status: 409,
    title: 'Conflict with the current state',
    when: 'The id is taken, or the current state does not allow the change; `detail` names the reason.',
  },
  customer_ambiguous: {
    status: 409,
    title: 'Several customers are of one tenant',
    when: 'The metadata of several customers at the processor names the tenant, so that it is not known which one pays. Name one in `processor_customer_id`, and take the mark from the others.',
  },
  customer_deleted: {
    status: 409,
    title: 'The customer was deleted at the processor',
    when: 'The tenant’s customer no longer exists. The next checkout makes a new one; or link another one with `processor_customer_id`.',
  },
  store_not_found: {
    status: 404,
    title: 'There is no store',
    when: 'On the command line only: the data directory holds no database.',
  },
  store_in_use: {
    status: 409,
    title: 'The store is in use',
    when: 'On the command line only: a server or another program has the database open. Stop it first.',
  },
  store_behind: {
    status: 409,
    title: 'The store is older than it was',
    when: 'At start only: the embedded store or its log lacks what was written before, e.g. because the disk is damaged or an old copy was put in its place.',
  },
  backup_invalid: {
    status: 422,
    title: 'The backup cannot be used',
    when: 'On the command line only: the file is damaged, is not a backup, or cannot be decrypted with the master key.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large',
    when: 'The request body exceeds the limit of the route.',
  },
  media_type_unsupported: {
    status: 415,
    title: 'Unsupported media type',
    when: 'Send `Content-Type: application/json`.',
  },
  config_invalid: {
    status: 422,
    title: 'The configuration has errors',
    when: 'The document breaks one or more rules; `errors` lists all of them.',
  },
  policies_invalid: {
    status: 422,
    title: 'The policies have errors',
    when: 'The policies break their schema; `errors` lists each problem.',
  },
  plan_refused: {
    status: 422,
    title: 'The plan is refused',
    when: 'The document is valid, but at least one of its changes is impossible at the processor; `errors` lists the reasons.',
  },
  quantity_invalid: {
    status: 422,
    title: 'The quantity is invalid',
    when: 'A quantity must be a whole number, zero or more. A session may ask for at most `RATECARD_SESSION_MAX_QUANTITY` of a price.',
    about: ['quantity'],
  },
  price_not_sellable: {
    status: 422,
    title: 'The price cannot be sold',
    when: 'The price has no checkout, for example a free price without an interval.',
    about: ['price_id', 'items'],
  },
  price_not_calculable: {
    status: 422,
    title: 'The price has no amount to calculate with',
    when: 'The price has no amount, because the customer chooses it.',
  },
  currency_not_offered: {
    status: 422,
    title: 'The price is not offered in this currency',
    when: 'The currency is neither the price’s own nor one of its `currency_options`.',
    about: ['currency'],
  },
  checkout_invalid: {
    status: 422,
    title: 'The checkout is invalid',
    when: 'The members of the checkout contradict each other.',
  },
  change_invalid: {
    status: 422,
    title: 'The change is invalid',
    when: 'The change contradicts itself or the subscription, e.g. it names a price twice, or does not name the item that it replaces. `errors` names the member.',
  },
  preview_required: {
    status: 422,
    title: 'A preview is required',
    when: 'A session can change a subscription only after a preview of the amounts. Request a preview (`POST subscription/preview`), and send its `preview` with the change.',
  },
  discount_invalid: {
    status: 422,
    title: 'The discount cannot be given',
    when: 'The coupon or promotion code is unknown, has ended, is used up, or does not fit the subscription, or the request does not name one of several subscriptions. `errors` names the member.',
  },
  processor_rejected: {
    status: 422,
    title: 'The processor rejected the request',
    when: 'The processor understood the request and rejected it; `processor` has its own message.',
  },
  cron_invalid: {
    status: 422,
    title: 'The cron expression is invalid',
    when: 'The expression does not follow the syntax of five cron fields.',
  },
  worker_bundle_invalid: {
    status: 422,
    title: 'The worker bundle is invalid',
    when: 'The uploaded bundle is not a valid worker; `detail` names the reason.',
  },
  worker_start_failed: {
    status: 422,
    title: 'The worker did not start',
    when: 'The new version did not start; the old version keeps serving requests.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    when: 'The client address reached its request limit, a session has two requests under way that need the processor or sent 60 within a minute, or ten promotion codes of a tenant’s sessions were refused within an hour. Wait for the time in `Retry-After`.',
  },
  settings_invalid: {
    status: 500,
    title: 'The settings are wrong',
    when: 'At start only: an environment variable has a value that cannot be used.',
  },
  internal: {
    status: 500,
    title: 'Something went wrong on our side',
    when: 'The service has a bug. Search the log for the request id to find the cause.',
  },
  secret_unreadable: {
    status: 500,
    title: 'A stored secret cannot be read',
    when: 'The secret is encrypted with a master key that RATECARD_MASTER_KEY (or the key file) does not contain. Add that key.',
  },
  worker_exception: {
    status: 500,
    title: 'The worker threw an exception',
    when: 'The handler failed. The stack trace is in the worker’s log.',
  },
  processor_unauthorized: {
    status: 502,
    title: 'The processor rejected the API key',
    when: 'STRIPE_SECRET_KEY is wrong, revoked or lacks a permission.',
  },
  processor_broken: {
    status: 502,
    title: 'Invalid response from the processor',
    when: 'The processor’s response could not be understood. No further request was sent.',
  },
  worker_failed: {
    status: 502,
    title: 'The worker’s response cannot be passed on',
    when: 'The status of the response is not between 200 and 599, its headers are invalid or over 16 KiB, or it is not valid HTTP.',
  },
  processor_rate_limited: {
    status: 503,
    title: 'The rate limit of the processor is reached',
    when: 'Other programs use up the rate limit of the account. Try again later.',
  },
  processor_unavailable: {
    status: 503,
    title: 'The processor is unavailable',
    when: 'The processor could not be reached, or answered with a server error. Try again later.',
  },
  store_unavailable: {
    status: 503,
    title: 'The store is unavailable',
    when: 'The database could not be reached. Try again later.',
  },
  mirror_filling: {
    status: 503,
    title: 'The mirror is being filled',
    when: 'The first copy of customers and subscriptions is being read; `detail` contains the progress. Try again later.',
  },
  shutting_down: {
    status: 503,
    title: 'The service is shutting down',
    when: 'This replica is shutting down and takes no new requests. Try again after the time in `Retry-After`.',
  },
  worker_exceeded_cpu: {
    status: 503,
    title: 'The worker exceeded its CPU limit',
    when: 'Raise `limits.cpu_ms` in the worker’s manifest, or do less per request.',
  },
  worker_exceeded_memory: {
    status: 503,
    title: 'The worker exceeded its memory limit',
    when: 'The worker used more memory than it may; it was stopped and restarted.',
  },
  worker_unavailable: {
    status: 503,
    title: 'The worker is not available',
    when: 'The worker is restarting after a failure, or workers are switched off on this replica.',
  },
  processor_timeout: {
    status: 504,
    title: 'The processor did not answer in time',
    when: 'It is not known whether the request was carried out. The next push looks that up before it changes anything.',
  },
  worker_timeout: {
    status: 504,
    title: 'The worker did not answer in time',
    when: 'The worker did not begin its response within 30 s. Do less before the response, e.g. move work into `waitUntil`.',
  },
} as const satisfies Record<string, ProblemRow>

export type ProblemCode = keyof typeof problemCodes

export { issueCodes } from './issue-codes.ts'
export type { IssueCode } from './issue-codes.ts'

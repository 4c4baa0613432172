// All error codes, in two closed tables: problems (one per response) and issues (many per document). Only these tables define statuses and
// titles; a test compares them with docs/reference/errors.md and OpenAPI.

export interface ProblemRow {
  readonly status: number
  /** Constant per code; details of an occurrence go into `detail`. */
  readonly title: string
  /** Cause and remedy in one sentence, for docs/reference/errors.md. */
  readonly when: string
  /** Members of a request body that may cause the error. The first one present becomes the pointer. */
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
    when: 'A path, query or body member of a route is wrong; `errors` lists each.',
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
    when: 'The key was made with an end, and that has come. Make another.',
  },
  session_invalid: {
    status: 401,
    title: 'The session is not valid',
    when: 'The session cookie is missing, expired, revoked or forged.',
  },
  not_allowed: { status: 403, title: 'Not allowed', when: 'The caller is known, but this operation is closed to it.' },
  key_scope: {
    status: 403,
    title: 'The service key may not do this',
    when: 'A key of scope `read` reads, validates and asks for dry runs. Use a key of scope `write`.',
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
    when: 'The history has no revision of that number.',
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
    when: 'The meter is unknown, or no price that this caller sees bills it.',
    about: ['meter'],
  },
  mapping_not_found: {
    status: 404,
    title: 'No such processor id',
    when: 'The id was never mapped, or is hidden from this caller.',
  },
  push_not_found: { status: 404, title: 'No such push', when: 'No push has that id.' },
  webhook_not_found: { status: 404, title: 'No such webhook', when: 'The configuration has no webhook of that id.' },
  key_not_found: { status: 404, title: 'No such service key', when: 'No service key has that id.' },
  tenant_not_found: { status: 404, title: 'No such tenant', when: 'No tenant has that id.', about: ['tenant_id'] },
  subscription_not_found: {
    status: 404,
    title: 'No such subscription',
    when: 'The tenant has no running subscription of that id to a free price.',
  },
  session_not_found: { status: 404, title: 'No such session', when: 'No session has that id.' },
  job_not_found: { status: 404, title: 'No such job', when: 'No job has that id.' },
  deployment_not_found: {
    status: 404,
    title: 'No such deployment',
    when: 'The worker has no deployment of that id, or none before the present one.',
  },
  enterprise_price_not_found: {
    status: 404,
    title: 'No such enterprise price',
    when: 'No price carries that template or enterprise id.',
    about: ['enterprise_template', 'enterprise_id'],
  },
  worker_not_found: { status: 404, title: 'No such worker', when: 'No worker of that name is deployed.' },
  method_not_allowed: { status: 405, title: 'Method not allowed', when: 'The path exists, the method does not.' },
  written_form_mismatch: {
    status: 422,
    title: 'The document is not what it was written as',
    when: 'The document as written (`X-Ratecard-Written`) is unknown, or cannot be expanded to the one that is pushed.',
  },
  push_in_progress: {
    status: 409,
    title: 'Another push is running',
    when: 'One push at a time for an account. Wait for it, or follow it at `GET admin/pushes`.',
  },
  push_unfinished: {
    status: 409,
    title: 'The last push is not resolved',
    when: 'A step of an earlier push was sent and not answered, and may still be carried out, or the processor cannot be reached. Try again after the time in Retry-After.',
  },
  push_not_resumable: {
    status: 409,
    title: 'The push cannot be resumed',
    when: 'Only an interrupted push can be resumed.',
  },
  push_not_running: { status: 409, title: 'The push is not running', when: 'Only a running push can be cancelled.' },
  tenant_busy: {
    status: 409,
    title: 'The tenant is being changed',
    when: 'Another call changes this tenant’s subscriptions now, or a change that was sent earlier may still be carried out. Try again after the time in Retry-After.',
  },
  job_not_running: {
    status: 409,
    title: 'The job is not in that state',
    when: 'Only a running job can be cancelled, only an interrupted or failed one resumed.',
  },
  push_cancelled: {
    status: 409,
    title: 'The push was cancelled',
    when: 'Somebody asked for it. It stopped between two steps and can be resumed.',
  },
  deployment_in_progress: {
    status: 409,
    title: 'Another deployment is running',
    when: 'One deployment of a worker at a time. Try again in a moment.',
  },
  version_conflict: {
    status: 409,
    title: 'The version was used before',
    when: 'Only with RATECARD_REQUIRE_VERSION_BUMP: same version with other content, or a lower version.',
    about: ['version'],
  },
  processor_drift: {
    status: 409,
    title: 'The processor was edited by hand',
    when: 'A managed field was changed at the processor and would be overwritten. Adopt it, or push with force.',
  },
  plan_stale: {
    status: 409,
    title: 'The plan no longer fits',
    when: 'The processor or the configuration changed since the plan was saved. Plan again.',
  },
  impact_not_approved: {
    status: 409,
    title: 'The change needs approval',
    when: 'Live subscriptions are affected. Read the impact, then push with approval.',
  },
  account_mismatch: {
    status: 409,
    title: 'Another processor account',
    when: 'This environment is bound to another account or mode than the key given.',
  },
  key_last: {
    status: 409,
    title: 'The last service key stays',
    when: 'Revoking it would lock everybody out. Create another key first.',
  },
  request_in_progress: {
    status: 409,
    title: 'The same request is still running',
    when: 'The first request with this Idempotency-Key has no answer yet. Ask again with the same key.',
  },
  idempotency_key_reused: {
    status: 409,
    title: 'The idempotency key was used before',
    when: 'The same Idempotency-Key came with another body.',
  },
  already_subscribed: {
    status: 409,
    title: 'The tenant has a subscription to this product or group',
    when: 'A second one would be billed beside it; `detail` names the first and its price. Cancel or change that in the customer portal (`POST portal`), or ask with `allow_duplicate` where two are meant.',
    about: ['price_id'],
  },
  trial_used: {
    status: 409,
    title: 'The tenant had its trial',
    when: 'Each product, or `subscription_group`, is tried once; `detail` names the subscription. Leave `trial_period_days` out, or allow another trial with a service key and `allow_second_trial`.',
    about: ['trial_period_days'],
  },
  conflict: {
    status: 409,
    title: 'It contradicts what there is',
    when: 'The id is taken, or what is there does not allow the change; `detail` says which.',
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
  backup_invalid: {
    status: 422,
    title: 'The backup cannot be used',
    when: 'On the command line only: the file is damaged, no backup, or the master key does not open it.',
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
  plan_refused: {
    status: 422,
    title: 'The plan is refused',
    when: 'The document is valid, but a change in it is impossible at the processor; `errors` lists why.',
  },
  quantity_invalid: {
    status: 422,
    title: 'The quantity is invalid',
    when: 'A quantity is a whole number, zero or more.',
    about: ['quantity'],
  },
  price_not_sellable: {
    status: 422,
    title: 'The price cannot be sold',
    when: 'The price has no checkout, for example a free price without an interval.',
    about: ['price_id'],
  },
  price_not_calculable: {
    status: 422,
    title: 'The price has no amount to calculate with',
    when: 'The customer chooses the amount of the price.',
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
  processor_rejected: {
    status: 422,
    title: 'The processor refused',
    when: 'The processor understood the call and refused it; `processor` has its own words.',
  },
  cron_invalid: {
    status: 422,
    title: 'The cron expression is invalid',
    when: 'The expression breaks the grammar of five fields.',
  },
  worker_bundle_invalid: {
    status: 422,
    title: 'The worker bundle is invalid',
    when: 'The upload is not a worker that can run.',
  },
  worker_start_failed: {
    status: 422,
    title: 'The worker did not start',
    when: 'The new version did not come up; the old one keeps serving.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    when: 'The limit for this address is reached, or ten promotion codes that a tenant’s session tried were refused within an hour. Wait as long as `Retry-After` says.',
  },
  settings_invalid: {
    status: 500,
    title: 'The settings are wrong',
    when: 'At start only: an environment variable has a value that cannot be used.',
  },
  internal: {
    status: 500,
    title: 'Something went wrong on our side',
    when: 'A bug. The request id finds the cause in the log.',
  },
  secret_unreadable: {
    status: 500,
    title: 'A stored secret cannot be read',
    when: 'It was sealed under a master key that RATECARD_MASTER_KEY (or the key file) does not hold. Give that key as well.',
  },
  worker_exception: {
    status: 500,
    title: 'The worker threw an exception',
    when: 'The handler failed; the trace is in the worker’s logs.',
  },
  processor_unauthorized: {
    status: 502,
    title: 'The processor refused our key',
    when: 'STRIPE_SECRET_KEY is wrong, revoked or lacks a permission.',
  },
  processor_broken: {
    status: 502,
    title: 'The processor answered nonsense',
    when: 'The answer could not be understood. Nothing more was sent.',
  },
  worker_failed: {
    status: 502,
    title: 'The worker’s response cannot be passed on',
    when: 'Its status is none from 200 to 599, its headers are invalid or over 16 KiB, or it is not valid HTTP.',
  },
  processor_rate_limited: {
    status: 503,
    title: 'The processor is limiting us',
    when: 'The account’s rate limit is exhausted by others. Try again later.',
  },
  processor_unavailable: {
    status: 503,
    title: 'The processor is unavailable',
    when: 'It could not be reached, or it failed. Try again later.',
  },
  store_unavailable: {
    status: 503,
    title: 'The store is unavailable',
    when: 'The database could not be reached. Try again later.',
  },
  shutting_down: { status: 503, title: 'The service is shutting down', when: 'This replica is draining. Try again.' },
  worker_exceeded_cpu: {
    status: 503,
    title: 'The worker exceeded its CPU limit',
    when: 'Raise `[limits] cpu_ms` in wrangler.toml, or do less per request.',
  },
  worker_exceeded_memory: {
    status: 503,
    title: 'The worker exceeded its memory limit',
    when: 'It held more memory than a worker may; it was stopped and restarted.',
  },
  worker_unavailable: {
    status: 503,
    title: 'The worker is not available',
    when: 'It is restarting after a failure, or workers are off on this replica.',
  },
  processor_timeout: {
    status: 504,
    title: 'The processor did not answer in time',
    when: 'The outcome is unknown; the next push looks it up before it acts.',
  },
  worker_timeout: {
    status: 504,
    title: 'The worker did not answer in time',
    when: 'The handler took longer than the wall-clock limit.',
  },
} as const satisfies Record<string, ProblemRow>

export type ProblemCode = keyof typeof problemCodes

export { issueCodes } from './issue-codes.ts'
export type { IssueCode } from './issue-codes.ts'

// One row per route: who may call it, and a request that would succeed with permission.
import { changedConfig, sampleConfig } from '../../support/app.ts'
import { urls } from '../../support/shop/selling.ts'

/** `open`: no credential is read. `public`: a key shows more. `session`: a tenant's session or a key is needed. `key`: a key is needed. */
export type Access = 'open' | 'public' | 'session' | 'key'
export interface Row {
  readonly access: Access
  /** Values of the path's parameters. Default: those that fit most routes. */
  readonly at?: Readonly<Record<string, string>>
  readonly body?: object
  /** Query string of the request, with its question mark. */
  readonly query?: string
}

const open: Row = { access: 'open' }
const key: Row = { access: 'key' }
const shown = (id: string): Row => ({ access: 'public', at: { id } })
const by = (access: Access, body: object, at: Row['at'] = {}): Row => ({ access, body, at })
const deal = { tenant_id: 'acme', enterprise_template: 'gold' }

/** The request of each route. Bodies are valid and ids exist, so that it would succeed with permission. */
export const rows: Readonly<Record<string, Row>> = {
  getHealth: open,
  getReadiness: open,
  getOpenApi: open,
  getMetrics: key,

  getSchema: { access: 'public' },
  getConfig: { access: 'public' },
  getPrice: shown('pro_monthly'),
  getProduct: shown('pro'),
  getMeter: shown('api_calls'),
  calculatePrice: by('public', { quantity: 1 }, { id: 'pro_monthly' }),
  convertProcessorId: { access: 'public', at: { processor_id: 'free' } },

  getEntitlements: { access: 'session', query: '?tenant_id=acme' },
  checkEntitlements: by('session', { feature: 'sso', tenant_id: 'acme' }),
  listSessionPrices: { access: 'session', query: '?tenant_id=acme' },
  listSessionSubscriptions: { access: 'session', query: '?tenant_id=acme' },
  listSessionInvoices: { access: 'session', query: '?tenant_id=acme' },
  createCheckout: by('session', { price_id: 'free', ...urls, tenant_id: 'acme' }),
  previewChange: by('session', { items: [{ price_id: 'pro_monthly' }], tenant_id: 'acme' }),
  changeSubscription: by('session', { items: [{ price_id: 'pro_monthly' }], tenant_id: 'acme' }),
  cancelOwnSubscription: by('session', { tenant_id: 'acme' }),
  resumeSubscription: by('session', { tenant_id: 'acme' }),
  pauseSubscription: by('session', { tenant_id: 'acme' }),
  createPortal: by('session', { return_url: urls.success_url, tenant_id: 'acme' }),
  recordUsage: by('session', { meter: 'api_calls', value: 5, tenant_id: 'acme', identifier: 'intruder' }),

  getFullConfig: key,
  pushConfig: by(
    'key',
    changedConfig('9.9.9', ({ products }) => void products.pop()),
  ),
  validateConfig: by('key', sampleConfig()),
  keepWritten: by('key', sampleConfig()),
  rollbackConfig: by('key', { revision: 1 }),
  pullConfig: key,
  getDrift: key,
  getPolicies: key,
  putPolicies: by('key', { rules: [] }),
  listVersions: key,
  getRevision: key,
  compareRevisions: key,
  listPushes: key,
  getPush: { access: 'key', at: { id: 'push' } },
  followPush: { access: 'key', at: { id: 'push' } },
  resumePush: { access: 'key', at: { id: 'push' } },
  cancelPush: { access: 'key', at: { id: 'push' } },
  listWebhooks: key,
  rotateWebhook: by('key', { overlap_seconds: 60 }, { id: 'main_hook' }),
  listProcessorEvents: key,
  createKey: by('key', { name: 'intruder' }),
  listKeys: key,
  runDoctor: key,
  getOwnKey: key,
  getAccount: key,
  getChangeTag: key,
  createDashboardLink: key,

  createTenant: by('key', { name: 'Intruder' }),
  listTenants: key,
  getTenant: key,
  updateTenant: by('key', { name: 'Intruder' }),
  listTenantSubscriptions: key,
  listGrants: key,
  putGrant: by('key', { enabled: true }, { feature: 'sso' }),
  removeGrant: { access: 'key', at: { feature: 'sso' } },
  getTenantEntitlements: key,
  getUpcomingInvoice: key,
  listTenantInvoices: { access: 'key', at: { id: 'acme' } },
  exportInvoices: key,
  getMoney: key,
  listMoneyDays: key,
  listSubscribers: { access: 'key', at: { id: 'pro_monthly' } },
  receiveProcessorEvent: by('open', { id: 'evt_1' }),
  listDroppedUsage: key,
  listTenantAudit: key,
  listCredits: key,
  addCredit: by('key', { amount: 100, currency: 'usd', reason: 'Sorry' }),
  listDiscounts: key,
  addDiscount: by('key', { coupon_id: 'welcome' }),
  createSession: by('key', { tenant_id: 'acme' }),
  listTemplatePrices: key,
  listEnterprisePrices: key,
  applyTemplate: by('key', deal),
  applyCustom: by('key', { tenant_id: 'acme', enterprise_id: 'acme' }),
  removeEnterprise: by('key', { tenant_id: 'acme' }),
  getEnterpriseCoverage: key,
  moveTemplate: by('key', { enterprise_template: 'gold' }),
  startMigration: by('key', { price_id: 'pro_monthly' }),
  listJobs: key,
  getJob: key,
  resumeJob: key,
  cancelJob: key,

  deployWorker: by('key', {
    modules: [{ name: 'w.js', type: 'esm', content: 'export default {}' }],
    main: 'w.js',
    compatibility_date: '2026-01-01',
  }),
  listWorkers: key,
  getWorker: key,
  listDeployments: key,
  rollBackWorker: by('key', {}),
  getWorkerLogs: key,
  listCronRuns: key,
  triggerCron: by('key', {}),

  // Routes that remove objects are last, because the last test sends all requests in this order.
  removeWorker: key,
  revokeSession: { access: 'key', at: { id: 'session' } },
  revokeKey: { access: 'key', at: { id: 'key' } },
  removeDiscount: { access: 'key', at: { discount: 'di_gone' } },
  cancelSubscription: { access: 'key', at: { subscription: 'sub_local_gone' } },
  removeTenant: key,
  resetConfig: key,
}

/** The codes of requests that fail even with a key. All others succeed. This application hosts no workers. */
export const reasonable: Readonly<Record<string, string>> = {
  cancelSubscription: 'subscription_not_found',
  changeSubscription: 'subscription_not_found',
  pauseSubscription: 'subscription_not_found',
  previewChange: 'subscription_not_found',
  resumeSubscription: 'subscription_not_found',
  checkEntitlements: 'feature_not_found',
  putGrant: 'feature_not_found',
  removeGrant: 'grant_not_found',
  listCredits: 'mirror_off',
  addDiscount: 'subscription_not_found',
  removeDiscount: 'discount_not_found',
  getJob: 'job_not_found',
  resumeJob: 'job_not_found',
  cancelJob: 'job_not_found',
  resumePush: 'push_not_resumable',
  cancelPush: 'push_not_running',
  deployWorker: 'worker_unavailable',
  rollBackWorker: 'worker_unavailable',
  getWorker: 'worker_not_found',
  listDeployments: 'worker_not_found',
  getWorkerLogs: 'worker_not_found',
  listCronRuns: 'worker_not_found',
  triggerCron: 'worker_not_found',
  removeWorker: 'worker_not_found',
  listTenantInvoices: 'mirror_off',
  listSessionInvoices: 'mirror_off',
  exportInvoices: 'mirror_off',
  getMoney: 'mirror_off',
  listMoneyDays: 'mirror_off',
  listSubscribers: 'mirror_off',
  receiveProcessorEvent: 'mirror_off',
}

export const defaults: Readonly<Record<string, string>> = {
  id: 'acme',
  name: 'worker',
  revision: '1',
  from: '1',
  to: '1',
  template: 'gold',
  enterprise_id: 'acme',
  processor_id: 'free',
}

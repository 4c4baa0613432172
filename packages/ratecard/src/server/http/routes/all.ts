// The routes of all operations. A missing route is a compile error.
import type { contract } from '../../../api/contract.ts'
import type { RouteDeps } from './deps.ts'
import type { Routes } from '../contract/route.ts'
import { checkoutRoutes } from './customers/checkout.ts'
import { configRoutes } from './push/config.ts'
import { creditRoutes } from './customers/credits.ts'
import { dashboardRoutes } from './server/dashboard.ts'
import { discountRoutes } from './customers/discounts.ts'
import { enterprisePriceRoutes, enterpriseRoutes } from './customers/enterprise.ts'
import { invoiceRoutes } from './customers/invoices.ts'
import { jobRoutes } from './customers/jobs.ts'
import { keyRoutes } from './server/keys.ts'
import { migrationRoutes } from './customers/price-migrations.ts'
import { moneyRoutes } from './customers/money.ts'
import { policyRoutes } from './push/policies.ts'
import { priceListRoutes } from './push/price-list.ts'
import { processorEventRoutes } from './server/processor-events.ts'
import { pushRoutes } from './push/pushes.ts'
import { revisionRoutes } from './push/revisions.ts'
import { doctorRoutes, serverRoutes } from './server/server.ts'
import { sessionRoutes } from './customers/sessions.ts'
import { subscriptionChangeRoutes } from './customers/subscription-changes.ts'
import { tenantRoutes } from './customers/tenants.ts'
import { usageRoutes } from './customers/usage.ts'
import { webhookRoutes } from './push/webhooks.ts'
import { workerRunRoutes } from './workers/worker-runs.ts'
import { workerRoutes } from './workers/workers.ts'

/** All routes except `getOpenApi`, which is registered with the OpenAPI description. */
export const allRoutes = (deps: RouteDeps): Routes<Omit<typeof contract, 'getOpenApi'>> => ({
  ...priceListRoutes(deps),
  ...checkoutRoutes(deps),
  ...subscriptionChangeRoutes(deps),
  ...configRoutes(deps),
  ...revisionRoutes(deps),
  ...policyRoutes(deps),
  ...pushRoutes(deps),
  ...enterprisePriceRoutes(deps),
  ...webhookRoutes(deps),
  ...keyRoutes(deps),
  ...dashboardRoutes(deps),
  ...doctorRoutes(deps),
  ...tenantRoutes(deps),
  ...discountRoutes(deps),
  ...creditRoutes(deps),
  ...invoiceRoutes(deps),
  ...moneyRoutes(deps),
  ...usageRoutes(deps),
  ...sessionRoutes(deps),
  ...enterpriseRoutes(deps),
  ...migrationRoutes(deps),
  ...jobRoutes(deps),
  ...workerRoutes(deps),
  ...workerRunRoutes(deps),
  ...processorEventRoutes(deps),
  ...serverRoutes(deps),
})

// The routes of all operations. A missing route is a compile error.
import type { contract } from '../../api/contract.ts'
import type { RouteDeps } from './deps.ts'
import type { Routes } from '../contract/route.ts'
import { checkoutRoutes } from './checkout.ts'
import { configRoutes } from './config.ts'
import { creditRoutes } from './credits.ts'
import { dashboardRoutes } from './dashboard.ts'
import { discountRoutes } from './discounts.ts'
import { enterprisePriceRoutes, enterpriseRoutes } from './enterprise.ts'
import { invoiceRoutes } from './invoices.ts'
import { jobRoutes } from './jobs.ts'
import { keyRoutes } from './keys.ts'
import { migrationRoutes } from './price-migrations.ts'
import { moneyRoutes } from './money.ts'
import { policyRoutes } from './policies.ts'
import { priceListRoutes } from './price-list.ts'
import { processorEventRoutes } from './processor-events.ts'
import { pushRoutes } from './pushes.ts'
import { revisionRoutes } from './revisions.ts'
import { doctorRoutes, serverRoutes } from './server.ts'
import { sessionRoutes } from './sessions.ts'
import { subscriptionChangeRoutes } from './subscription-changes.ts'
import { tenantRoutes } from './tenants.ts'
import { usageRoutes } from './usage.ts'
import { webhookRoutes } from './webhooks.ts'
import { workerRunRoutes } from './worker-runs.ts'
import { workerRoutes } from './workers.ts'

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

// The routes of all operations. A missing route is a compile error.
import type { contract } from '../../../api/contract.ts'
import type { RouteDeps } from './deps.ts'
import type { Routes } from '../contract/route.ts'
import { checkoutRoutes } from './customers/checkout.ts'
import { configRoutes, policyRoutes, revisionRoutes, webhookRoutes } from './push/config.ts'
import { creditRoutes, discountRoutes, invoiceRoutes, moneyRoutes, usageRoutes } from './customers/billing.ts'
import { dashboardRoutes, keyRoutes, doctorRoutes, serverRoutes } from './server/server.ts'
import { enterprisePriceRoutes, enterpriseRoutes } from './customers/enterprise.ts'
import { jobRoutes, migrationRoutes } from './customers/jobs.ts'
import { priceListRoutes } from './push/price-list.ts'
import { processorEventRoutes } from './server/processor-events.ts'
import { pushRoutes } from './push/pushes.ts'
import { sessionRoutes, tenantRoutes } from './customers/tenants.ts'
import { subscriptionChangeRoutes } from './customers/subscription-changes.ts'
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

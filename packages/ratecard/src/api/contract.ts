// All operations of the API, in the order of the documentation. Also the schemas that are OpenAPI components.
import { BillingConfig, Meter, Price, Product } from '../config/schema/schema.ts'
import { ChangeReport, Detail } from './changes.ts'
import { checkoutOperations } from './checkout.ts'
import { configOperations } from './config.ts'
import { dashboardOperations } from './dashboard.ts'
import { creditOperations } from './credits.ts'
import { discountOperations } from './discounts.ts'
import { enterpriseOperations, enterprisePriceOperations } from './enterprise.ts'
import { invoiceOperations } from './invoices.ts'
import { jobOperations } from './jobs.ts'
import { keyOperations } from './keys.ts'
import { migrationOperations } from './price-migrations.ts'
import { moneyOperations } from './money.ts'
import { Calculation, priceListOperations } from './price-list.ts'
import { Issue, Problem } from './problem.ts'
import { processorEventOperations } from './processor-events.ts'
import { policyOperations, Violation } from './policies.ts'
import { PriceImpact, pushOperations, PushStep } from './pushes.ts'
import { revisionOperations } from './revisions.ts'
import { descriptionOperations, doctorOperations, serverOperations } from './server.ts'
import { sessionOperations } from './sessions.ts'
import { subscriptionChangeOperations } from './subscription-changes.ts'
import { FeatureCheck, tenantOperations } from './tenants.ts'
import { usageOperations } from './usage.ts'
import { webhookOperations } from './webhooks.ts'
import { workerRunOperations } from './worker-runs.ts'
import { workerOperations } from './workers.ts'

export const contract = {
  ...descriptionOperations,
  ...priceListOperations,
  ...checkoutOperations,
  ...subscriptionChangeOperations,
  ...configOperations,
  ...revisionOperations,
  ...policyOperations,
  ...pushOperations,
  ...enterprisePriceOperations,
  ...webhookOperations,
  ...keyOperations,
  ...dashboardOperations,
  ...doctorOperations,
  ...tenantOperations,
  ...discountOperations,
  ...creditOperations,
  ...invoiceOperations,
  ...moneyOperations,
  ...usageOperations,
  ...sessionOperations,
  ...enterpriseOperations,
  ...migrationOperations,
  ...jobOperations,
  ...workerOperations,
  ...workerRunOperations,
  ...processorEventOperations,
  ...serverOperations,
}

/**
 * Schemas that OpenAPI lists once, by component name. The schemas of document objects (e.g. `Price`) come from the document's own schema.
 */
export const components = {
  BillingConfig,
  Product,
  Price,
  Meter,
  Calculation,
  Issue,
  Problem,
  ChangeReport,
  Detail,
  PriceImpact,
  PushStep,
  Violation,
  FeatureCheck,
}

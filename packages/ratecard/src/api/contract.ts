// All operations of the API, in the order of the documentation. Also the schemas that are OpenAPI components.
import { BillingConfig, Meter, Price, Product } from '../document/schema/schema.ts'
import { ChangeReport, Detail } from './push/changes.ts'
import { checkoutOperations } from './customers/checkout.ts'
import { configOperations } from './push/config.ts'
import { dashboardOperations } from './server/dashboard.ts'
import { creditOperations } from './customers/credits.ts'
import { discountOperations } from './customers/discounts.ts'
import { enterpriseOperations, enterprisePriceOperations } from './customers/enterprise.ts'
import { invoiceOperations } from './customers/invoices.ts'
import { jobOperations } from './customers/jobs.ts'
import { keyOperations } from './server/keys.ts'
import { migrationOperations } from './customers/price-migrations.ts'
import { moneyOperations } from './customers/money.ts'
import { Calculation, priceListOperations } from './push/price-list.ts'
import { Issue, Problem } from './server/problem.ts'
import { processorEventOperations } from './server/processor-events.ts'
import { policyOperations, Violation } from './push/policies.ts'
import { AffectedSubscriber, PriceImpact, pushOperations, PushStep } from './push/pushes.ts'
import { revisionOperations } from './push/revisions.ts'
import { descriptionOperations, doctorOperations, serverOperations } from './server/server.ts'
import { sessionOperations } from './customers/sessions.ts'
import { subscriptionChangeOperations } from './customers/subscription-changes.ts'
import { FeatureCheck, tenantOperations } from './customers/tenants.ts'
import { usageOperations } from './customers/usage.ts'
import { webhookOperations } from './push/webhooks.ts'
import { workerRunOperations } from './workers/worker-runs.ts'
import { workerOperations } from './workers/workers.ts'

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
  AffectedSubscriber,
  PushStep,
  Violation,
  FeatureCheck,
}

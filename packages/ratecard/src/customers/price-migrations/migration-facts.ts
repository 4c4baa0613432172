// Facts of a migration that policies are checked against: whose cost changes, and by how much.
import type { ChangeFacts } from '../../catalog/policies/decide.ts'
import { fraction } from '../../base/money/fraction.ts'
import { largestChanges, type CurrencyChange } from '../../document/pricing/price-change.ts'
import type { MigrationLine, MigrationPlan } from '../../api/customers/price-migrations.ts'

export type PlannedMigration = Omit<MigrationPlan, 'violations'>

export function migrationFacts({ priceId, lines, totals }: PlannedMigration, message: string | null): ChangeFacts {
  const moving = lines.filter(({ skipped }) => skipped === null)
  // A customer that is no tenant counts as one.
  const tenants = new Set(moving.map(({ tenantId, customer }) => tenantId ?? `customer:${customer}`)).size
  return {
    items: [{ kind: 'price', configId: priceId, action: 'update', metadata: null, currencies: [], isNew: false }],
    prices: [{ configId: priceId, currencies: changesOf(moving) }],
    affected: [
      {
        configId: priceId,
        action: 'move',
        subscriptions: new Set(moving.map(({ subscription }) => subscription)).size,
        tenants,
        monthly: totals.map(({ currency, before }) => ({ currency, amount: before })),
      },
    ],
    tenants,
    message,
  }
}

/** Lines whose amount depends on usage are left out. */
function changesOf(moving: readonly MigrationLine[]): readonly CurrencyChange[] {
  const currencies = [...new Set(moving.map(({ currency }) => currency))]
  return currencies.map((currency) =>
    largestChanges(
      moving.flatMap((line) =>
        line.currency !== currency || line.monthlyBefore === null || line.monthlyAfter === null
          ? []
          : [
              {
                currency,
                quantity: line.quantity ?? 1,
                before: fraction(line.monthlyBefore),
                after: fraction(line.monthlyAfter),
              },
            ],
      ),
    ),
  )
}

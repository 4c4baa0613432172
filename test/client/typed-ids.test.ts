// A program is compiled with the client, with and without the file that `ratecard billing types` writes.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { typesOf } from '../../packages/ratecard/src/cli/commands/billing/types.ts'
import type { BillingConfig } from '../../packages/ratecard/src/document/schema/schema.ts'
import { temporaryFolder } from '../support/folder.ts'

const config: BillingConfig = {
  version: '1.0.0',
  meters: [{ id: 'api_calls', display_name: 'API calls', event_name: 'api_call' }],
  features: [{ id: 'projects', name: 'Projects', type: 'limit' }],
  products: [{ id: 'pro', name: 'Pro', prices: [{ id: 'pro_monthly', amount: 100, currency: 'usd' }] }],
}

/** Calls with ids; each line is a statement. The ids of the second half do not exist. */
const statements = [
  "client.entitlements.check('projects', { used: 9 })",
  "client.checkout.create({ priceId: 'pro_monthly', successUrl: 'https://a.test', cancelUrl: 'https://a.test' })",
  "client.subscription.preview({ items: [{ priceId: 'pro_monthly' }], replaces: 'pro_monthly' })",
  "client.usage.record({ meter: 'api_calls', value: 1 })",
  "client.billing.calculate('pro_monthly', 3)",
  "client.tenants.grant('acme', 'projects', { limit: 3 })",
  "client.entitlements.check('project', { used: 9 })",
  "client.entitlements.checkAll([{ feature: 'project' }])",
  "client.checkout.create({ priceId: 'pro_month', successUrl: 'https://a.test', cancelUrl: 'https://a.test' })",
  "client.checkout.create({ items: [{ priceId: 'pro_month' }], successUrl: 'https://a.test', cancelUrl: 'https://a.test' })",
  "client.subscription.preview({ items: [{ priceId: 'pro_month' }] })",
  "client.subscription.preview({ items: [], replaces: 'pro_month' })",
  "client.usage.record({ meter: 'api_call', value: 1 })",
  "client.billing.price('pro_month')",
  "client.billing.product('business')",
  "client.billing.calculate('pro_month', 3)",
  "client.tenants.grant('acme', 'project', { limit: 3 })",
  "client.tenants.removeGrant('acme', 'project')",
  "client.tenants.list({ priceId: 'pro_month' })",
  "client.money.subscribers('pro_month')",
  "client.discounts.add('acme', { couponId: 'ten' })",
  "client.enterprise.applyTemplate({ tenantId: 'acme', enterpriseTemplate: 'gold' })",
  "client.enterprise.applyCustom({ tenantId: 'acme', enterpriseId: 'acme' })",
  "client.migrations.plan({ priceId: 'pro_month' })",
]

/** Compiles the statements and returns those that have an error. */
function refused(folder: string, ids: string | null): string[] {
  const client = path.resolve(import.meta.dirname, '../../packages/client/src/client.ts')
  const program = path.join(folder, 'program.ts')
  const first = "import { createClient } from '@ratecard/client'\nconst client = createClient({ baseUrl: '' })\n"
  writeFileSync(program, first + statements.map((statement) => `void ${statement}\n`).join(''))
  if (ids !== null) writeFileSync(path.join(folder, 'ids.ts'), ids)
  const compiled = ts.createProgram({
    rootNames: [program, ...(ids === null ? [] : [path.join(folder, 'ids.ts')])],
    options: {
      ...{ target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, strict: true, noEmit: true, types: [] },
      ...{ moduleResolution: ts.ModuleResolutionKind.Bundler, allowImportingTsExtensions: true, skipLibCheck: true },
      lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
      paths: { '@ratecard/client': [client] },
    },
  })
  // A user's program sees declarations of the client only, so errors within its sources do not count.
  const own = compiled.getSourceFiles().filter(({ fileName }) => path.dirname(fileName) === folder)
  return own.flatMap((source) =>
    compiled.getSemanticDiagnostics(source).map(({ file, start, messageText }) => {
      const line = file?.fileName === program ? ts.getLineAndCharacterOfPosition(file, start ?? 0).line : -1
      return statements[line - 2] ?? `${source.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
    }),
  )
}

it('an id can be any text until ids are registered, and from then on an unknown id does not compile', () => {
  expect(refused(temporaryFolder(), null)).toEqual([])
  expect(refused(temporaryFolder(), typesOf(config))).toEqual(statements.slice(6))
})

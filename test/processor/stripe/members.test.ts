// The member tables, compared with the SDK's types, which are read with the TypeScript compiler.
import path from 'node:path'
import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'
import { fieldRows } from '../../../packages/ratecard/src/catalog/fields/tables.ts'
import { resourceKinds, type ResourceKind } from '../../../packages/ratecard/src/catalog/kinds.ts'
import { memberTables, unmanagedMembers } from '../../../packages/ratecard/src/processor/stripe/kinds/members.ts'
import type { MemberRow, MemberTable } from '../../../packages/ratecard/src/processor/stripe/kinds/members.ts'

const names: Readonly<Record<ResourceKind, string>> = {
  meter: 'Billing.Meter',
  feature: 'Entitlements.Feature',
  product: 'Product',
  price: 'Price',
  coupon: 'Coupon',
  promotion_code: 'PromotionCode',
  tax_rate: 'TaxRate',
  portal: 'BillingPortal.Configuration',
  webhook: 'WebhookEndpoint',
}

const root = path.resolve(import.meta.dirname, '../../..')
let types: Map<string, ts.Type>
let checker: ts.TypeChecker

beforeAll(() => {
  const file = path.join(root, 'packages/ratecard/src/members-of-the-sdk.ts')
  const text = `import type { Stripe } from 'stripe'\n${resourceKinds.map((kind) => `export type T_${kind} = Stripe.${names[kind]}\nexport type C_${kind} = Stripe.${names[kind]}CreateParams`).join('\n')}\n`
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ESNext,
    strict: true,
    skipLibCheck: true,
    types: [],
  }
  const host = ts.createCompilerHost(options)
  const read = host.getSourceFile.bind(host)
  host.getSourceFile = (name, language, ...rest) =>
    name === file ? ts.createSourceFile(name, text, language, true) : read(name, language, ...rest)
  const exists = host.fileExists.bind(host)
  host.fileExists = (name) => name === file || exists(name)
  const program = ts.createProgram([file], options, host)
  checker = program.getTypeChecker()
  const declared = program.getSourceFile(file)?.statements.filter((one) => ts.isTypeAliasDeclaration(one)) ?? []
  types = new Map(declared.map((one) => [one.name.text, checker.getTypeAtLocation(one.name)]))
}, 60_000)

/** Returns the paths of members of the type for which the table has no row. */
function missing(type: ts.Type, table: MemberTable, prefix = ''): string[] {
  return checker.getPropertiesOfType(type).flatMap((member) => {
    const name = prefix + member.name
    const row = Object.hasOwn(table, member.name) ? table[member.name] : undefined
    if (row === undefined) return [name]
    const value = checker.getNonNullableType(checker.getTypeOfSymbol(member))
    if ('within' in row) return missing(value, row.within, `${name}.`)
    if ('each' in row) return missing(itemOf(value), row.each, `${name}.`)
    return []
  })
}

function itemOf(type: ts.Type): ts.Type {
  const item =
    checker.getIndexTypeOfType(type, ts.IndexKind.Number) ?? checker.getIndexTypeOfType(type, ts.IndexKind.String)
  if (item === undefined) throw new Error(`${checker.typeToString(type)} holds no items`)
  return item
}

function fieldsOf(rows: readonly MemberRow[]): string[] {
  return rows.flatMap((row) => {
    if ('field' in row) return [row.field]
    if ('within' in row) return fieldsOf(Object.values(row.within))
    return 'each' in row ? fieldsOf(Object.values(row.each)) : []
  })
}

describe.each(resourceKinds)('the table of Stripe’s members of a %s', (kind) => {
  const table: MemberTable = memberTables[kind]

  it('has exactly the members that the SDK’s types declare', () => {
    const type = types.get(`T_${kind}`)
    if (type === undefined) throw new Error(`No type of a ${kind}`)
    const declared = checker.getPropertiesOfType(type).map(({ name }) => name)
    expect(declared).toContain('livemode')
    expect(missing(type, table)).toEqual([])
    expect(Object.keys(table).filter((member) => !declared.includes(member))).toEqual([])
    // A member without a row is reported as missing.
    const { livemode: _livemode, ...rest } = table
    expect(missing(type, rest)).toEqual(['livemode'])
  })

  it('contains each field of the document that the object stores', () => {
    const said = new Set(fieldsOf(Object.values(table)))
    const held = fieldRows[kind].filter(([, { mutability }]) => mutability !== 'attached').map(([field]) => field)
    expect(held.filter((field) => !said.has(field))).toEqual([])
  })
})

/** Returns the paths of members outside of the document, and whether a replacement takes them over. */
function unsaidRows(table: MemberTable, prefix: readonly string[] = []): (readonly [readonly string[], boolean])[] {
  return Object.entries(table).flatMap(([member, row]) => {
    const path = [...prefix, member]
    if ('within' in row) return unsaidRows(row.within, path)
    if ('each' in row) return unsaidRows(row.each, path)
    return 'notExpressible' in row ? [[path, row.carriedWith !== undefined] as const] : []
  })
}

function isCreatable(type: ts.Type, [first = '', ...rest]: readonly string[]): boolean {
  const member = checker.getPropertyOfType(checker.getNonNullableType(type), first)
  if (member === undefined) return false
  return rest.length === 0 || isCreatable(checker.getTypeOfSymbol(member), rest)
}

it('members outside of the document are copied to a replacement if and only if Stripe accepts them at creation', () => {
  const rows = resourceKinds.flatMap((kind) =>
    unsaidRows(memberTables[kind]).map(([path, carried]) => ({ kind, path, carried })),
  )
  expect(rows.map(({ kind, path }) => `${kind} ${path.join('.')}`)).toEqual([
    'product tax_details.performance_location',
    'price recurring.trial_period_days',
    'portal features.payment_method_update.payment_method_configuration',
    'portal features.subscription_cancel.cancellation_reason.feedback_options',
    'portal features.subscription_pause.enabled',
    'portal name',
  ])
  for (const { kind, path, carried } of rows) {
    const creation = types.get(`C_${kind}`)
    if (creation === undefined) throw new Error(`No creation of a ${kind}`)
    expect(isCreatable(creation, path), path.join('.')).toBe(carried)
  }
})

describe('a live value that a document cannot express', () => {
  it.each<[string, ResourceKind, object, string[]]>([
    [
      'of a known member',
      'price',
      { recurring: { interval: 'month', trial_period_days: 14 } },
      ['recurring.trial_period_days'],
    ],
    ['of a member that came later', 'product', { name: 'Pro', weight_class: 'heavy' }, ['weight_class']],
    [
      'of a member within, that came later',
      'coupon',
      { applies_to: { products: [], regions: ['eu'] } },
      ['applies_to.regions'],
    ],
    [
      'in one of several currencies',
      'price',
      { currency_options: { usd: { unit_amount: 1, ceiling: 5 } } },
      ['currency_options.ceiling'],
    ],
    ['that is null, empty or false', 'product', { a: null, b: '', c: false, d: [], e: {}, f: { g: null } }, []],
    ['of a reply’s own', 'meter', { lastResponse: { requestId: 'req_1' } }, []],
  ])('is reported: %s', (_what, kind, object, found) => {
    expect(unmanagedMembers(kind, object).unsaid).toEqual(found)
  })

  it('is returned with its value if Stripe accepts it at creation', () => {
    const price = { recurring: { interval: 'month', trial_period_days: 14 }, weight_class: 'heavy' }
    expect(unmanagedMembers('price', price)).toEqual({
      unsaid: ['recurring.trial_period_days', 'weight_class'],
      carriable: [{ member: 'recurring.trial_period_days', value: 14, beside: 'interval' }],
    })
  })
})

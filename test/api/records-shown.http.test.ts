// The columns of a record decide what the API returns of it and what callers may set. Fails if a response lacks a column, or contains a
// private one.
import { beforeAll, describe, expect, it } from 'vitest'
import { columnsUsedFor, type Columns, type Use } from '../../packages/ratecard/src/store/records/columns.ts'
import { serviceKeyColumns, sessionColumns } from '../../packages/ratecard/src/store/records/auth.ts'
import { versionColumns } from '../../packages/ratecard/src/store/records/configuration.ts'
import { jobColumns, pushColumns } from '../../packages/ratecard/src/store/records/journal.ts'
import { auditColumns, tenantColumns } from '../../packages/ratecard/src/store/records/tenants.ts'
import { deploymentColumns, logColumns, runColumns } from '../../packages/ratecard/src/store/records/workers.ts'
import { workerColumns } from '../../packages/ratecard/src/store/records/workers.ts'
import { snake } from '../../packages/ratecard/src/api/notation/names.ts'
import { startTestApp } from '../support/app.ts'
import { startedForAll } from '../support/started.ts'
import { tenantsCreate, tenantsUpdate } from '../../packages/ratecard/src/cli/commands/tenants/tenants.ts'

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly $ref?: string
}
interface Operation {
  readonly operationId: string
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const app = startedForAll(startTestApp)
let document: Document

beforeAll(async () => {
  document = (await app.inject({ url: '/api/v1/openapi.json' })).json<Document>()
})

function operation(id: string): Operation {
  const found = Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .find(({ operationId }) => operationId === id)
  if (found === undefined) throw new Error(`There is no operation "${id}".`)
  return found
}

function resolved(schema: Schema | undefined): Schema {
  const name = schema?.$ref?.split('/').at(-1)
  return (name === undefined ? schema : document.components.schemas[name]) ?? {}
}

function membersOf(schema: Schema | undefined): string[] {
  return Object.keys(resolved(schema).properties ?? {}).sort()
}

/** Returns the names of the members in the response of the operation, or in the entries of its list `list`. */
function answered(id: string, list?: string): string[] {
  const success = Object.entries(operation(id).responses).find(([status]) => status.startsWith('2'))?.[1]
  const schema = resolved(Object.values(success?.content ?? {})[0]?.schema)
  return membersOf(list === undefined ? schema : resolved(schema.properties?.[list]).items)
}

function taken(id: string): string[] {
  return membersOf(Object.values(operation(id).requestBody?.content ?? {})[0]?.schema)
}

function columnsFor(columns: Columns, use: Use): string[] {
  return columnsUsedFor(columns, use).map(snake).sort()
}

interface Answer {
  readonly record: string
  readonly columns: Columns
  readonly operation: string
  readonly list?: string
  /** Members of the response that are no columns, e.g. derived ones. */
  readonly besides?: readonly string[]
}

const ofWorker = ['crons', 'deployment', 'hosts', 'last_exit', 'restarts', 'state', 'url']

const answers: readonly Answer[] = [
  { record: 'tenant', columns: tenantColumns, operation: 'getTenant' },
  {
    record: 'tenant',
    columns: tenantColumns,
    operation: 'listTenants',
    list: 'tenants',
    besides: [
      ...['billing_status', 'legacy_items', 'monthly', 'owed', 'products'],
      ...['subscriptions', 'paused_subscriptions', 'ending_subscriptions', 'ends_at'],
    ],
  },
  {
    record: 'audit entry',
    columns: auditColumns,
    operation: 'listTenantAudit',
    list: 'entries',
    besides: ['by', 'key_id'],
  },
  { record: 'service key', columns: serviceKeyColumns, operation: 'listKeys', list: 'keys' },
  { record: 'session', columns: sessionColumns, operation: 'createSession', besides: ['value'] },
  { record: 'push', columns: pushColumns, operation: 'listPushes', list: 'pushes', besides: ['by'] },
  { record: 'push', columns: pushColumns, operation: 'getPush', besides: ['by', 'error', 'steps'] },
  {
    record: 'version',
    columns: versionColumns,
    operation: 'listVersions',
    list: 'versions',
    besides: ['actions', 'archived_webhooks', 'by', 'headline', 'overrides'],
  },
  {
    record: 'job',
    columns: jobColumns,
    operation: 'listJobs',
    list: 'jobs',
    besides: ['allows', 'by', 'subject_name'],
  },
  { record: 'worker', columns: workerColumns, operation: 'getWorker', besides: ofWorker },
  { record: 'worker', columns: workerColumns, operation: 'listWorkers', list: 'workers', besides: ofWorker },
  {
    record: 'deployment',
    columns: deploymentColumns,
    operation: 'listDeployments',
    list: 'deployments',
    besides: ['active'],
  },
  { record: 'run', columns: runColumns, operation: 'listCronRuns', list: 'runs' },
  { record: 'log line', columns: logColumns, operation: 'getWorkerLogs', list: 'logs', besides: ['deployment'] },
]

describe('a response that shows stored records', () => {
  it.each(answers)('has exactly the columns of the record $record: $operation', (answer) => {
    const { columns, operation: id, list, besides = [] } = answer
    const expected = [...columnsFor(columns, 'shown'), ...besides].sort()
    expect(answered(id, list)).toEqual(expected)
  })
})

describe('the members of a tenant in requests', () => {
  const edited = () => columnsFor(tenantColumns, 'edited')

  it('are exactly the editable columns of a tenant, at creation and in updates', () => {
    expect(taken('createTenant')).toEqual(['id', ...edited()].sort())
    expect(taken('updateTenant')).toEqual(edited())
  })

  it.each([tenantsCreate, tenantsUpdate])('can be set on the command line: $name', ({ options = [] }) => {
    const offered = options.map(({ flags }) => flags.replace(/^--([a-z-]+).*$/, '$1').replaceAll('-', '_'))
    // The command line has another name for this member: `customer`.
    const named = edited().map((name) => (name === 'processor_customer_id' ? 'customer' : name))
    expect(named.filter((name) => !offered.includes(name))).toEqual([])
  })
})

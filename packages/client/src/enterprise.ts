import { acted, call, type ActOptions, type WriteOptions } from './call.ts'
import type { NewMigration } from './results.ts'
import type { TenantPage } from './tenants.ts'
import type { RequestOptions, CallOptions, Transport } from './transport.ts'
import type * as result from './wire.generated.ts'

export interface ApplyOptions extends WriteOptions, ActOptions {
  /** True: returns the items that would be moved, and moves nothing. */
  readonly dryRun?: boolean | undefined
}

export interface ApplyChoices {
  /**
   * Treatment of items whose price was negotiated under another template and has no counterpart in this template. `keep`: the item keeps
   * its price. `base`: the item returns to its base price.
   */
  readonly unmatched?: 'keep' | 'base' | undefined
}

export interface EnterpriseClient {
  /** Applies the prices of an enterprise template to a tenant. Nothing is charged now: the new prices are billed from the next renewal. */
  applyTemplate(
    target: { readonly tenantId: string; readonly enterpriseTemplate: string } & ApplyChoices,
    options?: ApplyOptions,
  ): Promise<result.EnterpriseOutcome>
  applyCustom(
    target: { readonly tenantId: string; readonly enterpriseId: string } & ApplyChoices,
    options?: ApplyOptions,
  ): Promise<result.EnterpriseOutcome>
  /** Moves the tenant back to the base prices, i.e. the prices of the public price list. */
  remove(target: { readonly tenantId: string }, options?: ApplyOptions): Promise<result.EnterpriseOutcome>
  /** Returns the enterprise prices of each base price. A base price is a price of the public price list. */
  coverage(options?: CallOptions): Promise<result.Coverage>
  /** Starts a job that applies an enterprise template again to every tenant that has it. */
  moveTemplate(
    target: { readonly enterpriseTemplate: string },
    options?: WriteOptions & ActOptions,
  ): Promise<result.Job>
}

export interface MigrationsClient {
  /** Returns the subscribers that would be moved, and the change in their amounts. */
  plan(migration: NewMigration, options?: CallOptions): Promise<result.MigrationPlan>
  /** Starts a job that moves the subscribers of a replaced price to its replacement. */
  start(migration: NewMigration, options?: WriteOptions & ActOptions): Promise<result.Job>
}

export interface JobsClient {
  /** Returns the jobs, newest first. */
  list(query?: TenantPage & { readonly kind?: result.JobKind | undefined }): Promise<result.JobList>
  find(id: string, options?: CallOptions): Promise<result.JobReport>
  /** Continues a job that stopped before its end. A waiting job starts at once. */
  resume(id: string, options?: CallOptions): Promise<result.Job>
  /** Stops a running job between two steps, or cancels a waiting job. Completed steps are not undone. */
  cancel(id: string, options?: CallOptions): Promise<result.Job>
}

/** Timeout (10 minutes) of calls that read or write many subscriptions at the processor, e.g. all of a tenant. */
const longTimeoutMs = 600_000
const slow = (options?: CallOptions & Pick<RequestOptions, 'headers'>) => ({ timeoutMs: longTimeoutMs, ...options })

export function enterpriseClient(transport: Transport): EnterpriseClient {
  const applying = ({ dryRun, ...options }: ApplyOptions = {}) =>
    [{ keyed: true, query: { dryRun: dryRun || undefined } }, slow(acted(options))] as const
  return {
    applyTemplate: (body, given) => {
      const [parts, options] = applying(given)
      return call(transport, 'applyTemplate', { ...parts, body }, options)
    },
    applyCustom: (body, given) => {
      const [parts, options] = applying(given)
      return call(transport, 'applyCustom', { ...parts, body }, options)
    },
    remove: (body, given) => {
      const [parts, options] = applying(given)
      return call(transport, 'removeEnterprise', { ...parts, body }, options)
    },
    coverage: (options) => call(transport, 'getEnterpriseCoverage', {}, options),
    moveTemplate: (body, options = {}) => call(transport, 'moveTemplate', { body, keyed: true }, acted(options)),
  }
}

export function migrationsClient(transport: Transport): MigrationsClient {
  const bodyOf = ({ to, ...rest }: NewMigration) => ({ ...rest, to: to instanceof Date ? to.toISOString() : to })
  return {
    // With `dry_run` the service returns the plan, otherwise the job.
    plan: async (migration, options) =>
      (await call(
        transport,
        'startMigration',
        { body: bodyOf(migration), query: { dryRun: true } },
        slow(options),
      )) as result.MigrationPlan,
    start: async (migration, options = {}) =>
      (await call(
        transport,
        'startMigration',
        { body: bodyOf(migration), keyed: true },
        slow(acted(options)),
      )) as result.Job,
  }
}

export const jobsClient = (transport: Transport): JobsClient => ({
  list: ({ limit, offset, kind, ...options } = {}) =>
    call(transport, 'listJobs', { query: { limit, offset, kind } }, options),
  find: (id, options) => call(transport, 'getJob', { params: { id } }, options),
  resume: (id, options) => call(transport, 'resumeJob', { params: { id } }, options),
  cancel: (id, options) => call(transport, 'cancelJob', { params: { id } }, options),
})

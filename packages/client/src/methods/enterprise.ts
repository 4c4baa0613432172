import { acted, call, type ActOptions, type WriteOptions } from '../call.ts'
import type { EnterpriseId, EnterpriseTemplate } from '../ids.ts'
import type { NewMigration } from '../results.ts'
import type { TenantPage } from './tenants.ts'
import type { RequestOptions, CallOptions, Transport } from '../transport.ts'
import type * as result from '../wire.generated.ts'

export interface ApplyOptions extends WriteOptions, ActOptions {
  /** True: returns the items that would be moved, and moves nothing. */
  readonly dryRun?: boolean | undefined
  /** Ids of the policies to override. Needs a key of scope `owner` and a `message`. */
  readonly override?: readonly string[] | undefined
}

export interface ApplyChoices {
  /**
   * Treatment of items whose price was negotiated under another template and which have no price in this template. `keep`: the item keeps
   * its price. `base`: the item returns to its base price.
   */
  readonly unmatched?: 'keep' | 'base' | undefined
  /**
   * Time at which the deal ends; null for a deal without an end. If absent, a deal that the tenant already has keeps its end, and a new
   * deal has none.
   */
  readonly endsAt?: string | Date | null | undefined
  /**
   * Prices that the items return to when the deal ends: `base` (default) is the present base price, `signed` is the price before the deal.
   */
  readonly then?: 'base' | 'signed' | undefined
}

export interface EnterpriseClient {
  /** Applies the prices of an enterprise template to a tenant. Nothing is charged now: the new prices are billed from the next renewal. */
  applyTemplate(
    target: { readonly tenantId: string; readonly enterpriseTemplate: EnterpriseTemplate } & ApplyChoices,
    options?: ApplyOptions,
  ): Promise<result.EnterpriseOutcome>
  applyCustom(
    target: { readonly tenantId: string; readonly enterpriseId: EnterpriseId } & ApplyChoices,
    options?: ApplyOptions,
  ): Promise<result.EnterpriseOutcome>
  /**
   * Moves the tenant back to the base prices, i.e. the prices of the public price list. With `to: 'signed'`, moves it back to the prices of
   * its items before the deal.
   */
  remove(
    target: { readonly tenantId: string; readonly to?: 'base' | 'signed' | undefined },
    options?: ApplyOptions,
  ): Promise<result.EnterpriseOutcome>
  /** Returns the enterprise prices of each base price. A base price is a price of the public price list. */
  coverage(options?: CallOptions): Promise<result.Coverage>
  /** Starts a job that applies an enterprise template again to every tenant that has it. */
  moveTemplate(
    target: { readonly enterpriseTemplate: EnterpriseTemplate },
    options?: WriteOptions & ActOptions & Pick<ApplyOptions, 'override'>,
  ): Promise<result.Job>
}

export interface MigrationsClient {
  /** Returns the subscribers that would be moved, and the change in their amounts. */
  plan(migration: NewMigration, options?: ActOptions & Pick<ApplyOptions, 'override'>): Promise<result.MigrationPlan>
  /** Starts a job that moves the subscribers of a replaced price to its replacement. */
  start(
    migration: NewMigration,
    options?: WriteOptions & ActOptions & Pick<ApplyOptions, 'override'>,
  ): Promise<result.Job>
}

export interface JobsClient {
  /** Returns the jobs, newest first. */
  list(query?: TenantPage & { readonly kind?: result.JobKind | undefined }): Promise<result.JobList>
  find(id: string, options?: CallOptions): Promise<result.JobReport>
  /** Continues a job that stopped before its end. A waiting job is continued at once, without waiting for its date. */
  resume(id: string, options?: CallOptions): Promise<result.Job>
  /**
   * Stops a running job between two steps, or cancels a waiting job. Completed steps are not undone. With `takeBack`, the moves that a migration
   * has scheduled are taken back, whatever its state.
   */
  cancel(id: string, options?: ActOptions & { readonly takeBack?: boolean | undefined }): Promise<result.CancelledJob>
}

/** Timeout (10 minutes) of calls that read or write many subscriptions at the processor, e.g. all of a tenant. */
const longTimeoutMs = 600_000
const slow = (options?: CallOptions & Pick<RequestOptions, 'headers'>) => ({ timeoutMs: longTimeoutMs, ...options })

const withEnd = <Body extends ApplyChoices>({ endsAt, ...body }: Body) => ({
  ...body,
  ...(endsAt === undefined ? {} : { endsAt: endsAt instanceof Date ? endsAt.toISOString() : endsAt }),
})

export function enterpriseClient(transport: Transport): EnterpriseClient {
  const applying = ({ dryRun, override, ...options }: ApplyOptions = {}) =>
    [
      { keyed: true, query: { dryRun: dryRun || undefined, override: override?.join(',') } },
      slow(acted(options)),
    ] as const
  return {
    applyTemplate: (body, given) => {
      const [parts, options] = applying(given)
      return call(transport, 'applyTemplate', { ...parts, body: withEnd(body) }, options)
    },
    applyCustom: (body, given) => {
      const [parts, options] = applying(given)
      return call(transport, 'applyCustom', { ...parts, body: withEnd(body) }, options)
    },
    remove: (body, given) => {
      const [parts, options] = applying(given)
      return call(transport, 'removeEnterprise', { ...parts, body }, options)
    },
    coverage: (options) => call(transport, 'getEnterpriseCoverage', {}, options),
    moveTemplate: (body, { override, ...options } = {}) =>
      call(transport, 'moveTemplate', { body, keyed: true, query: { override: override?.join(',') } }, acted(options)),
  }
}

export function migrationsClient(transport: Transport): MigrationsClient {
  const bodyOf = ({ to, ...rest }: NewMigration) => ({ ...rest, to: to instanceof Date ? to.toISOString() : to })
  return {
    // With `dry_run` the service returns the plan, otherwise the job.
    plan: async (migration, { override, ...options } = {}) =>
      (await call(
        transport,
        'startMigration',
        { body: bodyOf(migration), query: { dryRun: true, override: override?.join(',') } },
        slow(acted(options)),
      )) as result.MigrationPlan,
    start: async (migration, { override, ...options } = {}) =>
      (await call(
        transport,
        'startMigration',
        { body: bodyOf(migration), keyed: true, query: { override: override?.join(',') } },
        slow(acted(options)),
      )) as result.Job,
  }
}

export const jobsClient = (transport: Transport): JobsClient => ({
  list: ({ limit, offset, kind, ...options } = {}) =>
    call(transport, 'listJobs', { query: { limit, offset, kind } }, options),
  find: (id, options) => call(transport, 'getJob', { params: { id } }, options),
  resume: (id, options) => call(transport, 'resumeJob', { params: { id } }, options),
  cancel: (id, { takeBack = false, ...options } = {}) =>
    call(transport, 'cancelJob', { params: { id }, body: { takeBack } }, acted(options)),
})

import { acting } from './by.ts'
import { camel, snake } from './names.ts'
import type * as result from './tenant-results.ts'
import { acted } from './tenants.ts'
import type { ActOptions, TenantPage, WriteOptions } from './tenants.ts'
import type { CallOptions, Transport } from './transport.ts'
import { read, segment } from './typed.ts'
import { paginationOf } from './wire.ts'
import type { Answers, Bodies } from './wire-types.generated.ts'

export interface ApplyOptions extends WriteOptions, ActOptions {
  /** Tells what would move; moves nothing. */
  readonly dryRun?: boolean | undefined
}

export interface ApplyChoices {
  /** Items on another deal that have no price in this one: they keep it, or go back to their base price. */
  readonly unmatched?: 'keep' | 'base' | undefined
}

export interface EnterpriseClient {
  /** Nothing is charged now: the new prices are first billed at the renewal. */
  applyTemplate(
    target: { readonly tenantId: string; readonly enterpriseTemplate: string } & ApplyChoices,
    options?: ApplyOptions,
  ): Promise<result.EnterpriseOutcome>
  applyCustom(
    target: { readonly tenantId: string; readonly enterpriseId: string } & ApplyChoices,
    options?: ApplyOptions,
  ): Promise<result.EnterpriseOutcome>
  /** Back to the base prices. */
  remove(target: { readonly tenantId: string }, options?: ApplyOptions): Promise<result.EnterpriseOutcome>
  /** Which base prices have which enterprise prices. */
  coverage(options?: CallOptions): Promise<result.Coverage>
  /** Applies a template anew to every tenant that has it, as a job. */
  moveTemplate(
    target: { readonly enterpriseTemplate: string },
    options?: WriteOptions & ActOptions,
  ): Promise<result.Job>
}

export interface MigrationsClient {
  /** Who would move, and what it changes. */
  plan(migration: result.NewMigration, options?: CallOptions): Promise<result.MigrationPlan>
  /** Moves subscribers of a replaced price to what replaced it, as a job. */
  start(migration: result.NewMigration, options?: WriteOptions & ActOptions): Promise<result.Job>
}

export interface JobsClient {
  /** Newest first. */
  list(query?: TenantPage & { readonly kind?: result.JobKind | undefined }): Promise<result.JobList>
  find(id: string, options?: CallOptions): Promise<result.JobReport>
  /** Goes on with one that stopped before its end; with a waiting one now. */
  resume(id: string, options?: CallOptions): Promise<result.Job>
  /** Stops a running one between two steps, or one that waits. What was done stays done. */
  cancel(id: string, options?: CallOptions): Promise<result.Job>
}

const root = '/api/v1/billing/admin'
/** All subscriptions of a tenant are read and written at the processor; a plan reads those of all tenants. */
const longTimeoutMs = 600_000

export function enterpriseClient(transport: Transport): EnterpriseClient {
  const apply = async (
    path: string,
    body: Bodies['applyTemplate'] | Bodies['applyCustom'] | Bodies['removeEnterprise'],
    { dryRun, ...options }: ApplyOptions,
  ): Promise<result.EnterpriseOutcome> => {
    const call = {
      timeoutMs: longTimeoutMs,
      ...acted(options),
      method: 'POST',
      keyed: true,
      body,
      query: { dry_run: dryRun || undefined },
    } as const
    return camel(await read<Answers['applyTemplate'][200]>(transport, `${root}/enterprise/${path}`, call))
  }
  return {
    applyTemplate: (target, options = {}) => apply('apply-template', snake(target), options),
    applyCustom: (target, options = {}) => apply('apply-custom', snake(target), options),
    remove: (target, options = {}) => apply('remove', snake(target), options),
    coverage: async (options) => {
      const wire = await read<Answers['getEnterpriseCoverage'][200]>(transport, `${root}/enterprise/coverage`, options)
      return { ...camel(wire), rows: wire.rows.map((row) => ({ ...camel(row), cells: row.cells.map(camel) })) }
    },
    moveTemplate: async (target, options = {}) => {
      const body: Bodies['moveTemplate'] = snake(target)
      const call = { ...acted(options), method: 'POST', keyed: true, body } as const
      return acting(await read<Answers['moveTemplate'][202]>(transport, `${root}/enterprise/move-template`, call))
    },
  }
}

export function migrationsClient(transport: Transport): MigrationsClient {
  const path = `${root}/migrations`
  const bodyOf = (migration: result.NewMigration): Bodies['startMigration'] => snake(migration)
  return {
    plan: async (migration, options) => {
      const wire = await read<Answers['startMigration'][200]>(transport, path, {
        timeoutMs: longTimeoutMs,
        ...options,
        method: 'POST',
        query: { dry_run: true },
        body: bodyOf(migration),
      })
      return { ...camel(wire), lines: wire.lines.map(camel) }
    },
    start: async (migration, options = {}) => {
      const call = { timeoutMs: longTimeoutMs, ...acted(options), method: 'POST', keyed: true } as const
      return acting(await read<Answers['startMigration'][202]>(transport, path, { ...call, body: bodyOf(migration) }))
    },
  }
}

export function jobsClient(transport: Transport): JobsClient {
  const path = `${root}/jobs`
  const steer = async (id: string, act: 'resume' | 'cancel', options: CallOptions = {}): Promise<result.Job> =>
    acting(
      await read<Answers['resumeJob'][202] | Answers['cancelJob'][200]>(transport, `${path}/${segment(id)}/${act}`, {
        ...options,
        method: 'POST',
      }),
    )
  return {
    list: async ({ limit, offset, kind, ...options } = {}) => {
      const answer = await read<Answers['listJobs'][200]>(transport, path, {
        ...options,
        query: { limit, offset, kind },
      })
      return { jobs: answer.jobs.map(acting), pagination: paginationOf(answer.pagination) }
    },
    find: async (id, options) =>
      acting(await read<Answers['getJob'][200]>(transport, `${path}/${segment(id)}`, options)),
    resume: (id, options) => steer(id, 'resume', options),
    cancel: (id, options) => steer(id, 'cancel', options),
  }
}

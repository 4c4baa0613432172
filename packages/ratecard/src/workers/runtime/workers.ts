// Implements all worker operations of the service. A replica that hosts no workers can still list and remove them.
import { ServiceError } from '../../errors/service-error.ts'
import { workersRoot } from '../../service/workers.ts'
import type { WorkerOperations, WorkerRequest, WorkerView } from '../../service/workers.ts'
import type { WorkerRecord } from '../../store/worker-store.ts'
import { parseCron } from '../cron/parse.ts'
import { deploy, forgetTraces, removeWorker, rollBack } from './deploy.ts'
import { notFound } from './replica-workers.ts'
import { createHosting } from './hosting.ts'
import type { Hosting } from './hosting.ts'
import { LogBuffer } from './log-buffer.ts'
import { startPruning } from './pruning.ts'
import type { RequestContext, RuntimeState } from './worker-runtime.ts'
import type { ActiveWorker } from './supervisor.ts'
import { createWorkerMetrics } from './worker-metrics.ts'
import type { WorkersOptions } from './workers-options.ts'
import { deploymentView, logView, runView, workerView } from './worker-views.ts'

export interface Workers extends WorkerOperations {
  /** Loads the deployed workers and starts the scheduler. `url` is the address on which the service listens. */
  start(url: string): Promise<void>
  /** Runtime state: how workers are confined, or why none can run; null if workers are disabled. */
  state(): Promise<RuntimeState | null>
  /** Drains requests, background work and runs for up to `deadlineMs`. */
  close(deadlineMs: number): Promise<void>
}

export function createWorkers(options: WorkersOptions): Workers {
  return new LocalWorkers(options)
}

/** The worker operations as bound functions, to be merged into the service object. */
export function operationsOf(workers: Workers): WorkerOperations {
  return {
    deployWorker: (...args) => workers.deployWorker(...args),
    listWorkers: () => workers.listWorkers(),
    findWorker: (name) => workers.findWorker(name),
    removeWorker: (name) => workers.removeWorker(name),
    workerDeployments: (...args) => workers.workerDeployments(...args),
    rollbackWorker: (...args) => workers.rollbackWorker(...args),
    workerLogs: (...args) => workers.workerLogs(...args),
    followWorkerLogs: (...args) => workers.followWorkerLogs(...args),
    cronRuns: (...args) => workers.cronRuns(...args),
    triggerCron: (...args) => workers.triggerCron(...args),
    workerAtHost: (host) => workers.workerAtHost(host),
    dispatchToWorker: (...args) => workers.dispatchToWorker(...args),
    upgradeToWorker: (...args) => workers.upgradeToWorker(...args),
  }
}

class LocalWorkers implements Workers {
  private readonly options: WorkersOptions
  private readonly logs: LogBuffer
  /** null if this replica hosts no workers. */
  private readonly hosting: Hosting | null
  private readonly stopping = new AbortController()
  private stopPruning: () => void = () => undefined
  private url: string | null = null
  /** Host names of the service itself. Workers cannot claim them, otherwise the service would become unreachable. */
  private readonly addresses = new Set<string>()
  /** Host of the public URL if it is `https`: only there a proxy with a certificate is certain. */
  private readonly secureHost: string | null = null

  constructor(options: WorkersOptions) {
    this.options = options
    const { store, clock, newId, report, registry, runtime, publicUrl } = options
    if (publicUrl !== null) {
      const { protocol, host, hostname } = new URL(publicUrl)
      this.addresses.add(hostname)
      if (protocol === 'https:') this.secureHost = host
    }
    const instance = newId()
    const states = () => this.hosting?.supervisor.states() ?? []
    const metrics = registry === undefined || runtime === null ? undefined : createWorkerMetrics(registry, states)
    this.logs = new LogBuffer({
      store: store.workerLogs,
      clock,
      instance: instance.slice(-6),
      report,
      onDropped: (lines) => metrics?.dropped(lines),
    })
    const serviceUrl = () => options.publicUrl ?? this.url
    const parts = { logs: this.logs, metrics, instance, serviceUrl, isOwnHost: (host: string) => this.isOwnHost(host) }
    this.hosting = runtime === null ? null : createHosting({ ...options, runtime }, parts)
  }

  async start(url: string): Promise<void> {
    this.url = url
    this.addresses.add(new URL(url).hostname)
    const { store, logRetentionMs, report } = this.options
    if (this.hosting === null) return
    await this.hosting.replica.start()
    this.hosting.scheduler.start()
    this.stopPruning = startPruning({ store, logRetentionMs, report })
  }

  async state(): Promise<RuntimeState | null> {
    return this.hosting === null ? null : this.hosting.supervisor.runtimeState()
  }

  async close(deadlineMs: number): Promise<void> {
    this.stopping.abort()
    this.stopPruning()
    if (this.hosting !== null) {
      const { replica, scheduler, supervisor } = this.hosting
      // Runs have separate processes, so the scheduler and the supervisor may both use the full deadline.
      const stopped = scheduler.stop(deadlineMs)
      await replica.close()
      await Promise.all([stopped, supervisor.close(deadlineMs)])
    }
    await this.logs.close()
  }

  async deployWorker(...[deployment]: Parameters<WorkerOperations['deployWorker']>): Promise<WorkerView> {
    const { deps, scheduler } = this.hosted()
    const record = await deploy(deps, deployment)
    scheduler.wake()
    return this.view(record)
  }

  async rollbackWorker(...[name, to, by]: Parameters<WorkerOperations['rollbackWorker']>): Promise<WorkerView> {
    const { deps, scheduler } = this.hosted()
    const record = await rollBack(deps, name, to)
    scheduler.wake()
    const who = by.author === null ? '' : ` by ${by.author}`
    const why = by.message === null ? '' : `: ${by.message}`
    this.say(name, record.deployment.id, `Rolled back to this deployment${who}${why}.`)
    return this.view(record)
  }

  async removeWorker(name: string): Promise<void> {
    const { store, keys } = this.options
    if (this.hosting !== null) {
      await removeWorker(this.hosting.deps, name)
      return
    }
    await store.exclusively(`worker:${name}`, async ({ token }) => {
      if (!(await store.workers.remove(name, token))) throw notFound(name)
      await keys.revokeAll(name)
      await forgetTraces(store, name)
    })
  }

  async listWorkers(): Promise<readonly WorkerView[]> {
    return (await this.options.store.workers.list()).map((record) => this.view(record))
  }

  async findWorker(name: string): Promise<WorkerView> {
    return this.view(await this.record(name))
  }

  async workerDeployments(...[name, page]: Parameters<WorkerOperations['workerDeployments']>) {
    const { deployment } = await this.record(name)
    const { items, total } = await this.options.store.workers.deployments(name, page)
    return { items: items.map((item) => deploymentView(item, deployment.id)), total }
  }

  async workerLogs(...[name, query]: Parameters<WorkerOperations['workerLogs']>) {
    await this.record(name)
    await this.logs.flush()
    return (await this.options.store.workerLogs.list(name, query)).map(logView)
  }

  async *followWorkerLogs(name: string, signal: AbortSignal) {
    await this.record(name)
    const until = AbortSignal.any([signal, this.stopping.signal])
    for await (const line of this.logs.follow(name, until)) yield logView(line)
  }

  async cronRuns(...[name, query]: Parameters<WorkerOperations['cronRuns']>) {
    await this.record(name)
    const { items, total } = await this.options.store.workerRuns.list(name, query)
    return { items: items.map(runView), total }
  }

  async triggerCron(name: string, cron: string | null) {
    const { deployment } = await this.record(name)
    const { scheduler } = this.hosted()
    const expression = cron === null ? deployment.crons[0] : parsed(cron)
    if (expression === undefined)
      throw new ServiceError('request_invalid', `The worker "${name}" has no schedule: name a cron expression.`, {
        hint: 'Send `{"cron": "* * * * *"}`; the handler gets it as `event.cron`.',
      })
    return runView(await scheduler.trigger({ worker: name, cron: expression, deploymentId: deployment.id }))
  }

  workerAtHost(host: string): string | null {
    if (this.hosting === null || this.addresses.has(host)) return null
    const { domain } = this.options
    const own = this.hosting.replica.workerAt(host)
    if (own !== null || domain === null || !host.endsWith(`.${domain}`)) return own
    const name = host.slice(0, -domain.length - 1)
    return this.hosting.replica.knows(name) ? name : null
  }

  async dispatchToWorker(...[name, request, response, context]: Parameters<WorkerOperations['dispatchToWorker']>) {
    const live = this.live(name)
    await ('then' in live ? await live : live).dispatch(request, response, this.contextOf(context))
  }

  async upgradeToWorker(...[name, request, socket, head, context]: Parameters<WorkerOperations['upgradeToWorker']>) {
    await (await this.live(name)).upgrade(request, socket, head, this.contextOf(context))
  }

  private live(name: string): ActiveWorker | Promise<ActiveWorker> {
    return this.hosted().replica.live(name)
  }

  private hosted(): Hosting {
    if (this.hosting !== null) return this.hosting
    throw new ServiceError('worker_unavailable', 'This replica hosts no workers (RATECARD_WORKERS=off).', {
      hint: 'Send it to a replica that does.',
    })
  }

  private contextOf({ path: url, ...request }: WorkerRequest): RequestContext {
    return { ...request, url, protocol: request.host === this.secureHost ? 'https' : 'http' }
  }

  private async record(name: string): Promise<WorkerRecord> {
    const record = await this.options.store.workers.find(name)
    if (record === null) throw notFound(name)
    return record
  }

  private view(record: WorkerRecord): WorkerView {
    const { name } = record
    const url = `${this.options.publicUrl ?? this.url ?? ''}${workersRoot}${name}`
    const hosted = this.hosting?.supervisor.states().find((state) => state.name === name)
    if (hosted !== undefined) return workerView(record, { url, state: hosted.state, detail: null, hosted })
    const rest = this.hosting?.replica.stateOf(name) ?? { state: 'unavailable', detail: null }
    return workerView(record, { url, ...rest, hosted })
  }

  /** True for host names of the service, and for names under the domain, which belong to the workers of those names. */
  private isOwnHost(host: string): boolean {
    const { domain } = this.options
    return this.addresses.has(host) || (domain !== null && (host === domain || host.endsWith(`.${domain}`)))
  }

  private say(worker: string, version: string, message: string): void {
    this.logs.add(worker, { time: this.options.clock.now(), level: 'system', message, version })
  }
}

function parsed(cron: string): string {
  const { schedule, issue } = parseCron(cron)
  if (schedule !== undefined) return schedule.expression
  throw new ServiceError('cron_invalid', issue.detail, { hint: issue.hint })
}

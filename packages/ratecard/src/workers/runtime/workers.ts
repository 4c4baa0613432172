// Implements all operations of the service for workers. A replica that hosts no workers can still list and remove them.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Actor } from '../../api/notation/callers.ts'
import type { PageQuery } from '../../store/records/page.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { parseCron } from '../cron/parse.ts'
import { deploy, forgetTraces, removeWorker, rollBack } from './deploy.ts'
import { notFound } from './replica-workers.ts'
import { createHosting, type Hosting } from './hosting.ts'
import { LogBuffer } from './log-buffer.ts'
import { startPruning } from './pruning.ts'
import type { RequestContext, RuntimeState } from './worker-runtime.ts'
import { createWorkerMetrics } from './worker-metrics.ts'
import type { WorkersOptions } from './workers-options.ts'
import { deploymentView, logView, runView, workerView } from './worker-views.ts'
import { workersRoot, type NewDeployment, type WorkerView } from '../../api/workers/workers.ts'
import type { WorkerRecord } from '../../store/records/workers.ts'

export type Workers = ReturnType<typeof createWorkers>

export function createWorkers(options: WorkersOptions) {
  const { store, clock, newId, report, registry, runtime, publicUrl, domain, keys, logRetentionMs } = options
  const stopping = new AbortController()
  let stopPruning: () => void = () => undefined
  let ownUrl: string | null = null
  /** Host names of the service itself. Workers cannot claim them, otherwise the service would become unreachable at these names. */
  const addresses = new Set<string>()
  if (publicUrl !== null) addresses.add(new URL(publicUrl).hostname)
  /** Host of the public URL if that is an `https` URL, otherwise null. Only an `https` URL shows that a proxy with a certificate exists. */
  const secureHost = publicUrl?.startsWith('https:') === true ? new URL(publicUrl).host : null
  /**
   * True for hostnames that a worker may not claim: those of the service, and the workers' domain with all names below it. Each name below
   * it belongs to the worker of that name.
   */
  const isOwnHost = (host: string) =>
    addresses.has(host) || (domain !== null && (host === domain || host.endsWith(`.${domain}`)))

  const instance = newId()
  const states = () => hosting?.supervisor.states() ?? []
  const metrics = registry === undefined || runtime === null ? undefined : createWorkerMetrics(registry, states)
  const logs = new LogBuffer({
    store: store.workerLogs,
    clock,
    instance: instance.slice(-6),
    report,
    onDropped: (lines) => metrics?.dropped(lines),
  })
  const serviceUrl = () => publicUrl ?? ownUrl
  /** Parts that host workers; null if this replica hosts no workers. */
  const hosting: Hosting | null =
    runtime === null ? null : createHosting({ ...options, runtime }, { logs, metrics, instance, serviceUrl, isOwnHost })

  function hosted(): Hosting {
    if (hosting !== null) return hosting
    throw new ServiceError('worker_unavailable', 'This replica hosts no workers (RATECARD_WORKERS=off).', {
      hint: 'Send the request to a replica that hosts workers.',
    })
  }

  const contextOf = ({ path: url, ...request }: WorkerRequest): RequestContext => ({
    ...request,
    url,
    protocol: request.host === secureHost ? 'https' : 'http',
  })

  async function findRecord(name: string): Promise<WorkerRecord> {
    const record = await store.workers.find(name)
    if (record === null) throw notFound(name)
    return record
  }

  function view(record: WorkerRecord): WorkerView {
    const { name } = record
    const url = `${serviceUrl() ?? ''}${workersRoot}${name}`
    const live = states().find((state) => state.name === name)
    if (live !== undefined) return workerView(record, { url, state: live.state, detail: null, hosted: live })
    const rest = hosting?.replica.stateOf(name) ?? { state: 'unavailable', detail: null }
    return workerView(record, { url, ...rest, hosted: live })
  }

  return {
    /** Loads the deployed workers and starts the scheduler. `url` is the URL on which the service listens. */
    async start(url: string) {
      ownUrl = url
      addresses.add(new URL(url).hostname)
      if (hosting === null) return
      await hosting.replica.start()
      hosting.scheduler.start()
      stopPruning = startPruning({ store, logRetentionMs, report })
    },

    /** Returns the state of the runtime: how worker processes are confined, or why none can run. null if workers are disabled. */
    state: async (): Promise<RuntimeState | null> => (hosting === null ? null : hosting.supervisor.runtimeState()),

    /** Waits up to `deadlineMs` for requests, background work and scheduled runs, then ends all processes. */
    async close(deadlineMs: number) {
      stopping.abort()
      stopPruning()
      if (hosting !== null) {
        const { replica, scheduler, supervisor } = hosting
        // Scheduled runs have separate processes. So the scheduler and the supervisor can both use the full deadline at the same time.
        const stopped = scheduler.stop(deadlineMs)
        await replica.close()
        await Promise.all([stopped, supervisor.close(deadlineMs)])
      }
      await logs.close()
    },

    /** Deploys a worker: starts the new version beside the running one, checks it, then switches version and schedules in one transaction. */
    async deployWorker(deployment: NewDeployment) {
      const { deps, scheduler } = hosted()
      const record = await deploy(deps, deployment)
      scheduler.wake()
      return view(record)
    },

    /**
     * Rolls back to the given deployment; null means the one before the active deployment. Restores code, environment and schedules together.
     */
    async rollbackWorker(name: string, to: string | null, by: Pick<Actor, 'author' | 'message'>) {
      const { deps, scheduler } = hosted()
      const record = await rollBack(deps, name, to)
      scheduler.wake()
      const who = by.author === null ? '' : ` by ${by.author}`
      const why = by.message === null ? '' : `: ${by.message}`
      const message = `Rolled back to this deployment${who}${why}.`
      logs.add(name, { time: clock.now(), level: 'system', message, version: record.deployment.id })
      return view(record)
    },

    async removeWorker(name: string) {
      if (hosting !== null) {
        await removeWorker(hosting.deps, name)
        return
      }
      await store.exclusively(`worker:${name}`, async ({ token }) => {
        if (!(await store.workers.remove(name, token))) throw notFound(name)
        await keys.revokeAll(name)
        await forgetTraces(store, name)
      })
    },

    listWorkers: async () => (await store.workers.list()).map(view),

    findWorker: async (name: string) => view(await findRecord(name)),

    /** Returns a page of the worker's deployments, newest first. */
    async workerDeployments(name: string, page: PageQuery) {
      const { deployment } = await findRecord(name)
      const { items, total } = await store.workers.deployments(name, page)
      return { items: items.map((item) => deploymentView(item, deployment.id)), total }
    },

    /** Returns the newest `limit` log lines, oldest first. */
    async workerLogs(name: string, query: Parameters<WorkersOptions['store']['workerLogs']['list']>[1]) {
      await findRecord(name)
      await logs.flush()
      return (await store.workerLogs.list(name, query)).map(logView)
    },

    /** Yields new log lines of all replicas until `signal` aborts. */
    async *followWorkerLogs(name: string, signal: AbortSignal) {
      await findRecord(name)
      for await (const line of logs.follow(name, AbortSignal.any([signal, stopping.signal]))) yield logView(line)
    },

    async cronRuns(name: string, query: PageQuery & { readonly cron?: string }) {
      await findRecord(name)
      const { items, total } = await store.workerRuns.list(name, query)
      return { items: items.map(runView), total }
    },

    /** Runs the scheduled handler once, immediately. Resolves when the run has ended. */
    async triggerCron(name: string, cron: string | null) {
      const { deployment } = await findRecord(name)
      const { scheduler } = hosted()
      const expression = cron === null ? deployment.crons[0] : parseSchedule(cron)
      if (expression === undefined)
        throw new ServiceError('request_invalid', `The worker "${name}" has no schedule: name a cron expression.`, {
          hint: 'Send `{"cron": "* * * * *"}`; the handler gets it as `event.cron`.',
        })
      return runView(await scheduler.trigger({ worker: name, cron: expression, deploymentId: deployment.id }))
    },

    /** Returns the worker with this hostname; null if there is none. Does not read the store, because the router calls this for each request. */
    workerAtHost(host: string) {
      if (hosting === null || addresses.has(host)) return null
      const own = hosting.replica.workerAt(host)
      if (own !== null || domain === null || !host.endsWith(`.${domain}`)) return own
      const name = host.slice(0, -domain.length - 1)
      return hosting.replica.knows(name) ? name : null
    },

    /** Passes a request to a worker, and sends the worker's response. Rejects with a ServiceError if it has not begun to send a response. */
    async dispatchToWorker(name: string, request: IncomingMessage, response: ServerResponse, context: WorkerRequest) {
      await (await hosted().replica.live(name)).dispatch(request, response, contextOf(context))
    },

    async upgradeToWorker(
      name: string,
      request: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      context: WorkerRequest,
    ) {
      await (await hosted().replica.live(name)).upgrade(request, socket, head, contextOf(context))
    },
  }
}

function parseSchedule(cron: string): string {
  const { schedule, issue } = parseCron(cron)
  if (schedule !== undefined) return schedule.expression
  throw new ServiceError('cron_invalid', issue.detail, { hint: issue.hint })
}

export interface WorkerRequest {
  readonly requestId: string
  /** Host of the request, including the port. It is already validated. */
  readonly host: string
  /** Path and query that the worker receives. */
  readonly path: string
  /** Value of the header X-Forwarded-Prefix for the worker; '' if the worker has its own hostname. */
  readonly prefix: string
  /** Address of the client that is in front of all trusted proxies. */
  readonly clientAddress: string
}

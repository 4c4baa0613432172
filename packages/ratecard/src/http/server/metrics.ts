import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { CutReason } from './connections.ts'
import { configPath } from './short-path.ts'

/** A registry with the process's own figures (memory, event loop, garbage collection): one per process. */
export function createMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}

export interface RequestMetrics {
  /** Watches every request that goes through the router. */
  readonly watch: (app: FastifyInstance) => void
  /** Counts an answer of the short path, which no hook sees. */
  readonly countShort: (status: number) => void
  /** Counts a connection that was ended from this side. */
  readonly countCut: (reason: CutReason) => void
  readonly watchConnections: (count: () => number) => void
}

/** `route` is the pattern, never the path: ids in labels would make a series for each of them. */
export function createRequestMetrics(registry: Registry): RequestMetrics {
  const labelNames = ['method', 'route', 'status'] as const
  const requests = new Counter({
    name: 'ratecard_http_requests_total',
    help: 'Requests answered.',
    labelNames,
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'ratecard_http_request_duration_seconds',
    help: 'Time from request to answer; the short path of the price list is counted, not timed.',
    labelNames,
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  })
  const cut = new Counter({
    name: 'ratecard_http_connections_cut_total',
    help: 'Connections ended because their peer was slow, or because there were too many.',
    labelNames: ['reason'] as const,
    registers: [registry],
  })
  const short = new Map<number, { inc(): void }>()
  const shortCounter = (status: number) => {
    const counter = requests.labels('GET', configPath, String(status))
    short.set(status, counter)
    return counter
  }
  return {
    watch(app) {
      app.addHook('onResponse', (request, reply, done) => {
        const labels = [request.method, request.routeOptions.url ?? 'none', String(reply.statusCode)] as const
        requests.labels(...labels).inc()
        duration.labels(...labels).observe(reply.elapsedTime / 1000)
        done()
      })
    },
    countShort: (status) => {
      ;(short.get(status) ?? shortCounter(status)).inc()
    },
    countCut: (reason) => {
      cut.inc({ reason })
    },
    watchConnections(count) {
      new Gauge({
        name: 'ratecard_http_connections',
        help: 'Connections that are open.',
        registers: [registry],
        collect() {
          this.set(count())
        },
      })
    },
  }
}

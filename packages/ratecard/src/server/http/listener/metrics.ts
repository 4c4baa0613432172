import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { CutReason } from './connections.ts'
import { configPath } from './public-read.ts'

/** Creates a metrics registry with the process metrics (memory, event loop, garbage collection). Create one per process. */
export function createMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}

export interface RequestMetrics {
  /** Measures every request that the router handles. Excludes the fast path of the public price list, and requests for workers. */
  readonly watch: (app: FastifyInstance) => void
  /** Counts a response of the fast path `withPublicRead`, which bypasses the router's hooks. */
  readonly countPublicRead: (status: number) => void
  /** Counts a connection that was closed by the server. */
  readonly countCut: (reason: CutReason) => void
  readonly watchConnections: (count: () => number) => void
}

/**
 * Creates the metrics of HTTP requests. The label `route` is the route pattern (e.g. `/v1/tenants/:id`), because with paths each id would
 * create a time series.
 */
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
    help: 'Time from request to response; public reads of the price list are counted, not timed.',
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
  return {
    watch(app) {
      app.addHook('onResponse', (request, reply, done) => {
        const labels = [request.method, request.routeOptions.url ?? 'none', String(reply.statusCode)] as const
        requests.labels(...labels).inc()
        duration.labels(...labels).observe(reply.elapsedTime / 1000)
        done()
      })
    },
    countPublicRead: (status) => {
      requests.labels('GET', configPath, String(status)).inc()
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

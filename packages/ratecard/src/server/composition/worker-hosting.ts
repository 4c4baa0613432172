// Composes the worker host: its runtime, and the allow-list of hosts that workers may call.
import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'
import type { Clock } from '../../base/clock.ts'
import type { ServiceOptions } from '../service/service.ts'
import type { Settings } from '../settings.ts'
import { systemResolve, type EgressPolicy } from '../../workers/runtime/workerd/traffic/egress.ts'
import { createWorkerdRuntime } from '../../workers/runtime/workerd/workerd-runtime.ts'

export interface WorkerHosting {
  readonly options: NonNullable<ServiceOptions['workers']>
  /** Sets the listening address of the service, which workers may call. Call it before the first worker starts. */
  listening(address: AddressInfo, url: string): void
}

export interface WorkerHostingOptions {
  readonly settings: Settings
  readonly publicUrl: string | null
  readonly clock: Clock
  readonly registry: Registry
  readonly report: (error: unknown, what: string) => void
  /** Called with each line that the runtime itself prints. Lines that a worker prints go to the worker's log instead. */
  readonly onRuntimeLine: (worker: string, line: string) => void
}

const dayMs = 24 * 60 * 60_000
const minuteMs = 60_000

export function workerHosting(options: WorkerHostingOptions): WorkerHosting {
  const { settings, publicUrl, clock, registry, report, onRuntimeLine } = options
  let service: EgressPolicy['service'] = null
  const runtime = createWorkerdRuntime({
    clock,
    egress: {
      resolve: systemResolve,
      allowedHosts: new Set(settings.workerAllowedHosts),
      // The address is a getter, because the port is known only once the service listens. It is read when a worker process starts.
      get service() {
        return service
      },
    },
    confinement: settings.workerConfinement,
    onRuntimeLine,
  })
  return {
    options: {
      runtime: settings.workers === 'on' ? runtime : null,
      publicUrl,
      domain: settings.workerDomain,
      logRetentionMs: settings.workerLogDays * dayMs,
      idleMs: settings.workerIdleMinutes * minuteMs,
      registry,
      report,
    },
    listening({ address, family, port }, url) {
      const loopback = family === 'IPv6' ? '::1' : '127.0.0.1'
      const origins = [url, publicUrl, `http://127.0.0.1:${String(port)}`, `http://localhost:${String(port)}`]
      service = {
        origins: new Set(origins.filter((origin) => origin !== null).map((origin) => new URL(origin).origin)),
        address: address === '0.0.0.0' || address === '::' ? loopback : address,
        port,
      }
    },
  }
}

import type { CallOptions, Transport } from './transport.ts'
import { read } from './typed.ts'
import type { Answers } from './wire-types.generated.ts'

export interface ServerClient {
  /** Whether the process is alive. */
  health(options?: CallOptions): Promise<{ status: 'ok'; uptimeSeconds: number }>
  /** Whether the service can work; fails with the code of what is missing. */
  readiness(options?: CallOptions): Promise<Answers['getReadiness'][200]>
  /** Figures for Prometheus, as text; needs a service key. */
  metrics(options?: CallOptions): Promise<string>
  /** The OpenAPI description. */
  openApi(options?: CallOptions): Promise<Record<string, unknown>>
}

export function serverClient(transport: Transport): ServerClient {
  return {
    health: async (options) => {
      const { status, uptime_seconds } = await read<Answers['getHealth'][200]>(transport, '/healthz', options)
      return { status, uptimeSeconds: uptime_seconds }
    },
    readiness: (options) => read(transport, '/readyz', options),
    metrics: async (options) => new Response(await transport.stream('/metrics', options)).text(),
    openApi: (options) => read(transport, '/api/v1/openapi.json', options),
  }
}

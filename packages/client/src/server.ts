import { call } from './call.ts'
import type { AnswerOf } from './call.ts'
import type { CallOptions, Transport } from './transport.ts'
import { operations } from './wire.generated.ts'

export interface ServerClient {
  /** Whether the process is alive. */
  health(options?: CallOptions): Promise<AnswerOf<'getHealth'>>
  /** Whether the service can work; fails with the code of what is missing. */
  readiness(options?: CallOptions): Promise<AnswerOf<'getReadiness'>>
  /** Figures for Prometheus, as text; needs a service key. */
  metrics(options?: CallOptions): Promise<string>
  /** The OpenAPI description. */
  openApi(options?: CallOptions): Promise<Record<string, unknown>>
}

export function serverClient(transport: Transport): ServerClient {
  return {
    health: (options) => call(transport, 'getHealth', {}, options),
    readiness: (options) => call(transport, 'getReadiness', {}, options),
    metrics: async (options) => new Response(await transport.stream(operations.getMetrics[1], options)).text(),
    openApi: (options) => call(transport, 'getOpenApi', {}, options),
  }
}

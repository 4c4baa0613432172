import { call, type AnswerOf } from '../call.ts'
import type { CallOptions, Transport } from '../transport.ts'
import { operations } from '../wire.generated.ts'

export interface ServerClient {
  /** Liveness: succeeds if the process is running. */
  health(options?: CallOptions): Promise<AnswerOf<'getHealth'>>
  /** Readiness: succeeds if the service can handle requests. Otherwise fails with the code of the missing dependency. */
  readiness(options?: CallOptions): Promise<AnswerOf<'getReadiness'>>
  /** Prometheus metrics as text. Needs a service key. */
  metrics(options?: CallOptions): Promise<string>
  /** Returns the OpenAPI description of the service. */
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

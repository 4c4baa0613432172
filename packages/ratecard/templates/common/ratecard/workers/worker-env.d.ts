/**
 * What this worker finds in `env`: `[vars]` of wrangler.toml and the variables of ratecard/environments/.env.<environment>.
 * Add yours here. Environment files give texts; `[vars]` may hold any JSON value.
 */
interface Env {
  /** Where the payment processor delivers events: the address of this worker. */
  WEBHOOK_ORIGIN?: string
  /** Shown by `ratecard billing webhook secret`. */
  BILLING_WEBHOOK_SECRET?: string
  /** The Ratecard service, for calls from here. */
  RATECARD_API_URL?: string
  /** A key of it, the worker's own: with `service_key` under `[ratecard]` in wrangler.toml. */
  RATECARD_SERVICE_KEY?: string
}

// What the runtime gives to handlers. Remove everything below when you install @cloudflare/workers-types, which has all of it.

interface ExecutionContext {
  /** Work that goes on after the response, or that a scheduled run waits for. */
  waitUntil(promise: Promise<unknown>): void
  /** Does nothing here; kept so that workers from Cloudflare run unchanged. */
  passThroughOnException(): void
}

interface ScheduledController {
  /** The time of the schedule, in milliseconds since 1970; the run may begin a moment later. */
  readonly scheduledTime: number
  /** The expression that fired, as it stands in wrangler.toml. */
  readonly cron: string
  /** Does nothing here: a run is never repeated. */
  noRetry(): void
}

type ScheduledEvent = ScheduledController

interface ExportedHandler<Environment = unknown> {
  fetch?(request: Request, env: Environment, ctx: ExecutionContext): Response | Promise<Response>
  scheduled?(event: ScheduledController, env: Environment, ctx: ExecutionContext): void | Promise<void>
}

declare class WebSocketPair {
  0: WebSocket
  1: WebSocket & { accept(): void }
}

declare module 'cloudflare:workers' {
  export abstract class WorkerEntrypoint<Environment = Env> {
    protected ctx: ExecutionContext
    protected env: Environment
    constructor(ctx: ExecutionContext, env: Environment)
  }
}

declare module '*.txt' {
  const text: string
  export default text
}
declare module '*.html' {
  const text: string
  export default text
}
declare module '*.sql' {
  const text: string
  export default text
}
declare module '*.bin' {
  const bytes: ArrayBuffer
  export default bytes
}
declare module '*.wasm' {
  const module: WebAssembly.Module
  export default module
}

// `ratecard` brings this package along when it bundles. Remove this too once @ratecard/client is installed in the project.
declare module '@ratecard/client/webhooks' {
  export interface WebhookEvent {
    readonly id: string
    /** For example `invoice.paid`. */
    readonly type: string
    /** Seconds since 1970. */
    readonly created: number
    readonly livemode: boolean
    readonly data: {
      readonly object: Readonly<Record<string, unknown>>
      readonly previous_attributes?: Readonly<Record<string, unknown>>
    }
  }
  /** Why a delivery is not taken: `signature_missing`, `signature_mismatch`, `timestamp_too_old` and so on. */
  export class WebhookError extends Error {
    readonly code: string
  }
  /** The event of a genuine delivery; throws a WebhookError for any other. Several secrets are tried while one is being rotated. */
  export function verifyWebhook(
    payload: string | ArrayBuffer | Uint8Array,
    signatureHeader: string | null | undefined,
    secret: string | readonly string[],
    options?: { readonly toleranceSeconds?: number; readonly now?: number },
  ): Promise<WebhookEvent>
}

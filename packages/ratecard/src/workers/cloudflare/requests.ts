// The two requests of a Cloudflare deployment as data: the upload of the script, and the replacement of its schedules. Decides their
// content and which parts may be displayed; sends nothing.
import type { CronSchedule } from '../cron/parse.ts'
import type { WorkerBundle } from '../project/bundle.ts'
import type { Manifest } from '../project/manifest.ts'
import { cloudflareCron } from './schedules.ts'

export interface CloudflareWorker {
  readonly manifest: Manifest
  readonly bundle: WorkerBundle
  /** Variables of the environment file. Each becomes a secret on Cloudflare. */
  readonly secrets: ReadonlyMap<string, string>
}

export type Binding =
  | { readonly type: 'plain_text' | 'secret_text'; readonly name: string; readonly text: string }
  | { readonly type: 'json'; readonly name: string; readonly json: unknown }

export interface Metadata {
  readonly main_module: string
  readonly compatibility_date: string
  readonly compatibility_flags: readonly string[]
  readonly bindings: readonly Binding[]
  /** The list is empty, so that Cloudflare keeps no binding of an earlier upload. The project defines all bindings. */
  readonly keep_bindings: readonly []
}

export interface ModulePart {
  readonly name: string
  readonly contentType: string
  readonly content: string | Uint8Array
}

export interface UploadRequest {
  readonly path: string
  readonly metadata: Metadata
  readonly modules: readonly ModulePart[]
}

export interface SchedulesRequest {
  readonly path: string
  readonly body: readonly { readonly cron: string }[]
}

const mainModule = 'worker.js'
const contentTypes = { text: 'text/plain', wasm: 'application/wasm', data: 'application/octet-stream' } as const

export function uploadRequest(accountId: string, { manifest, bundle, secrets }: CloudflareWorker): UploadRequest {
  const vars = Object.entries(manifest.vars).filter(([name]) => !secrets.has(name))
  return {
    path: scriptPath(accountId, manifest.name),
    metadata: {
      main_module: mainModule,
      compatibility_date: manifest.compatibilityDate,
      compatibility_flags: manifest.compatibilityFlags,
      bindings: [
        ...vars.map(([name, value]): Binding =>
          typeof value === 'string' ? { type: 'plain_text', name, text: value } : { type: 'json', name, json: value },
        ),
        ...[...secrets].map(([name, text]): Binding => ({ type: 'secret_text', name, text })),
      ],
      keep_bindings: [],
    },
    modules: [
      { name: mainModule, contentType: 'application/javascript+module', content: bundle.code },
      ...bundle.modules.map(({ name, type, content }) => ({ name, contentType: contentTypes[type], content })),
    ],
  }
}

/**
 * Returns the request that replaces all schedules. Send it even if the list is empty, otherwise schedules removed from the manifest would
 * keep running.
 */
export function schedulesRequest(
  accountId: string,
  { name, crons }: { readonly name: string; readonly crons: readonly CronSchedule[] },
): SchedulesRequest {
  return {
    path: `${scriptPath(accountId, name)}/schedules`,
    body: crons.map((schedule) => ({ cron: cloudflareCron(schedule) })),
  }
}

/** Returns the metadata with each secret value replaced by a mask of fixed length. */
export function maskedMetadata(metadata: Metadata): Metadata {
  const bindings = metadata.bindings.map((binding) =>
    binding.type === 'secret_text' ? { ...binding, text: '••••••' } : binding,
  )
  return { ...metadata, bindings }
}

/** Returns one line for each setting in the manifest that works on this service but not on Cloudflare, with the alternative. */
export function notCarriedOver(manifest: Manifest): string[] {
  return [
    ...(manifest.hosts.length === 0 ? [] : [`routes (${manifest.hosts.join(', ')}): add them as custom domains there`]),
    ...(manifest.limits.explicit ? ['limits.cpu_ms: the limit of your Cloudflare plan applies'] : []),
    ...(manifest.serviceKey === null
      ? []
      : [
          'ratecard.service_key: create a key with `ratecard keys create` and set RATECARD_SERVICE_KEY there as a secret',
        ]),
    ...(manifest.passCredentials ? ['ratecard.pass_credentials: requests there do not come through this service'] : []),
  ]
}

function scriptPath(accountId: string, name: string): string {
  return `/accounts/${encodeURIComponent(accountId)}/workers/scripts/${encodeURIComponent(name)}`
}

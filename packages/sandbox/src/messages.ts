// Messages between the supervisor and the sandbox's thread.
import type { SandboxOptions } from './server.ts'

/** Options that can be sent to a thread. */
export type ThreadOptions = Pick<
  SandboxOptions,
  'port' | 'dataDir' | 'host' | 'deliverAnywhere' | 'profile' | 'portalSavedFor'
>

export interface StartFailure {
  readonly name: string
  readonly message: string
  readonly code: string | undefined
  readonly hint: string | undefined
}

export type FromThread =
  | { readonly kind: 'listening'; readonly url: string; readonly port: number }
  | { readonly kind: 'failed'; readonly failure: StartFailure }
  | { readonly kind: 'log'; readonly line: string }
  | { readonly kind: 'alive' }

export type ToThread = { readonly kind: 'alive?' } | { readonly kind: 'close' }

// Messages between the main thread and the sandbox's worker thread.
import type { SandboxOptions } from './server.ts'

/** The options of the sandbox that can be sent to its thread. */
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

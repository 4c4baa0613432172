// Messages between the main thread and the sandbox's worker thread.
import type { SandboxOptions } from './server.ts'

/** The options of the sandbox that can be sent to its thread. */
type PlainOptions = Pick<SandboxOptions, 'port' | 'dataDir' | 'host' | 'deliverAnywhere' | 'profile' | 'portalSavedFor'>

/** `clockOf` is the API key of the account whose clock the main thread follows. */
export interface ThreadOptions extends PlainOptions {
  readonly clockOf?: string
}

export interface StartFailure {
  readonly name: string
  readonly message: string
  readonly code: string | undefined
  readonly hint: string | undefined
}

export type FromThread =
  | { readonly kind: 'listening'; readonly url: string; readonly port: number }
  /** The followed clock has moved. It goes on when `followed` with the same `move` arrives. */
  | { readonly kind: 'moved'; readonly move: number; readonly aheadSeconds: number }
  | { readonly kind: 'failed'; readonly failure: StartFailure }
  | { readonly kind: 'log'; readonly line: string }
  | { readonly kind: 'alive' }

export type ToThread =
  | { readonly kind: 'alive?' }
  | { readonly kind: 'followed'; readonly move: number; readonly nextStop: number | null }
  | { readonly kind: 'close' }

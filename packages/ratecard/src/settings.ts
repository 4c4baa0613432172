/** The environment as one value, read once at start (decisions, "Settings and how things start"). */
export interface Settings {
  readonly host: string
  readonly port: number
  readonly dataDir: string
  /** A PostgreSQL URL; null is the embedded SQLite store in `dataDir`. */
  readonly databaseUrl: string | null
  readonly serviceKey: string | null
  /** `<version>:<base64 of 32 bytes>` items, newest first; null is a key file in `dataDir`. */
  readonly masterKey: string | null
  /** null starts the sandbox processor inside the service. */
  readonly stripeSecretKey: string | null
  readonly stripeApiBase: string | null
  readonly sandboxPort: number
  readonly publicUrl: string | null
  readonly allowedRedirects: readonly string[]
  readonly requireVersionBump: boolean
  readonly workers: 'on' | 'off'
  /** Requests a minute and address. */
  readonly rateLimit: number
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
}

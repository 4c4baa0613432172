// The package has no types of its own; this is what the benchmarks use of it.
declare module 'autocannon' {
  interface Result {
    readonly requests: { readonly total: number }
    /** Milliseconds. */
    readonly latency: { readonly p99: number }
    readonly non2xx: number
    readonly errors: number
  }
  export default function autocannon(options: { url: string; connections: number; duration: number }): Promise<Result>
}

// The package has no types. These declare the part that the benchmarks use.
declare module 'autocannon' {
  interface Result {
    readonly requests: { readonly total: number }
    /** Latency in milliseconds. */
    readonly latency: { readonly p99: number }
    readonly non2xx: number
    readonly errors: number
  }
  export default function autocannon(options: {
    url: string
    headers?: Readonly<Record<string, string>>
    method?: 'POST'
    body?: string
    connections: number
    duration: number
  }): Promise<Result>
}

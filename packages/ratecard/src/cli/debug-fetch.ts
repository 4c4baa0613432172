import type { CliIo } from './terminal/io.ts'

/**
 * Wraps `fetch` to log each request and its response status to stderr. Of the URL, only origin, path and query are logged. Headers, bodies
 * and credentials in the URL are not, because they may contain secrets.
 */
export function debugFetch(io: Pick<CliIo, 'stderr'>, send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const url = new URL(typeof input === 'string' || input instanceof URL ? input : input.url)
    const asked = `${init?.method ?? 'GET'} ${url.origin}${url.pathname}${url.search}`
    const startedAt = performance.now()
    const took = () => `${String(Math.round(performance.now() - startedAt))} ms`
    try {
      const response = await send(input, init)
      const id = response.headers.get('x-request-id')
      io.stderr.write(`debug: ${asked} ${String(response.status)} ${took()}${id === null ? '' : ` (${id})`}\n`)
      return response
    } catch (error) {
      io.stderr.write(
        `debug: ${asked} failed after ${took()}: ${error instanceof Error ? error.message : String(error)}\n`,
      )
      throw error
    }
  }
}

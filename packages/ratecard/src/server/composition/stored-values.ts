// Values of metrics that are read from the store at each scrape.

/**
 * Returns a function that reads values for a scrape. Calls during a running read share its result. If the store fails, the function reports
 * the failure and returns null, so that only these metrics are missing in the response.
 */
export function createReader<T>(
  read: () => Promise<T>,
  report: (error: unknown, what: string) => void,
): () => Promise<T | null> {
  let running: Promise<T | null> | null = null
  const start = async (): Promise<T | null> => {
    try {
      return await read()
    } catch (error) {
      report(error, 'metrics were left out of a scrape')
      return null
    } finally {
      running = null
    }
  }
  return () => (running ??= start())
}

import type { CliIo } from '../io.ts'

interface Running {
  readonly url: string
  close(): Promise<void>
}

/** Serves until the process is asked to stop, then drains. */
export async function serveUntilStopped(io: CliIo, running: Running): Promise<void> {
  if (!io.signal.aborted)
    await new Promise<void>((resolve) => io.signal.addEventListener('abort', () => resolve(), { once: true }))
  await running.close()
}

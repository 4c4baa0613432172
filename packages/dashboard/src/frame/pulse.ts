// Polls the change tag of the service. The tag changes with every change of data, also by other users.

const pollIntervalMs = 1000

type Listener = () => void

export interface PulseDeps {
  /** Change tag at the time the page was loaded. Null if the HTML contains none. */
  readonly firstTag: string | null
  readonly readTag: () => Promise<string>
  /** The browser's document. Polling is suspended while it is hidden. */
  readonly page: {
    readonly visibilityState: string
    addEventListener(type: 'visibilitychange', listener: Listener): void
  }
}

export class Pulse {
  readonly #changed = new Set<Listener>()
  readonly #connection = new Set<Listener>()
  readonly #deps: PulseDeps
  #tag: string | null
  #timer: ReturnType<typeof setTimeout> | null = null
  isConnected = true
  /** Resolves when a change tag has been read. Data that is read later is at least as new as that tag. */
  readonly ready: Promise<void>

  constructor(deps: PulseDeps) {
    this.#deps = deps
    this.#tag = deps.firstTag
    this.ready = this.#tag === null ? this.#look() : Promise.resolve()
  }

  onChange(listener: Listener): () => void {
    this.#changed.add(listener)
    this.#start()
    return () => this.#changed.delete(listener)
  }

  readonly onConnection = (listener: Listener): (() => void) => {
    this.#connection.add(listener)
    return () => this.#connection.delete(listener)
  }

  /** Polls at once, then every 3 seconds, until the service responds. */
  async untilConnected(): Promise<void> {
    for (;;) {
      await this.#look()
      if (this.isConnected) return
      await new Promise((resolve) => setTimeout(resolve, 3 * pollIntervalMs))
    }
  }

  #start(): void {
    if (this.#timer !== null) return
    this.#timer = setTimeout(() => void this.#ask(), pollIntervalMs)
    const { page } = this.#deps
    page.addEventListener('visibilitychange', () => {
      if (page.visibilityState === 'visible') void this.#look()
    })
  }

  async #ask(): Promise<void> {
    if (this.#deps.page.visibilityState === 'visible') await this.#look()
    this.#timer = setTimeout(() => void this.#ask(), this.isConnected ? pollIntervalMs : 3 * pollIntervalMs)
  }

  async #look(): Promise<void> {
    try {
      const tag = await this.#deps.readTag()
      this.#connected(true)
      if (tag === this.#tag) return
      const isFirst = this.#tag === null
      this.#tag = tag
      if (!isFirst) this.#tell()
    } catch {
      // The poll failed. The frame of the page shows a banner until a poll succeeds.
      this.#connected(false)
    }
  }

  #connected(is: boolean): void {
    if (is === this.isConnected) return
    this.isConnected = is
    for (const listener of this.#connection) listener()
    // After a reconnection all listeners reload, because the page may have missed changes.
    if (is) this.#tell()
  }

  #tell(): void {
    for (const listener of this.#changed) listener()
  }
}

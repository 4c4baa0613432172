// Polls the change tag of the service. The tag changes with every change of data, also by other users. The same poll tells what is down: the
// service itself, its store or the processor.

const pollIntervalMs = 1000

type Listener = () => void

/** What does not answer, and since when. Everything that fails meanwhile fails because of it. */
export interface Outage {
  readonly part: 'service' | 'store' | 'processor'
  /** Epoch milliseconds. */
  readonly since: number
}

/** What one poll returns. */
export interface Beat {
  readonly tag: string
  /** RFC 3339. Null while the processor answers. */
  readonly processorSilentSince: string | null
}

export interface PulseDeps {
  /** Change tag at the time the page was loaded. Null if the HTML contains none. */
  readonly firstTag: string | null
  /** Rejects if the service or its store does not answer. */
  readonly read: () => Promise<Beat>
  /** True if the error says that the store does not answer. */
  readonly isStoreDown: (error: unknown) => boolean
  readonly now: () => number
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
  #answeredAt: number
  outage: Outage | null = null
  /** Resolves when a change tag has been read. Data that is read later is at least as new as that tag. */
  readonly ready: Promise<void>

  constructor(deps: PulseDeps) {
    this.#deps = deps
    this.#tag = deps.firstTag
    this.#answeredAt = deps.now()
    this.ready = this.#tag === null ? this.#look() : Promise.resolve()
  }

  /** False while the service or its store does not answer, so that no data can be loaded. */
  get isConnected(): boolean {
    return this.outage === null || this.outage.part === 'processor'
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
    // At once, because an outage that was there before the page is known only from a poll.
    this.#timer = setTimeout(() => void this.#ask(), 0)
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
      const { tag, processorSilentSince } = await this.#deps.read()
      this.#answeredAt = this.#deps.now()
      this.#now(processorSilentSince === null ? null : { part: 'processor', since: Date.parse(processorSilentSince) })
      if (tag === this.#tag) return
      const isFirst = this.#tag === null
      this.#tag = tag
      if (!isFirst) this.#tell()
    } catch (error) {
      // The poll failed. The frame of the page shows a banner until a poll succeeds.
      this.#now({ part: this.#deps.isStoreDown(error) ? 'store' : 'service', since: this.#answeredAt })
    }
  }

  #now(outage: Outage | null): void {
    const before = this.outage
    if (before?.part === outage?.part) return
    this.outage = outage
    for (const listener of this.#connection) listener()
    // After an outage all listeners reload, because the page may have missed changes, or shows what could not be loaded.
    if (outage === null) this.#tell()
  }

  #tell(): void {
    for (const listener of this.#changed) listener()
  }
}

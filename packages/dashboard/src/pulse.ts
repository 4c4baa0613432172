// Polls the change tag of the service, which changes with every change of data, also of other users.

const pollIntervalMs = 1000

type Listener = () => void

export interface PulseDeps {
  /** The change tag when the page was loaded. Null if the HTML contains none. */
  readonly firstTag: string | null
  readonly readTag: () => Promise<string>
  /** While the page is hidden, polling is suspended. */
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
  /** Resolves once there is a change tag to compare with. Data read after that is at least as new as the tag. */
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
      // The frame shows a banner until a poll succeeds.
      this.#connected(false)
    }
  }

  #connected(is: boolean): void {
    if (is === this.isConnected) return
    this.isConnected = is
    for (const listener of this.#connection) listener()
    // Changes during the lost connection may have been missed, so all listeners reload.
    if (is) this.#tell()
  }

  #tell(): void {
    for (const listener of this.#changed) listener()
  }
}

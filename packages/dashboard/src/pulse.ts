// One cheap question that tells whether anything changed, here or in another browser.

const askEveryMs = 1000

type Listener = () => void

export interface PulseDeps {
  /** The tag of changes when the page was loaded; null where the document does not say. */
  readonly firstTag: string | null
  readonly ask: () => Promise<string>
  /** Before anybody hears that something changed: what was known at an earlier tag no longer counts. */
  readonly forget: () => void
  /** Nobody looks at a hidden page: it asks nothing. */
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
  /** Settled once there is a tag to compare with: what is read afterwards is no older than it. */
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
    this.#timer = setTimeout(() => void this.#ask(), askEveryMs)
    const { page } = this.#deps
    page.addEventListener('visibilitychange', () => {
      if (page.visibilityState === 'visible') void this.#look()
    })
  }

  async #ask(): Promise<void> {
    if (this.#deps.page.visibilityState === 'visible') await this.#look()
    this.#timer = setTimeout(() => void this.#ask(), this.isConnected ? askEveryMs : 3 * askEveryMs)
  }

  async #look(): Promise<void> {
    try {
      const tag = await this.#deps.ask()
      this.#connected(true)
      if (tag === this.#tag) return
      const isFirst = this.#tag === null
      this.#tag = tag
      if (!isFirst) this.#tell()
    } catch {
      // Shown as a banner until an answer comes.
      this.#connected(false)
    }
  }

  #connected(is: boolean): void {
    if (is === this.isConnected) return
    this.isConnected = is
    for (const listener of this.#connection) listener()
    // What was missed meanwhile.
    if (is) this.#tell()
  }

  #tell(): void {
    this.#deps.forget()
    for (const listener of this.#changed) listener()
  }
}

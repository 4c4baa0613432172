/** The folder's state cannot be used; `hint` says what to do, if anything but waiting helps. */
export class StateUnavailable extends Error {
  override readonly name = 'StateUnavailable'
  readonly hint: string | undefined

  constructor(message: string, hint?: string, cause?: unknown) {
    super(message, { cause })
    this.hint = hint
  }
}

/** The state in the folder is unusable. `hint` is the next step, if waiting does not help. */
export class StateUnavailable extends Error {
  override readonly name = 'StateUnavailable'
  readonly hint: string | undefined

  constructor(message: string, hint?: string, cause?: unknown) {
    super(message, { cause })
    this.hint = hint
  }
}

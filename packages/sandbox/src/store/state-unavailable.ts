/** Thrown if the state in the folder is unusable. `hint` states what to do, if waiting does not help. */
export class StateUnavailable extends Error {
  override readonly name = 'StateUnavailable'
  readonly hint: string | undefined

  constructor(message: string, hint?: string, cause?: unknown) {
    super(message, { cause })
    this.hint = hint
  }
}

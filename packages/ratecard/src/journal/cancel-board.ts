/**
 * Cancel requests that this process received for its own running work. The journal contains them too; looking here first saves reading the
 * journal.
 */
export class CancelBoard {
  private readonly asked = new Set<string>()

  ask(id: string): void {
    this.asked.add(id)
  }

  has(id: string): boolean {
    return this.asked.has(id)
  }

  /** Removes the request. Called when the work ended or was resumed. */
  forget(id: string): void {
    this.asked.delete(id)
  }
}

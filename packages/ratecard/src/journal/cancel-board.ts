/**
 * Cancel requests that this process received for its own running work. A local hit saves a read of the journal, which has the request too.
 */
export class CancelBoard {
  private readonly asked = new Set<string>()

  ask(id: string): void {
    this.asked.add(id)
  }

  has(id: string): boolean {
    return this.asked.has(id)
  }

  /** Called when the work ended or was resumed. */
  forget(id: string): void {
    this.asked.delete(id)
  }
}

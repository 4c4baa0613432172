/**
 * Cancel requests that this process received for work that it runs itself. The journal contains the same requests, but checking this board
 * is faster.
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

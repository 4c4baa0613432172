/** Work that this process was asked to stop between two steps. It spares the reads of the journal, which says so too. */
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

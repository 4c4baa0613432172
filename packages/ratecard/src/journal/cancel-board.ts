/** Work that this process was asked to stop between two steps: it need not learn of it from the journal. */
export class CancelBoard {
  private readonly asked = new Set<string>()

  ask(id: string): void {
    this.asked.add(id)
  }

  has(id: string): boolean {
    return this.asked.has(id)
  }

  /** When it ended, or was taken up again. */
  forget(id: string): void {
    this.asked.delete(id)
  }
}

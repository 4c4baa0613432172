// Long work that takes turns with everybody else's: nothing holds the event loop for longer than one turn and one piece of work.

/** Work in pieces: each `yield` is a place where others may go on. It has no effect before it ends. */
export type Turns<T> = Generator<undefined, T, undefined>

/** The whole work without a pause, for whoever has the process for himself. */
export function atOnce<T>(work: Turns<T>): T {
  for (;;) {
    const piece = work.next()
    if (piece.done === true) return piece.value
  }
}

/** Milliseconds until others get their turn: far below what a person or a health check feels. */
const turnMs = 8

/** How many small pieces of work stand between two pauses: a pause costs about as much as a small piece. */
export const piecesBetweenPauses = 32

let turnBegan = 0

/** Lets others go on when the present turn has lasted long enough. For between two pieces of work. */
export async function pause(): Promise<void> {
  if (performance.now() - turnBegan < turnMs) return
  await new Promise((resolve) => setImmediate(resolve))
  turnBegan = performance.now()
}

/** The whole work, with a pause wherever it may have one. */
export async function inTurns<T>(work: Turns<T>): Promise<T> {
  await pause()
  for (;;) {
    const piece = work.next()
    if (piece.done === true) return piece.value
    if (performance.now() - turnBegan >= turnMs) await pause()
  }
}

/** A text counts as one value for each of so many characters. */
const charactersOfValue = 100

/** Whether these hold more than so many values in all. Looks at no more of them than decide it. */
export function holdMoreThan(most: number, roots: readonly unknown[]): boolean {
  const open: unknown[] = [...roots]
  let values = 0
  while (open.length > 0) {
    const value = open.pop()
    values += typeof value === 'string' ? 1 + value.length / charactersOfValue : 1
    if (values > most) return true
    if (typeof value !== 'object' || value === null) continue
    const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
    if (values + members.length > most) return true
    open.push(...members)
  }
  return false
}

// Whose turn it is at the processor: the budget of requests goes round the tenants whose sessions wait, after everything that acts for the
// seller (pushes, service keys, work of the service itself).
import { AsyncLocalStorage } from 'node:async_hooks'

const tenant = new AsyncLocalStorage<string>()

/** Runs the work of a tenant's session: its requests to the processor take turns with those of other tenants. */
export const asSessionOf = <T>(tenantId: string, work: () => Promise<T>): Promise<T> => tenant.run(tenantId, work)

/** Returns the tenant whose session the present work is for; null for work of the seller. */
export const sessionTenant = (): string | null => tenant.getStore() ?? null

/** A request that waits for its turn. */
export interface InLine {
  /** See {@link sessionTenant}. */
  readonly tenant: string | null
}

/** Chooses who is next among those that wait, which are in the order of their arrival. */
export class Turns<W extends InLine> {
  /** Number of the last turn of each tenant that waits. */
  readonly #last = new Map<string, number>()
  #turn = 0

  /** Returns the one whose turn it is among those that `may` start; undefined if none may. */
  next(waiting: Iterable<W>, may: (one: W) => boolean = () => true): W | undefined {
    let found: W | undefined
    for (const one of waiting) {
      if (!may(one)) continue
      if (one.tenant === null) return one
      if (found === undefined || this.#lastOf(one) < this.#lastOf(found)) found = one
    }
    return found
  }

  /** Notes that one had its turn. */
  served({ tenant: id }: W, left: number): void {
    if (left === 0) this.#last.clear()
    else if (id !== null) this.#last.set(id, ++this.#turn)
  }

  #lastOf({ tenant: id }: W): number {
    return id === null ? 0 : (this.#last.get(id) ?? 0)
  }
}

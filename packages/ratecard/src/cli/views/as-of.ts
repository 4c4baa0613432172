import type { Output } from '../terminal/output.ts'
import { showTime } from './text/table.ts'

/** Prints how recent a response from the mirror is. Prints nothing for a response that was read live. */
export function noteAsOf(
  { asOf, stale }: { readonly asOf?: string; readonly stale?: boolean },
  out: Pick<Output, 'note' | 'paint'>,
): void {
  if (asOf === undefined) return
  if (stale === true)
    out.note(`${out.paint.yellow('!')} As of ${showTime(asOf)} UTC: the mirror is behind, see \`ratecard doctor\`.`)
  else out.note(`As of ${showTime(asOf)} UTC.`)
}

/** Formats amounts of several currencies for one cell, e.g. `€12.00 + $5.00`. */
export const amountsText = (amounts: readonly { readonly formatted: string }[] | undefined): string =>
  amounts === undefined || amounts.length === 0 ? '–' : amounts.map(({ formatted }) => formatted).join(' + ')

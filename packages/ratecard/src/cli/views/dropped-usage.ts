import type { DroppedUsage } from '@ratecard/client'
import { reportUsageAgain } from '../../base/errors/advice.ts'
import type { CommandContext } from '../program/command.ts'
import { escapeBreaks } from '../terminal/terminal-text.ts'
import { count } from './issues.ts'
import { showTime } from './text/table.ts'

/**
 * Prints one line per report of dropped usage, and what to do about it. Prints nothing if there are no reports. `dropped` is null if the
 * processor returned no data, and undefined if the server is too old for the request. With `tenant`, a report that does not name that
 * tenant is marked.
 */
export function printDroppedUsage(
  { out }: Pick<CommandContext, 'out'>,
  dropped: readonly DroppedUsage[] | null | undefined,
  tenant?: string,
): void {
  if (dropped === undefined) return
  if (dropped === null) {
    out.note(`${out.paint.yellow('!')} It is not known whether the processor dropped usage; see \`ratecard doctor\`.`)
    return
  }
  for (const one of dropped) {
    const whose = tenant === undefined || namesTenant(one, tenant) ? '' : '; its tenant is unknown'
    out.say(`${out.paint.yellow('!')} ${escapeBreaks(droppedLine(one))}${whose}`)
  }
  if (dropped.length > 0) out.note(`Dropped usage is not billed. ${reportUsageAgain}`)
}

/** True if one of the report's examples belongs to the tenant. */
export const namesTenant = ({ examples }: DroppedUsage, tenant: string): boolean =>
  examples.some(({ tenantId }) => tenantId === tenant)

function droppedLine({ at, meter, processorMeterId, code, count: events, message, examples }: DroppedUsage): string {
  const id = meter ?? processorMeterId
  const [example] = examples
  const of = id === null ? 'for no meter' : `of meter ${id}`
  const like =
    example === undefined
      ? ''
      : `, for example ${example.identifier}${example.tenantId === null ? '' : ` of ${example.tenantId}`}`
  return `${showTime(at)} UTC  ${count(events, 'usage event')} ${of} dropped: ${code}${like} (${message})`
}

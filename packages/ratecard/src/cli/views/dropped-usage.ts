import type { DroppedUsage } from '@ratecard/client'
import type { CommandContext } from '../program/command.ts'
import { count } from './issues.ts'
import { showTime } from './table.ts'

/**
 * A line for each report, and what to do; nothing when nothing was dropped. `null`: the processor did not tell; undefined: an
 * earlier server, which does not know.
 */
export function sayDroppedUsage(
  { out }: Pick<CommandContext, 'out'>,
  dropped: readonly DroppedUsage[] | null | undefined,
): void {
  if (dropped === undefined) return
  if (dropped === null) {
    out.note(`${out.paint.yellow('!')} The processor did not tell whether it dropped usage; see \`ratecard doctor\`.`)
    return
  }
  for (const one of dropped) out.say(`${out.paint.yellow('!')} ${droppedLine(one)}`)
  if (dropped.length > 0)
    out.note('What was dropped is not billed. Put the cause right, then report it again under new identifiers.')
}

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

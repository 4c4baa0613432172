import type { Command, CommandContext, CommandResult } from '../../program/command.ts'
import { escapeBreaks } from '../../terminal/terminal-text.ts'
import { wrapText } from '../../views/text/wrap.ts'
import { sayWho, whoOption } from '../plan-and-apply.ts'
import { showViolations } from '../../views/plan/violations.ts'
import { showImpact } from '../../views/plan/impact.ts'
import { connect } from '../../server-address.ts'
import { summarizeChanges } from '../../views/plan/changes.ts'
import { printTable, rightColumn, showTime } from '../../views/text/table.ts'
import { jsonHistory, jsonRevision } from '../../views/text/json.ts'
import { formatAuthor } from '../../views/plan/who.ts'

export const billingHistory: Command = {
  name: 'billing history',
  summary: 'Show recent versions and their changes',
  options: [
    { flags: '--limit <n>', description: 'Number of items to show, newest first.', range: [1, 100], defaultText: '10' },
    { flags: '--offset <n>', description: 'Number of items to skip.', range: [0, 1_000_000], defaultText: '0' },
    {
      flags: '--revision <n>',
      description: 'Show one revision: its changes, and what its plan said of money and people when it was applied.',
      range: [1, 2_147_483_647],
    },
    whoOption,
  ],
  examples: [
    { command: 'ratecard billing history --limit 5', what: 'the last five versions' },
    { command: 'ratecard billing history --revision 12 --who', what: 'whom revision 12 touched, and for how much' },
    { command: 'ratecard billing history --json', what: 'for a script' },
  ],
  run: async (context) => {
    const { options, io, out } = context
    const revision = options.whole('revision')
    if (revision !== undefined) return showRevision(context, revision)
    const { versions, pagination } = await connect(context).client.admin.history({
      limit: options.whole('limit') ?? 10,
      offset: options.whole('offset') ?? 0,
      signal: io.signal,
    })
    const columns = [rightColumn('no.'), 'version', 'when (UTC)', 'author', 'changes', 'message']
    const rows = versions.map((entry) => [
      String(entry.revision),
      entry.version,
      showTime(entry.createdAt).slice(0, 16),
      entry.author ?? formatAuthor(entry),
      `${entry.kind === 'push' ? '' : `${entry.kind}: `}${summarizeChanges(entry)}`,
      entry.message ?? '',
    ])
    printTable(out, columns, rows, 'Nothing has been pushed yet. `ratecard billing push` creates revision 1.')
    if (pagination.hasMore) {
      const next = pagination.offset + versions.length
      out.note(`\n${pagination.total - next} older: \`ratecard billing history --offset ${next}\`.`)
    }
    return { json: jsonHistory({ versions, pagination }) }
  },
}

async function showRevision(context: CommandContext, number: number): Promise<CommandResult> {
  const { io, out } = context
  const entry = await connect(context).client.admin.revision(number, { signal: io.signal })
  const { paint } = out
  const { plan } = entry
  const why = entry.message === null ? '' : `  ${escapeBreaks(entry.message)}`
  out.print(
    `${paint.bold(`Revision ${String(entry.revision)}`)}  version ${escapeBreaks(entry.version)}  ${showTime(entry.createdAt)} UTC  ${formatAuthor(entry)}${why}`,
  )
  out.print(`${entry.kind === 'push' ? '' : `${entry.kind}: `}${summarizeChanges(entry)}`)
  if (plan !== null && plan.summary !== '') {
    out.print(`\n${paint.bold(wrapText(escapeBreaks(plan.summary), out.width))}`)
    const impact = showImpact(plan.impact, paint)
    if (impact !== '') out.print(`\n${impact}`)
    sayWho(context, plan.who)
    if (plan.violations.length > 0) out.print(`\n${showViolations(plan.violations, entry.overrides, paint)}`)
  }
  return { json: jsonRevision(entry) }
}

import type { Command } from '../../program/command.ts'
import { connect } from '../../server-address.ts'
import { summarizeChanges } from '../../views/plan/changes.ts'
import { printTable, right, showTime } from '../../views/text/table.ts'
import { jsonHistory } from '../../views/text/json.ts'
import { formatAuthor } from '../../views/plan/who.ts'

export const billingHistory: Command = {
  name: 'billing history',
  summary: 'Show recent versions and their changes',
  options: [
    { flags: '--limit <n>', description: 'Number of items to show, newest first.', range: [1, 100], defaultText: '10' },
    { flags: '--offset <n>', description: 'Number of items to skip.', range: [0, 1_000_000], defaultText: '0' },
  ],
  examples: [
    { command: 'ratecard billing history --limit 5', what: 'the last five versions' },
    { command: 'ratecard billing history --json', what: 'for a script' },
  ],
  run: async (context) => {
    const { options, io, out } = context
    const { versions, pagination } = await connect(context).client.admin.history({
      limit: options.whole('limit') ?? 10,
      offset: options.whole('offset') ?? 0,
      signal: io.signal,
    })
    const columns = [right('revision'), 'version', 'when (UTC)', 'author', 'changes', 'message']
    const rows = versions.map((entry) => [
      String(entry.revision),
      entry.version,
      showTime(entry.createdAt),
      formatAuthor(entry),
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

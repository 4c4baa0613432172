import type { PushReport } from '@ratecard/client'
import type { Command, CommandContext, CommandResult } from '../../../program/command.ts'
import { kindWord, stepWords } from '../../../../base/wording/change-words.ts'
import { connect } from '../../../server-address.ts'
import { jsonPagination, jsonPush, jsonPushReport } from '../../../views/text/json.ts'
import { printTable, rightColumn, showTime, formatTable } from '../../../views/text/table.ts'
import { formatAuthor } from '../../../views/plan/who.ts'
import { watchPush } from '../../plan-and-apply.ts'

export const billingPushes: Command = {
  name: 'billing pushes',
  summary: 'List pushes, or show the steps of one',
  arguments: [{ name: '[id]', description: 'Id of a push.' }],
  options: [
    { flags: '--limit <n>', description: 'Number of items to show, newest first.', range: [1, 100], defaultText: '10' },
    { flags: '--follow', description: 'With an id: show the progress of the push until it ends.' },
  ],
  examples: [
    { command: 'ratecard billing pushes', what: 'recent pushes, including failed ones' },
    { command: 'ratecard billing pushes <id> --follow', what: 'follow a running push until it ends' },
    { command: 'ratecard billing pushes <id>', what: 'all steps of a push, with the processor’s own errors' },
  ],
  run: async (context) => (context.args[0] === undefined ? list(context) : show(context, context.args[0])),
}

async function list(context: CommandContext): Promise<CommandResult> {
  const { options, io, out } = context
  const { pushes, pagination } = await connect(context).client.admin.pushes({
    limit: options.whole('limit') ?? 10,
    signal: io.signal,
  })
  const columns = ['id', 'kind', 'state', 'version', rightColumn('steps'), 'when (UTC)', 'author']
  const rows = pushes.map((push) => [
    push.id,
    push.kind,
    paintState(push.state, context),
    push.version,
    `${push.stepsDone}/${push.stepsTotal}`,
    showTime(push.createdAt),
    formatAuthor(push),
  ])
  printTable(out, columns, rows, 'Nothing has been pushed yet.')
  return { json: { pushes: pushes.map(jsonPush), pagination: jsonPagination(pagination) } }
}

async function show(context: CommandContext, id: string): Promise<CommandResult> {
  const { io, out, options } = context
  const { client } = connect(context)
  const push = options.flag('follow')
    ? await watchPush(context, client, id)
    : await client.admin.findPush(id, { signal: io.signal })
  out.say(
    `Push ${push.id} (${push.kind} of version ${push.version}): ${paintState(push.state, context)}, ${push.stepsDone} of ${push.stepsTotal} steps\n`,
  )
  const rows = push.steps.map((step) => [
    String(step.index + 1),
    paintState(step.state, context),
    stepWords[step.op].todo,
    kindWord(step.kind),
    step.configId,
    step.processorId ?? '',
    step.requestId ?? '',
    errorText(step.error),
  ])
  const titles = ['step', 'state', 'op', 'kind', 'id', 'processor id', 'request', 'error']
  if (rows.length > 0) out.print(formatTable(titles, rows, out))
  const problem = errorText(push.error)
  if (problem !== '') out.say(`\n${out.paint.red('Error:')} ${problem}`)
  if (push.state === 'interrupted') out.say(`\nTo finish it: \`ratecard billing resume ${push.id}\`.`)
  return { json: jsonPushReport(push) }
}

function errorText(error: PushReport['error']): string {
  const text = error?.['detail'] ?? error?.['message']
  return typeof text === 'string' ? text : ''
}

function paintState(state: string, { out }: CommandContext): string {
  if (state === 'applied' || state === 'succeeded') return out.paint.green(state)
  return state === 'failed' || state === 'interrupted' || state === 'unknown' ? out.paint.red(state) : state
}

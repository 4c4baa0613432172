import { authorOf } from '../../../author.ts'
import type { Command, CommandContext } from '../../../program/command.ts'
import { canAsk, confirmationRequired, declinedFailure, isLive } from '../../../terminal/confirm.ts'
import { connect, type ServerConnection } from '../../../server-address.ts'
import { jsonReset } from '../../../views/text/json.ts'
import { actorOptions, overrideOf, overrideOption, overriding } from '../../plan-and-apply.ts'

const word = 'reset'

export const billingReset: Command = {
  name: 'billing reset',
  summary: 'Archive all products, prices, meters, coupons and promotion codes',
  description:
    'After a reset nothing can be bought until the next push, which reactivates the archived objects where possible. Only objects that Ratecard manages are archived, unless you pass --scope account. Webhook endpoints stay active.',
  options: [
    {
      flags: '--scope <scope>',
      description: '`account` also archives objects that Ratecard does not manage.',
      choices: ['managed', 'account'],
      defaultText: 'managed',
    },
    overrideOption,
    ...actorOptions,
  ],
  examples: [
    { command: 'ratecard billing reset', what: 'asks you to type a word first' },
    { command: 'ratecard billing reset --yes --env dev', what: 'from a script, at a live account too' },
  ],
  run: async (context) => {
    const { options, io, out } = context
    const scope = options.text('scope') === 'account' ? 'account' : 'managed'
    const connection = connect(context)
    await confirmReset(context, connection, scope)
    const message = options.text('message')
    const report = await connection.client.admin.reset({
      scope,
      ...overriding(overrideOf(context)),
      author: await authorOf(context),
      ...(message === undefined ? {} : { message }),
      signal: io.signal,
    })
    const parts = Object.entries(report.archived).map(([kind, ids]) => `${ids.length} ${kind.replace('_', ' ')}`)
    out.say(`${out.paint.green('✓')} Archived ${parts.join(', ')} at ${connection.url}.`)
    for (const error of report.errors)
      out.note(`${out.paint.red('error')} ${error.kind} ${error.configId} is still active: ${error.detail}`)
    out.say('  There is no current configuration now. To sell again, run `ratecard billing push`.')
    return { exit: report.errors.length === 0 ? 0 : 1, json: jsonReset(report) }
  },
}

async function confirmReset(context: CommandContext, { url, client }: ServerConnection, scope: string): Promise<void> {
  const { global, io, out } = context
  if (global.yes) return
  const what =
    scope === 'account'
      ? 'everything in the account, including objects that Ratecard does not manage'
      : 'everything that Ratecard manages'
  if (!canAsk(context)) {
    if (await isLive(client, io.signal))
      throw confirmationRequired({
        title: 'A reset of a live account needs to be confirmed',
        detail: `A reset archives ${what}, at ${url}.`,
        hint: 'If this is intended: `ratecard billing reset --yes`.',
      })
    return
  }
  out.say(`This archives ${what}, at ${url}. Nothing can be bought until the next push.`)
  if ((await io.ask(`Type "${word}" to go on`)) === word) return
  throw declinedFailure()
}

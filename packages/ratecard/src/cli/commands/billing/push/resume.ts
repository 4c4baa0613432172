import { authorOf } from '../../../author.ts'
import type { Command } from '../../../program/command.ts'
import { CliFailure } from '../../../failure.ts'
import { connect } from '../../../server-address.ts'
import { jsonOutcome } from '../../../views/text/json.ts'
import { showOutcome } from './push.ts'
import { actorOptions, followStarted, overrideOf, overrideOption, overriding } from '../../plan-and-apply.ts'

export const billingResume: Command = {
  name: 'billing resume',
  summary: 'Finish an interrupted push',
  description:
    'Finishes exactly the interrupted plan. If its configuration was wrong, push the corrected one instead: the new push first looks up the unfinished steps of the old one, and then makes a new plan.',
  arguments: [{ name: '[push]', description: 'Id of the push. Default: the newest interrupted one.' }],
  options: [overrideOption, ...actorOptions],
  examples: [{ command: 'ratecard billing resume', what: 'the newest interrupted push' }],
  run: async (context) => {
    const { args, options, io, out } = context
    const { client } = connect(context)
    const { admin } = client
    const id =
      args[0] ??
      (await admin.pushes({ limit: 100, signal: io.signal })).pushes.find(({ state }) => state === 'interrupted')?.id
    if (id === undefined)
      throw new CliFailure(1, {
        code: 'push_not_found',
        title: 'No push is interrupted',
        detail: 'None of the last 100 pushes was interrupted, so there is nothing to finish.',
        hint: '`ratecard billing pushes` lists them.',
      })
    const asked = {
      ...overriding(overrideOf(context)),
      author: await authorOf(context),
      message: options.text('message'),
    }
    out.progress(`Finishing push ${id} …`)
    const outcome = await followStarted(context, client, null, (signal) => admin.startResume(id, { ...asked, signal }))
    out.endProgress()
    showOutcome(context, outcome)
    return { json: jsonOutcome(outcome) }
  },
}

import type { Command } from '../../program/command.ts'
import { CliFailure } from '../../failure.ts'
import { connect } from '../../server-address.ts'
import { jsonOutcome } from '../../views/json.ts'
import { showOutcome } from './push.ts'
import { followStarted } from '../plan-and-apply.ts'

export const billingResume: Command = {
  name: 'billing resume',
  summary: 'Finish an interrupted push',
  description:
    'Finishes exactly the plan that was interrupted. If the configuration was wrong, push the corrected one instead: the new push looks up the unfinished steps of the old one and plans again.',
  arguments: [{ name: '[push]', description: 'Id of the push. Default: the newest interrupted one.' }],
  examples: [{ command: 'ratecard billing resume', what: 'the newest interrupted push' }],
  run: async (context) => {
    const { args, io, out } = context
    const { client } = connect(context)
    const { admin } = client
    const id =
      args[0] ??
      (await admin.pushes({ limit: 100, signal: io.signal })).pushes.find(({ state }) => state === 'interrupted')?.id
    if (id === undefined)
      throw new CliFailure(1, {
        code: 'push_not_found',
        title: 'No push is interrupted',
        detail: 'None of the last 100 pushes was interrupted: there is nothing to finish.',
        hint: '`ratecard billing pushes` lists them.',
      })
    out.progress(`Finishing push ${id} …`)
    const outcome = await followStarted(context, client, null, (signal) => admin.startResume(id, { signal }))
    out.endProgress()
    showOutcome(context, outcome)
    return { json: jsonOutcome(outcome) }
  },
}

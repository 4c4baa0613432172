import type { Client, PushReport } from '@ratecard/client'
import type { Command, CommandContext } from '../../../program/command.ts'
import { CliFailure } from '../../../failure.ts'
import { isCut } from '../../../follow/follow-push.ts'
import { connect } from '../../../server-address.ts'
import { jsonPush } from '../../../views/text/json.ts'

export const billingCancel: Command = {
  name: 'billing cancel',
  summary: 'Stop a running push between two steps',
  description:
    'Waits until the current write is done. The push is then interrupted: finish it with `billing resume`, or push again, which makes a new plan from the current state. Until then the earlier version is served.',
  arguments: [{ name: '[push]', description: 'Id of the push. Default: the running one.' }],
  examples: [{ command: 'ratecard billing cancel', what: 'stop the running push' }],
  run: async (context) => {
    const { args, io, out } = context
    const { client } = connect(context)
    const id = args[0] ?? (await client.admin.pushes({ limit: 20, signal: io.signal })).pushes.find(isRunning)?.id
    if (id === undefined)
      throw new CliFailure(1, {
        code: 'push_not_running',
        title: 'No push is running',
        detail: 'There is nothing to stop.',
        hint: 'List all pushes with `ratecard billing pushes`.',
      })
    await client.admin.cancelPush(id, { signal: io.signal })
    out.progress(`Push ${id} stops after the steps that are running now …`)
    const report = await untilEnded(context, client, id)
    out.endProgress()
    const steps = `${report.stepsDone} of ${report.stepsTotal} steps`
    if (report.state !== 'interrupted')
      throw new CliFailure(1, {
        code: 'push_not_running',
        title: 'The push ended before it could be stopped',
        detail: `Push ${id} is ${report.state}, after ${steps}.`,
      })
    out.say(
      `${out.paint.green('✓')} Push ${id} stopped after ${steps}. To finish it: \`ratecard billing resume ${id}\`.`,
    )
    return { json: jsonPush(report) }
  },
}

const isRunning = ({ state }: { readonly state: PushReport['state'] }) => state === 'running' || state === 'planned'

async function untilEnded({ io }: CommandContext, client: Client, id: string): Promise<PushReport> {
  for (;;) {
    try {
      for await (const event of client.admin.pushEvents(id, { signal: io.signal }))
        if (event.type === 'state' && !isRunning(event)) break
    } catch (error) {
      // A proxy may cut off a long response. Then continue, because the push report is read next and contains the current state.
      if (io.signal.aborted || !isCut(error)) throw error
    }
    const report = await client.admin.findPush(id, { signal: io.signal })
    if (!isRunning(report)) return report
  }
}

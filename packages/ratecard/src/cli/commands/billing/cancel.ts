import type { Client, PushReport } from '@ratecard/client'
import type { Command, CommandContext } from '../../program/command.ts'
import { CliFailure } from '../../failure.ts'
import { isCut } from '../../follow/follow-push.ts'
import { connect } from '../../server-address.ts'
import { jsonPush } from '../../views/json.ts'

export const billingCancel: Command = {
  name: 'billing cancel',
  summary: 'Stop a running push between two steps',
  description:
    'Waits for the write that is in flight. The push is then interrupted: `billing resume` finishes it, or a new push plans again from the present state. Until then the earlier version is served.',
  arguments: [{ name: '[push]', description: 'Id of the push. Default: the running one.' }],
  examples: [{ command: 'ratecard billing cancel', what: 'the push that runs now' }],
  run: async (context) => {
    const { args, io, out } = context
    const { client } = connect(context)
    const id = args[0] ?? (await client.admin.pushes({ limit: 20, signal: io.signal })).pushes.find(isRunning)?.id
    if (id === undefined)
      throw new CliFailure(1, {
        code: 'push_not_running',
        title: 'No push is running',
        detail: 'There is nothing to stop.',
        hint: '`ratecard billing pushes` lists what ran.',
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
      // A proxy may close a long response. Then continue: the push report below contains the current state.
      if (io.signal.aborted || !isCut(error)) throw error
    }
    const report = await client.admin.findPush(id, { signal: io.signal })
    if (!isRunning(report)) return report
  }
}

import { authorOf } from '../../../author.ts'
import type { Command } from '../../../program/command.ts'
import { redactRevisions } from '../../../terminal/conceal.ts'
import { usageFailure } from '../../../failure.ts'
import { connect } from '../../../server-address.ts'
import { durationMs } from '../../../spans.ts'
import { showTime } from '../../../views/text/table.ts'
import { jsonWebhookRotation } from '../../../views/text/json.ts'
import { actorOptions } from '../../plan-and-apply.ts'

export const billingWebhookRotate: Command = {
  name: 'billing webhook rotate',
  summary: 'Change the signing secret of a webhook without losing an event',
  description:
    'Creates a new endpoint beside the old one and prints its secret. Until the overlap ends, both endpoints deliver events, each signed with its own secret, so let your receiver accept both secrets. Then the service switches the old endpoint off. Your files do not change.',
  arguments: [{ name: '<id>', description: 'Id of the webhook.' }],
  options: [
    {
      flags: '--overlap <span>',
      description: 'How long both endpoints deliver, e.g. 30m, 24h, 7d; 0s switches the old one off at once.',
      defaultText: '24h',
    },
    ...actorOptions,
  ],
  examples: [
    {
      command: 'ratecard billing webhook rotate lifecycle_hook',
      what: 'prints the new secret, and how long the old one is valid',
    },
    { command: 'ratecard billing webhook rotate lifecycle_hook --overlap 0s', what: 'if the old secret has leaked' },
  ],
  run: async (context) => {
    const { args, options, io, out } = context
    const { client } = connect(context)
    // Load the secrets to redact before the rotation. A failure after the rotation would lose the new secret, because it is shown only
    // once.
    const { revision } = await client.admin.config({ signal: io.signal })
    await redactRevisions(context, client, [revision])
    const rotation = await client.admin.rotateWebhook(args[0] ?? '', {
      overlapSeconds: overlapOf(options.text('overlap')),
      author: await authorOf(context),
      message: options.text('message'),
      signal: io.signal,
    })
    const { processorId, liveUntil } = rotation.previous
    out.note(`New endpoint ${rotation.processorId} at ${rotation.url}. Its secret:`)
    out.print(rotation.secret)
    out.note(
      options.text('overlap') !== undefined && overlapOf(options.text('overlap')) === 0
        ? `The old endpoint ${processorId} is switched off.`
        : `The old endpoint ${processorId} signs with the old secret until ${showTime(liveUntil)} UTC, then it is switched off. Job ${rotation.jobId}.`,
    )
    return { json: jsonWebhookRotation(rotation) }
  },
}

function overlapOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const span = durationMs(text)
  if (span !== null && span <= 30 * 86_400_000) return Math.round(span / 1000)
  throw usageFailure(
    `--overlap: "${text}" is not a valid duration.`,
    'Write a duration of at most 30 days: 0s, 30m, 24h, 7d.',
  )
}

import { escapeBreaks } from '../../terminal/terminal-text.ts'
import { asEdits, driftText } from '../../../base/wording/change-words.ts'
import type { Command } from '../../program/command.ts'
import { redactRevisions } from '../../terminal/conceal.ts'
import { redactEnvironment } from '../../files/read-config.ts'
import { connect } from '../../server-address.ts'
import { howToFinish, describeUnfinished, unfinishedPush } from '../../follow/unfinished-push.ts'
import { count } from '../../views/issues.ts'
import { jsonDrift } from '../../views/text/json.ts'
import { driftMarkdown } from '../../views/markdown.ts'
import { showPlan } from '../../views/plan/plan.ts'
import { redactor, formatOption, withMarkdownOutput, wantsMarkdown } from './format.ts'

export const billingDrift: Command = {
  name: 'billing drift',
  summary: 'Show what was edited at the processor since the last push',
  options: [formatOption, { flags: '--exit-code', description: 'Exit with code 3 if there is drift.' }],
  examples: [
    { command: 'ratecard billing drift --exit-code', what: 'for a scheduled check that fails if there is drift' },
  ],
  run: async (given) => {
    const context = withMarkdownOutput(given)
    const { options, io, out } = context
    const { client } = connect(context)
    const unfinished = await unfinishedPush(client, io.signal)
    const drift = await client.admin.drift({ signal: io.signal })
    redactEnvironment(context)
    if (drift.differences.some(({ kind }) => kind === 'webhook'))
      await redactRevisions(context, client, [drift.revision])
    const among = drift.inSync ? '' : ' The differences include its changes.'
    if (unfinished !== null)
      out.say(
        `${out.paint.yellow('!')} ${escapeBreaks(describeUnfinished(unfinished))}${among} ${escapeBreaks(howToFinish(unfinished))}\n`,
      )
    const of = `revision ${drift.revision} (version ${escapeBreaks(drift.version)})`
    if (wantsMarkdown(context)) {
      const started =
        unfinished === null ? null : `${describeUnfinished(unfinished)}${among} ${howToFinish(unfinished)}`
      out.print(driftMarkdown(drift, started, redactor(context)))
    } else if (drift.inSync) out.say(`${out.paint.green('✓')} ${driftText(drift, of)}`)
    else {
      out.say(`${driftText(drift, of)}\n`)
      out.say('In your document → at the processor:')
      out.print(showPlan(asEdits(drift.differences), out))
      if (unfinished === null)
        out.say(
          '\nTo undo these edits: `ratecard billing push --force`. To keep them: `ratecard billing pull --update`.',
        )
    }
    for (const { kind, configId, notExpressible } of drift.notes)
      out.note(
        `${kind.replace('_', ' ')} ${escapeBreaks(configId)} has ${escapeBreaks(notExpressible.join(', '))} at the processor, which a document cannot express. It stays unchanged.`,
      )
    if (drift.unmanaged.length > 0)
      out.note(
        `Ratecard does not manage ${count(drift.unmanaged.length, 'active object')} of the account, and never changes ${drift.unmanaged.length === 1 ? 'it' : 'them'}.`,
      )
    const json = { ...jsonDrift(drift), ...(unfinished === null ? {} : { unfinished_push: unfinished.id }) }
    return { exit: options.flag('exitCode') && !drift.inSync ? 3 : 0, json }
  },
}

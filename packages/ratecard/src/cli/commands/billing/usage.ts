import type { Command } from '../../program/command.ts'
import { connect } from '../../server-address.ts'
import { escapeBreaks } from '../../terminal/terminal-text.ts'
import { namesTenant, printDroppedUsage } from '../../views/dropped-usage.ts'
import { jsonDroppedUsage } from '../../views/text/json.ts'

export const billingUsage: Command = {
  name: 'billing usage',
  summary: 'Show the usage that the processor accepted and then dropped',
  description:
    'Shows the last 30 days. The processor accepts usage first and checks it later. Dropped usage is not billed, and the sender gets no error. A report contains only a sample of the dropped events, so a tenant may have lost usage even if no report names it.',
  options: [
    { flags: '--meter <id>', description: 'Only reports about this meter.' },
    {
      flags: '--tenant <id>',
      description: 'Only errors whose sample event belongs to this tenant, or to no known tenant.',
    },
  ],
  examples: [{ command: 'ratecard billing usage --meter api_calls', what: 'with cause and example' }],
  run: async (context) => {
    const { options, io, out } = context
    const [meter, tenantId] = [options.text('meter'), options.text('tenant')]
    const dropped = await connect(context).client.usage.dropped({ meter, tenantId, signal: io.signal })
    printDroppedUsage(context, dropped, tenantId)
    const ofMeter = meter === undefined ? '' : ` of the meter "${escapeBreaks(meter)}"`
    if (tenantId !== undefined && !dropped.some((one) => namesTenant(one, tenantId))) {
      out.say(
        `No report${ofMeter} of the last 30 days names the tenant "${escapeBreaks(tenantId)}". The processor’s reports contain only samples of the dropped usage: \`ratecard billing usage\` shows every report.`,
      )
    } else if (dropped.length === 0) out.say(`No usage${ofMeter} was dropped in the last 30 days.`)
    return { json: jsonDroppedUsage({ dropped }) }
  },
}

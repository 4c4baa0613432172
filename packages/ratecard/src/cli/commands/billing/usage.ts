import type { Command } from '../../program/command.ts'
import { connect } from '../../server-address.ts'
import { inline } from '../../terminal/terminal-text.ts'
import { namesTenant, printDroppedUsage } from '../../views/dropped-usage.ts'
import { jsonDroppedUsage } from '../../views/json.ts'

export const billingUsage: Command = {
  name: 'billing usage',
  summary: 'Show the usage that the processor took and then dropped',
  description:
    'Of the last 30 days. The processor checks usage after it has said yes; what it drops is not billed, and nobody is told of it at the time. It gives only samples of the events: that no report names a tenant does not prove that it lost nothing.',
  options: [
    { flags: '--meter <id>', description: 'Only of this meter.' },
    {
      flags: '--tenant <id>',
      description: 'Only reports with an example of this tenant, or with one that may be of any.',
    },
  ],
  examples: [{ command: 'ratecard billing usage --meter api_calls', what: 'with cause and example' }],
  run: async (context) => {
    const { options, io, out } = context
    const [meter, tenantId] = [options.text('meter'), options.text('tenant')]
    const dropped = await connect(context).client.usage.dropped({ meter, tenantId, signal: io.signal })
    printDroppedUsage(context, dropped, tenantId)
    const ofMeter = meter === undefined ? '' : ` of the meter "${inline(meter)}"`
    if (tenantId !== undefined && !dropped.some((one) => namesTenant(one, tenantId))) {
      out.say(
        `No report${ofMeter} of the last 30 days names the tenant "${inline(tenantId)}". The processor gives only samples of what it dropped: \`ratecard billing usage\` shows every report.`,
      )
    } else if (dropped.length === 0) out.say(`No usage${ofMeter} was dropped in the last 30 days.`)
    return { json: jsonDroppedUsage({ dropped }) }
  },
}

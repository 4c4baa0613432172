import type { Command } from '../program/command.ts'
import { connect } from '../server-address.ts'
import { sayDroppedUsage } from '../views/dropped-usage.ts'
import { jsonDroppedUsage } from '../views/json.ts'

export const billingUsage: Command = {
  name: 'billing usage',
  summary: 'Show the usage that the processor took and then dropped',
  description:
    'Of the last 30 days. The processor checks usage after it has said yes; what it drops is not billed, and nobody is told of it at the time.',
  options: [
    { flags: '--meter <id>', description: 'Only of this meter.' },
    { flags: '--tenant <id>', description: 'Only reports with an example of this tenant.' },
  ],
  examples: [{ command: 'ratecard billing usage --meter api_calls', what: 'with cause and example' }],
  run: async (context) => {
    const { options, io, out } = context
    const dropped = await connect(context).client.usage.dropped({
      meter: options.text('meter'),
      tenantId: options.text('tenant'),
      signal: io.signal,
    })
    if (dropped.length === 0) out.say('No usage was dropped in the last 30 days.')
    else sayDroppedUsage(context, dropped)
    return { json: jsonDroppedUsage({ dropped }) }
  },
}

import type { Command } from '../../program/command.ts'
import { connect } from '../../server-address.ts'

export const dashboard: Command = {
  name: 'dashboard',
  summary: 'Create a link that signs in to the dashboard and works once',
  examples: [{ command: 'ratecard dashboard', what: 'open the link within ten minutes and press its button' }],
  run: async (context) => {
    const { io, out } = context
    const { client, url } = connect(context)
    const link = await client.admin.dashboardLink({ signal: io.signal })
    // Without a configured public URL, the service returns a relative link. So resolve it against the server's address.
    const address = new URL(link.url, url).href
    out.print(address)
    out.say(
      'Open the link and press the button. The link works once, for ten minutes, and has the rights of your service key.',
    )
    return { exit: 0, json: { url: address, expires_at: link.expiresAt } }
  },
}

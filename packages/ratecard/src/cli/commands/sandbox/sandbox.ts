import path from 'node:path'
import type { Command } from '../../program/command.ts'
import { serveUntilStopped } from '../server/serving.ts'

export const sandbox: Command = {
  name: 'sandbox',
  summary: 'Run the sandbox processor alone, for tests',
  description:
    'A payment processor on this machine that implements Stripe’s HTTP API. Use it with any Stripe SDK; each sk_test_… key is a separate account.',
  options: [
    { flags: '--port <n>', description: 'Port to listen on.', range: [0, 65_535], defaultText: '4243' },
    {
      flags: '--data-dir <dir>',
      description: 'Folder for the sandbox’s state. Default: the state is kept in memory only.',
    },
    { flags: '--deliver-anywhere', description: 'Deliver webhooks to other machines too, not only to this one.' },
  ],
  examples: [
    { command: 'ratecard sandbox', what: 'on http://127.0.0.1:4243, with state in memory' },
    { command: 'ratecard sandbox --port 0 --data-dir .sandbox', what: 'on a free port, with state on disk' },
  ],
  run: async ({ options, io, out, global }) => {
    const { startSandboxProcess } = await import('../../../server/composition/main.ts')
    const dataDir = options.text('dataDir')
    await serveUntilStopped(io, async () => {
      const running = await startSandboxProcess({
        port: options.whole('port') ?? 4243,
        dataDir: dataDir === undefined ? null : path.resolve(io.cwd, dataDir),
        deliverAnywhere: options.flag('deliverAnywhere'),
        out: (line) => out.say(line),
      })
      if (global.json) io.stdout.write(`${JSON.stringify({ url: running.url })}\n`)
      return running
    })
    return {}
  },
}

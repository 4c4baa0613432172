import path from 'node:path'
import type { Command } from '../../program/command.ts'
import { sanitize } from '../../terminal/terminal-text.ts'
import { serveUntilStopped } from './serving.ts'

export const serverStart: Command = {
  name: 'server start',
  summary: 'Start the service in the foreground',
  description:
    'Without STRIPE_SECRET_KEY it also starts a sandbox processor, so that everything works without a Stripe account. Settings are read from the environment. On SIGTERM or Ctrl-C it finishes the running requests and ends.',
  options: [
    {
      flags: '--port <n>',
      description: 'Port of the API.',
      range: [0, 65_535],
      defaultText: 'RATECARD_PORT, else 4242',
    },
    { flags: '--data-dir <dir>', description: 'Store, sandbox state and generated keys.', defaultText: './.ratecard' },
    {
      flags: '--accept-older-store',
      description: 'Serve an embedded store that is older than it was, e.g. after an old copy was put in its place.',
    },
  ],
  examples: [
    { command: 'ratecard server start', what: 'on http://127.0.0.1:4242, with the sandbox' },
    { command: 'STRIPE_SECRET_KEY=sk_test_… ratecard server start --port 8080', what: 'with a Stripe account' },
  ],
  run: async ({ options, io, out, global }) => {
    const { startServer } = await import('../../../server/composition/main.ts')
    const { watchEscapes } = await import('../../../server/composition/escaped.ts')
    const port = options.whole('port')
    const dataDir = options.text('dataDir')
    const log = { env: io.env, ...(io.stderr.isTTY ? { logForPeople: sanitize } : {}) }
    const escapes = watchEscapes(log)
    const start = async () => {
      const running = await startServer({
        ...log,
        out: (line) => out.say(line),
        acceptOlderStore: options.flag('acceptOlderStore'),
        showKey: io.stdout.isLog !== true,
        ...(port === undefined ? {} : { port }),
        ...(dataDir === undefined ? {} : { dataDir: path.resolve(io.cwd, dataDir) }),
      })
      escapes.closeWith(() => running.closeAtOnce())
      if (global.json) io.stdout.write(`${JSON.stringify({ url: running.url })}\n`)
      return running
    }
    await serveUntilStopped(io, start).finally(() => escapes.stop())
    return {}
  },
}

import type { OptionSpec } from './command.ts'

export const globalOptions: readonly OptionSpec[] = [
  {
    flags: '--env <name>',
    description: 'Environment. Its file ratecard/environments/.env.<name> contains variables, address and key.',
    environment: true,
    defaultText: 'dev, with the server on this machine',
  },
  { flags: '--json', description: 'Print exactly one JSON document on stdout.' },
  { flags: '-y, --yes', description: 'Do not ask for confirmation.' },
  { flags: '--quiet', description: 'Print results and errors only.' },
  { flags: '--debug', description: 'Show each request with its status and time on stderr; never a secret.' },
  { flags: '--no-color', description: 'No colours (NO_COLOR does the same).' },
  {
    flags: '--api-url <url>',
    description: 'Address of the server.',
    defaultText: 'RATECARD_API_URL, else http://127.0.0.1 at RATECARD_PORT, else 4242',
  },
  {
    flags: '--service-key <key>',
    description: 'Service key.',
    defaultText: 'RATECARD_SERVICE_KEY, else the key of the server on this machine',
  },
]

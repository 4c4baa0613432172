import type { Command, CommandContext } from '../../program/command.ts'
import { CliFailure, usageFailure } from '../../failure.ts'

export const sandboxVerify: Command = {
  name: 'sandbox verify',
  summary: 'Check the sandbox against the real processor, with a test key',
  description:
    'Runs the same scenarios in your test account and in a new sandbox, and shows where the results differ. The scenarios check assumptions of Ratecard and the sandbox about Stripe. All objects that they create are removed. Live keys are refused. Other users of the machine can see a key on the command line, so set STRIPE_SECRET_KEY, or pass `--key -` to read the key from stdin.',
  options: [
    {
      flags: '--key <key>',
      description: 'Test key of the account, `-` to read it from stdin.',
      defaultText: 'STRIPE_SECRET_KEY, else asked for',
    },
    {
      flags: '--api-base <url>',
      description: 'URL of another server that implements Stripe’s API.',
      defaultText: 'STRIPE_API_BASE, else Stripe',
    },
    { flags: '--only <id...>', description: 'Run only these scenarios.' },
  ],
  examples: [
    { command: 'ratecard sandbox verify --key -', what: 'ask for the test key' },
    {
      command: 'ratecard sandbox verify --only prorations refusals --json',
      what: 'two scenarios, with the key of STRIPE_SECRET_KEY',
    },
  ],
  run: async (context) => {
    const { options, io, out } = context
    const { paint } = out
    const secretKey = await keyOf(context)
    io.redact?.('STRIPE_SECRET_KEY', secretKey)
    const { verifySandbox } = await import('../../../server/composition/main.ts')
    const verdicts = await verifySandbox({
      secretKey,
      apiBase: options.text('apiBase') ?? io.env['STRIPE_API_BASE'] ?? null,
      only: options.list('only'),
      signal: io.signal,
      onVerdict: ({ id, belief, differences, error, leftBehind }) => {
        const mark = error !== null ? paint.yellow('?') : differences.length > 0 ? paint.red('✗') : paint.green('✓')
        out.say(`${mark} ${id}  ${paint.dim(belief)}`)
        if (error !== null) out.say(`    could not be decided: ${error}`)
        for (const { at, sandbox, processor } of differences)
          out.say(
            `    ${at}\n      sandbox    ${JSON.stringify(sandbox)}\n      processor  ${JSON.stringify(processor)}`,
          )
        for (const what of leftBehind) out.say(`    left behind: ${what}`)
      },
    })
    const different = verdicts.filter(({ differences }) => differences.length > 0).length
    const undecided = verdicts.filter(({ error }) => error !== null).length
    out.say(
      `${String(verdicts.length)} scenarios: ${String(different)} differ, ${String(undecided)} could not be decided.`,
    )
    return {
      exit: undecided > 0 ? 1 : different > 0 ? 3 : 0,
      json: {
        scenarios: verdicts.map(({ leftBehind, ...verdict }) => ({
          ...verdict,
          same: verdict.error === null && verdict.differences.length === 0,
          left_behind: leftBehind,
        })),
      },
    }
  },
}

async function keyOf({ options, io }: CommandContext): Promise<string> {
  const given = options.text('key') ?? io.env['STRIPE_SECRET_KEY'] ?? (io.interactive ? '-' : undefined)
  if (given === undefined)
    throw usageFailure(
      'Which account?',
      'Set STRIPE_SECRET_KEY to a test key, or give `--key -` and write it to stdin.',
    )
  const key = given === '-' ? ((await io.ask('Test key')) ?? '').trim() : given
  if (/^(sk|rk)_live_/.test(key))
    throw new CliFailure(1, {
      code: 'live_key_refused',
      title: 'Live keys are refused',
      detail: 'The key is a live key. The check creates and deletes objects, so it accepts only test keys.',
      hint: 'Use a key that begins with sk_test_ or rk_test_.',
    })
  if (!/^(sk|rk)_test_\w+$/.test(key))
    throw usageFailure('The key is not a test key of Stripe.', 'Test keys begin with sk_test_ or rk_test_.')
  return key
}

import type { Command } from '../command.ts'
import { completionScript, shells } from '../completion.ts'
import { usageFailure } from '../failure.ts'

export const completion: Command = {
  name: 'completion',
  summary: 'Print a script that completes commands in your shell',
  description:
    'bash: add `source <(ratecard completion bash)` to ~/.bashrc. zsh: `source <(ratecard completion zsh)` to ~/.zshrc. fish: `ratecard completion fish > ~/.config/fish/completions/ratecard.fish`.',
  arguments: [{ name: '<shell>', description: 'bash, zsh or fish.' }],
  options: [],
  examples: [{ command: 'source <(ratecard completion bash)', what: 'in this shell, now' }],
  run: async ({ args, io, global }) => {
    const shell = shells.find((name) => name === args[0])
    if (shell === undefined)
      throw usageFailure(`"${args[0] ?? ''}" is no shell that is known here.`, `Write one of ${shells.join(', ')}.`)
    // The table of commands holds this one too.
    const [{ commands, groups }, { globalOptions }] = await Promise.all([
      import('../commands.ts'),
      import('../program.ts'),
    ])
    const script = completionScript(shell, commands, groups, globalOptions)
    if (!global.json) io.stdout.write(script)
    return { json: { shell, script } }
  },
}

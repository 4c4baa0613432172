import type { Command } from '../program/command.ts'
import { completionScript, shells } from '../program/completion.ts'
import { usageFailure } from '../failure.ts'
import { globalOptions } from '../program/global-options.ts'

interface CommandTree {
  readonly commands: readonly Command[]
  readonly groups: Readonly<Record<string, string>>
}

/**
 * Builds the command `completion`. `words` returns the tree of all commands. It is a callback, called only when the command runs, because
 * the table of commands contains this command too.
 */
export const completionOf = (words: () => CommandTree): Command => ({
  name: 'completion',
  summary: 'Print a script that completes commands in your shell',
  description:
    'bash: add `source <(ratecard completion bash)` to ~/.bashrc. zsh: `source <(ratecard completion zsh)` to ~/.zshrc. fish: `ratecard completion fish > ~/.config/fish/completions/ratecard.fish`.',
  arguments: [{ name: '<shell>', description: 'bash, zsh or fish.' }],
  examples: [{ command: 'source <(ratecard completion bash)', what: 'for the current shell session' }],
  run: ({ args, io, global }) => {
    const shell = shells.find((name) => name === args[0])
    if (shell === undefined)
      throw usageFailure(`"${args[0] ?? ''}" is not a supported shell.`, `Write one of ${shells.join(', ')}.`)
    const { commands, groups } = words()
    const script = completionScript(shell, commands, groups, globalOptions)
    if (!global.json) io.stdout.write(script)
    return Promise.resolve({ json: { shell, script } })
  },
})

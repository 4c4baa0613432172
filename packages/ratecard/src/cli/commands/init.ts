import path from 'node:path'
import { initProject, templates } from '../../workers/project/init.ts'
import type { Command } from '../command.ts'

export const init: Command = {
  name: 'init',
  summary: 'Make a project: configuration, workers, environments',
  description: 'Never overwrites: files that exist are kept, and said to be.',
  arguments: [{ name: '[dir]', description: 'Folder of the project; the working directory when it is left out.' }],
  options: [
    {
      flags: '--template <name>',
      description: 'What it starts with: subscriptions, usage, enterprise prices, or workers without billing.',
      choices: templates,
      defaultText: 'saas',
    },
  ],
  examples: [
    { command: 'ratecard init my-shop', what: 'subscriptions, in a new folder' },
    { command: 'ratecard init --template usage', what: 'metered prices, here' },
  ],
  run: async ({ args, options, io, out }) => {
    const folder = path.resolve(io.cwd, args[0] ?? '.')
    const template = templates.find((name) => name === options.text('template')) ?? 'saas'
    const made = initProject(folder, template)
    const { paint } = out
    const shown = path.relative(io.cwd, folder)
    out.say(`Project in ${shown === '' ? 'this folder' : shown} (template ${template})\n`)
    for (const file of made.created) out.say(`  ${paint.green('created')}  ${file}`)
    for (const file of made.extended) out.say(`  ${paint.yellow('extended')} ${file}`)
    for (const file of made.kept) out.say(`  ${paint.dim('kept')}     ${file}`)
    const enter = shown === '' ? [] : [`cd ${shown}`]
    const billing = ['ratecard billing validate', 'ratecard billing push']
    const next = [
      'ratecard server start         # in another terminal',
      ...(template === 'worker-only' ? [] : billing),
      'ratecard cloud workers dev    # the worker on this machine, with reload',
      'ratecard cloud workers deploy',
    ]
    out.say(`\nNext:\n${[...enter, ...next].map((command) => `  ${command}`).join('\n')}`)
    return { json: { project: folder, template, ...made } }
  },
}

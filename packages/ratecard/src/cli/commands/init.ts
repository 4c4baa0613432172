import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { publishedSchema } from '../../document/schema/json-schema.ts'
import { publishedPolicySchema } from '../../document/schema/policies/policy-schema.ts'
import { parseSource } from '../../document/files/source.ts'
import { initProject, templates } from '../../workers/project/init.ts'
import type { Command } from '../program/command.ts'
import { configurationFiles } from '../files/read-config.ts'
import { readText } from '../files/read-text.ts'

/** Paths of the JSON Schemas for editors; `$schema` in the files refers to them. */
const schemaFile = 'ratecard/billing.schema.json'
const policySchemaFile = 'ratecard/policies.schema.json'

export const init: Command = {
  name: 'init',
  summary: 'Create a project: configuration, workers, environments',
  description:
    'Never overwrites your files: existing files are kept and listed. If there is already a configuration, no starter products are added. Only ratecard/billing.schema.json and ratecard/policies.schema.json are replaced, which editors use for completion.',
  arguments: [{ name: '[dir]', description: 'Folder of the project. Default: the working directory.' }],
  options: [
    {
      flags: '--template <name>',
      description: 'Content of the new project: subscriptions, usage, enterprise prices, or workers without billing.',
      choices: templates,
      defaultText: 'saas',
    },
  ],
  examples: [
    { command: 'ratecard init my-shop', what: 'subscriptions, in a new folder' },
    { command: 'ratecard init --template usage', what: 'metered prices, in the current folder' },
  ],
  run: async ({ args, options, io, out }) => {
    const folder = path.resolve(io.cwd, args[0] ?? '.')
    const template = templates.find((name) => name === options.text('template')) ?? 'saas'
    const present = configurationIn(folder)
    const made = initProject(folder, {
      template,
      starterBilling: present.length === 0,
      generated: new Map([
        [schemaFile, `${JSON.stringify(publishedSchema(), null, 2)}\n`],
        [policySchemaFile, `${JSON.stringify(publishedPolicySchema(), null, 2)}\n`],
      ]),
    })
    const { paint } = out
    const shown = path.relative(io.cwd, folder)
    out.say(`Project in ${shown === '' ? 'this folder' : shown} (template ${template})\n`)
    for (const file of made.created) out.say(`  ${paint.green('created')}  ${file}`)
    for (const file of made.extended) out.say(`  ${paint.yellow('extended')} ${file}`)
    for (const file of made.kept) out.say(`  ${paint.dim('kept')}     ${file}`)
    if (present.length > 0)
      out.say(
        `\n  No starter products: the configuration is in ${present.slice(0, 3).join(', ')}${present.length > 3 ? ' …' : ''}.`,
      )
    const enter = shown === '' ? [] : [`cd ${shown}`]
    const billing = [
      'ratecard billing validate',
      ...(present.length === 0 ? [] : ['ratecard billing push --dry-run  # the plan, without a write']),
      'ratecard billing push',
    ]
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

/** Returns the configuration files of a folder: all files in its `ratecard/billing`, and configuration files directly in the folder. */
function configurationIn(folder: string): string[] {
  const billing = path.join(folder, 'ratecard', 'billing')
  const inProject = existsSync(billing) ? configurationFiles(billing) : []
  const beside = existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(jsonc?|ya?ml)$/i.test(entry.name))
        .map((entry) => path.join(folder, entry.name))
        .filter(isConfiguration)
    : []
  return [...inProject, ...beside].map((file) => path.relative(folder, file).replaceAll('\\', '/'))
}

function isConfiguration(file: string): boolean {
  const { document } = parseSource({ path: file, text: readText(file) })
  if (typeof document !== 'object' || document === null) return false
  return 'version' in document && 'products' in document && Array.isArray(document.products)
}

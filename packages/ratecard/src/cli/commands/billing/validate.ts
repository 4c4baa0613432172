import type { Command } from '../../program/command.ts'
import { readConfig } from '../../files/read-config.ts'
import { readPoliciesFile } from '../../files/policies-file.ts'
import { count, showIssues } from '../../views/issues.ts'
import { jsonIssue } from '../../views/json-problem.ts'
import { fileOption, filesArgument } from '../plan-and-apply.ts'

export const billingValidate: Command = {
  name: 'billing validate',
  summary: 'Check the configuration without pushing it',
  description:
    'Reads all files, expands ${VARIABLES}, and checks the document against the schema and all rules. Without arguments it also checks ratecard/policies.json. Works without a server. All problems are shown at once, with file, line and column.',
  arguments: [filesArgument],
  options: [fileOption],
  examples: [
    { command: 'ratecard billing validate', what: 'the files in ratecard/billing' },
    { command: 'ratecard billing validate --env production', what: 'with the variables of production' },
    { command: 'ratecard billing validate draft.yaml --json', what: 'one file, for a script' },
  ],
  run: async (context) => {
    const { out } = context
    const read = readConfig(context)
    const named = context.args.length > 0 || context.options.list('file').length > 0
    const policies = named ? null : readPoliciesFile(context.io)
    const errors = [...read.errors, ...(policies?.errors ?? [])]
    const files = [...read.files, ...(policies === null ? [] : [policies.path])]
    const valid = errors.length === 0
    const issues = [...errors, ...read.warnings]
    if (issues.length > 0) out.note(`${showIssues(issues, out.paint)}\n`)
    if (read.config === null || !valid) {
      const warnings = read.warnings.length === 0 ? '' : ` and ${count(read.warnings.length, 'warning')}`
      // `print` is used instead of `say`, because this line is the result of the command and appears with `--quiet` too.
      out.print(`${out.paint.red('✗')} ${count(errors.length, 'error')}${warnings} in ${files.join(', ')}.`)
    } else {
      const prices = read.config.products.flatMap((product) => product.prices ?? []).length
      const holds = `${count(read.config.products.length, 'product')}, ${count(prices, 'price')}, ${count(read.config.meters?.length ?? 0, 'meter')}, ${count(read.config.webhooks?.length ?? 0, 'webhook')}`
      const warned = read.warnings.length === 0 ? '' : ` (${count(read.warnings.length, 'warning')})`
      out.say(`${out.paint.green('✓')} ${files.join(', ')} ${files.length === 1 ? 'is' : 'are'} valid${warned}.`)
      out.say(`  Version ${read.config.version}: ${holds}.`)
    }
    return {
      exit: valid ? 0 : 1,
      json: { valid, errors: errors.map(jsonIssue), warnings: read.warnings.map(jsonIssue), files },
    }
  },
}

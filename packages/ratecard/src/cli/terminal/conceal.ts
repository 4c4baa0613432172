// Secrets in the URL of a webhook are shown by their names: values that this command expanded, those of the chosen environment,
// and those of a revision that was pushed elsewhere, found by holding its document against how it was written.
import type { Client, PushOutcome } from '@ratecard/client'
import { isSecretName } from '../../config/rules/variable-rules.ts'
import { variableTexts } from '../../config/files/written-form.ts'
import { pathOf } from '../../errors/issue.ts'
import type { CommandContext } from '../program/command.ts'
import type { CliIo } from './io.ts'

export function concealVariables(io: CliIo, values: ReadonlyMap<string, string>): void {
  for (const [name, value] of values) if (isSecretName(name)) io.conceal?.(name, value)
}

/** For a command that shows documents of the history; null stands for no revision. */
export async function concealRevisions(
  { io }: Pick<CommandContext, 'io'>,
  client: Client,
  revisions: readonly (number | null)[],
): Promise<void> {
  for (const revision of new Set(revisions)) {
    if (revision === null) continue
    const { document, written } = await client.admin.revision(revision, { signal: io.signal })
    if (document !== null && typeof written === 'object' && written !== null)
      concealVariables(io, secretsOf(written, document))
  }
}

/** For a plan, which shows what is in place beside what would be. */
export async function concealPlan(
  context: Pick<CommandContext, 'io'>,
  client: Client,
  plan: PushOutcome,
): Promise<void> {
  if (plan.details.some(({ kind, action }) => kind === 'webhook' && action !== 'keep'))
    await concealRevisions(context, client, [plan.revision])
}

/** The values that a document holds where its written form names a secret. */
export function secretsOf(written: object, document: unknown): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const { pointer, text } of variableTexts(written)) {
    const value = valueAt(document, pathOf(pointer))
    if (typeof value !== 'string') continue
    const names: string[] = []
    const pattern = text
      .split(/(\$\$\{|\$\{[^}]*\})/)
      .map((part) => {
        if (part === '$${') return literal('${')
        if (!part.startsWith('${')) return literal(part)
        names.push(part.slice(2, -1))
        return '(.*?)'
      })
      .join('')
    const values = new RegExp(`^${pattern}$`, 's').exec(value)?.slice(1) ?? []
    names.forEach((name, index) => found.set(name, values[index] ?? ''))
  }
  return found
}

function valueAt(document: unknown, path: readonly string[]): unknown {
  let value = document
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')

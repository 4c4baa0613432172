// Formats a plan as Markdown for a pull request: a table of changes, the impact, warnings, and the fingerprint.
import type { Detail, DocumentDifference, DriftReport, PriceImpact, PushOutcome } from '@ratecard/client'
import { impactSentence } from './impact.ts'
import { count, type ViewedIssue } from './issues.ts'
import { codeText, proseText } from './markdown-text.ts'
import { asDetails, changedFields, kindName, planSummary, valueText } from './plan.ts'
import { variablesText, type VariableOrigin } from './variables.ts'

/** Maximum length (characters) of the Markdown. Code hosts limit comments to about 65,000, and the surrounding text needs space too. */
export const markdownLimit = 60_000

type Action = Detail['action']

/** Destructive actions come first, so that they are never the rows that are left out for length. */
const actions: readonly (readonly [Action, string])[] = [
  ['replace', '🔁 replace'],
  ['archive', '🗑️ archive'],
  ['rename', '✏️ rename'],
  ['update', '✏️ update'],
  ['adopt', '🔗 adopt'],
  ['reactivate', '♻️ bring back'],
  ['create', '➕ create'],
]

export interface MarkdownPlan {
  readonly title: string
  /** Lines between the title and the table. */
  readonly lead: readonly string[]
  readonly details: readonly Detail[]
  /** Headings of the two value columns. */
  readonly columns: readonly [before: string, after: string]
  readonly impact?: readonly PriceImpact[]
  readonly warnings?: readonly Pick<ViewedIssue, 'code' | 'detail'>[]
  /** Lines at the end. */
  readonly foot: readonly string[]
}

/** Redacts secrets in a value. Call it before truncating or escaping, because a changed secret is not found. */
export type Redact = (text: string) => string

export function showMarkdown(plan: MarkdownPlan, conceal: Redact): string {
  const changes = [...plan.details]
    .filter(({ action }) => action !== 'keep')
    .sort((a, b) => placeOf(a.action) - placeOf(b.action))
  const impact = (plan.impact ?? []).filter(({ subscriptions }) => subscriptions > 0)
  const warnings = plan.warnings ?? []
  const head = [`### ${plan.title}`, ...plan.lead].join('\n\n')
  const foot = plan.foot.join('\n\n')
  const room = markdownLimit - head.length - foot.length - 2000
  const table = fitting(
    changes.map((change) => rowsOf(change, conceal)),
    Math.floor(room * 0.6),
  )
  const touched = fitting(
    impact.map((price) => `- ${codeText(price.priceId)}: ${impactSentence(price)}`),
    Math.floor(room * 0.2),
  )
  const doubts = fitting(
    warnings.map(({ code, detail }) => `- ${proseText(conceal(detail))} (${codeText(code)})`),
    Math.floor(room * 0.2),
  )
  const [before, after] = plan.columns
  const parts = [
    head,
    ...(table.shown.length === 0
      ? []
      : [[`|  | Kind | Id | ${before} | ${after} |`, '| --- | --- | --- | --- | --- |', ...table.shown].join('\n')]),
    ...leftOut(table.left, 'change', changes),
    ...(touched.shown.length === 0 ? [] : [`#### Affected subscribers\n\n${touched.shown.join('\n')}`]),
    ...leftOut(touched.left, 'price with subscribers', []),
    ...(doubts.shown.length === 0 ? [] : [`#### Warnings\n\n${doubts.shown.join('\n')}`]),
    ...leftOut(doubts.left, 'warning', []),
    foot,
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

/** Returns as many of the first lines as fit, and the number of lines left. */
function fitting(lines: readonly string[], room: number): { readonly shown: readonly string[]; readonly left: number } {
  let used = 0
  const end = lines.findIndex((line) => (used += line.length + 1) > room)
  return end < 0 ? { shown: lines, left: 0 } : { shown: lines.slice(0, end), left: lines.length - end }
}

function leftOut(left: number, what: string, changes: readonly Detail[]): string[] {
  if (left === 0) return []
  const kinds = changes.length === 0 ? '' : ` (${planSummary(changes.slice(-left), 0).replace(/^Plan: |\. .*$/g, '')})`
  const many = what === 'price with subscribers' ? 'prices with subscribers' : `${what}s`
  return [
    `**${count(left, `more ${what}`, `more ${many}`)} left out here${kinds}.** The command line without \`--format markdown\` shows all.`,
  ]
}

const placeOf = (action: Action) => actions.findIndex(([name]) => name === action)

/** Returns the table rows of a change: one for the change, and one for each field that its display line does not show. */
function rowsOf(change: Detail, conceal: Redact): string {
  const value = (text: string | null) => (text === null ? '' : codeText(conceal(text)))
  const { before, after } = change.display
  const [was, is] =
    change.action === 'archive' ? [before, null] : change.action === 'create' ? [null, after] : [before, after]
  const same = was !== null && was === is
  const head = row([
    actions.find(([name]) => name === change.action)?.[1] ?? change.action,
    kindName(change.kind),
    value(change.configId),
    same ? '' : value(was),
    value(is),
  ])
  const fields = changedFields(change).map(({ field, before: old, after: next, origin }) =>
    row([
      '',
      origin === 'edit' ? '' : 'edited at the processor',
      `↳ ${value(field)}`,
      value(fieldText(old, conceal)),
      value(fieldText(next, conceal)),
    ]),
  )
  return [head, ...fields].join('\n')
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

/** Returns the text of a value, redacted. A text gets no quotes, because a code span delimits it. */
function fieldText(value: unknown, conceal: Redact): string | null {
  if (value === undefined || value === null) return null
  return typeof value === 'string' ? value : conceal(valueText(value))
}

/** Returns the Markdown of `push --dry-run` and `diff`. */
export function outcomeMarkdown(
  plan: PushOutcome,
  where: string,
  more: {
    readonly warnings: readonly Pick<ViewedIssue, 'code' | 'detail'>[]
    readonly variables: readonly VariableOrigin[]
  },
  conceal: Redact,
): string {
  const seen = new Set(more.warnings.map(({ detail }) => detail))
  return showMarkdown(
    {
      title: `Prices: plan for version ${codeText(plan.version)}`,
      lead: [`${planSummary(plan.details, plan.writes)} At ${codeText(where)}.`],
      details: plan.details,
      columns: ['Before', 'After'],
      impact: plan.impact,
      warnings: [...more.warnings, ...plan.warnings.filter(({ detail }) => !seen.has(detail))],
      foot: [
        ...(more.variables.length === 0 ? [] : [`Variables used: ${variablesText(more.variables, codeText)}.`]),
        `Fingerprint of this plan: ${codeText(plan.plan)}`,
      ],
    },
    conceal,
  )
}

export function differencesMarkdown(
  differences: readonly DocumentDifference[],
  { from, to }: { readonly from: number; readonly to: number },
  conceal: Redact,
): string {
  const details = asDetails(differences)
  return showMarkdown(
    {
      title: `Prices: from revision ${from} to ${to}`,
      lead: [details.length === 0 ? 'No differences.' : `${count(details.length, 'difference')}.`],
      details,
      columns: [`Revision ${from}`, `Revision ${to}`],
      foot: [],
    },
    conceal,
  )
}

export function driftMarkdown(drift: DriftReport, unfinished: string | null, conceal: Redact): string {
  const of = `revision ${drift.revision} (version ${codeText(drift.version)})`
  const ways = 'To undo these edits: `ratecard billing push --force`. To keep them: `ratecard billing pull --update`.'
  return showMarkdown(
    {
      title: drift.inSync ? 'Prices: no drift' : 'Prices: edited at the processor',
      lead: [
        drift.inSync
          ? `The processor is as ${of} left it.`
          : `The processor differs from ${of} in ${count(drift.differences.length, 'resource')}.`,
        ...(unfinished === null ? [] : [`**${proseText(unfinished)}**`]),
      ],
      details: drift.differences,
      columns: ['As pushed', 'At the processor'],
      foot: drift.inSync || unfinished !== null ? [] : [ways],
    },
    conceal,
  )
}

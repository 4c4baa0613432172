// Formats a plan as Markdown for a pull request: effects on customers and money, broken policies, warnings, the table of changes, and the
// fingerprint.
import type {
  AffectedSubscriber,
  Detail,
  DocumentDifference,
  DriftReport,
  PriceImpact,
  PushOutcome,
  Violation,
} from '@ratecard/client'
import { formatMinor } from '../../base/money/format.ts'
import {
  asEdits,
  changeWord,
  countedChanges,
  driftText,
  editedWords,
  kindWord,
  type Tense,
} from '../../base/wording/change-words.ts'
import { impactSentence, whoRow } from './plan/impact.ts'
import { count, type ViewedIssue } from './issues.ts'
import { codeText, proseText } from './text/markdown-text.ts'
import { asDetails, changedFields, planSummary, shortenBoth, valueText, type Change } from './plan/plan.ts'
import { brokenPolicies, deniedIds, verdictText, type BrokenPolicy } from './plan/violations.ts'
import { variablesText, type VariableOrigin } from './variables.ts'

/** Maximum length (characters) of the Markdown. Code hosts limit comments to about 65,000, and the surrounding text needs space too. */
export const markdownLimit = 60_000

type Action = Detail['action']

/** Symbols by action. Destructive actions come first, so that they are never the rows that are left out for length. */
const symbols: Readonly<Partial<Record<Action, string>>> = {
  replace: '🔁',
  archive: '🗑️',
  rename: '✏️',
  update: '✏️',
  adopt: '🔗',
  reactivate: '♻️',
  create: '➕',
}
const order = Object.keys(symbols)

/** Maximum number of table rows that a comment shows directly. Further rows are in a folded section. */
const openRows = 40

export interface MarkdownPlan {
  readonly title: string
  /** Lines between the title and what follows. */
  readonly lead: readonly string[]
  readonly details: readonly Change[]
  readonly tense: Tense
  /** Headings of the two value columns. */
  readonly columns: readonly [before: string, after: string]
  readonly impact?: readonly PriceImpact[]
  /** Subscribers with the largest differences. */
  readonly who?: readonly AffectedSubscriber[]
  readonly violations?: readonly Violation[]
  readonly warnings?: readonly Pick<ViewedIssue, 'code' | 'detail' | 'path' | 'line'>[]
  /** Lines at the end. */
  readonly foot: readonly string[]
}

/** Redacts secrets in a value. Call it before the value is truncated or escaped; afterwards a secret may no longer be found. */
export type Redact = (text: string) => string

/** Formats a plan. The effects on customers and money come first, then broken policies, warnings and the changes. */
export function showMarkdown(plan: MarkdownPlan, conceal: Redact): string {
  const changes = [...plan.details]
    .filter(({ action }) => action !== 'keep')
    .sort((a, b) => placeOf(a.action) - placeOf(b.action))
  const impact = (plan.impact ?? []).filter(({ subscriptions }) => subscriptions > 0)
  const head = [`### ${plan.title}`, ...plan.lead].join('\n\n')
  const foot = plan.foot.join('\n\n')
  const room = markdownLimit - head.length - foot.length - 2000
  const touched = linesThatFit([...totalLines(impact), ...impact.map(impactLine)], Math.floor(room * 0.2))
  const people = linesThatFit(
    (plan.who ?? []).map((one) => row(whoRow(one).map((cell) => codeText(conceal(cell))))),
    Math.floor(room * 0.1),
  )
  const rules = linesThatFit(
    brokenPolicies(plan.violations ?? []).map((one) => policyLine(one, conceal)),
    Math.floor(room * 0.1),
  )
  const doubts = linesThatFit(
    (plan.warnings ?? []).map((one) => warningLine(one, conceal)),
    Math.floor(room * 0.2),
  )
  const parts = [
    head,
    ...(touched.shown.length === 0 ? [] : [`#### Money and people\n\n${touched.shown.join('\n')}`]),
    ...leftOut(touched.left, 'price with subscribers', []),
    ...whoParts(people.shown),
    ...leftOut(people.left, 'subscriber', []),
    ...policyParts(plan.violations ?? [], rules),
    ...(doubts.shown.length === 0 ? [] : [`#### Warnings\n\n${doubts.shown.join('\n')}`]),
    ...leftOut(doubts.left, 'warning', []),
    ...changeParts(
      changes,
      { columns: plan.columns, tense: plan.tense, room: room - lengthOf(touched, people, rules, doubts) },
      conceal,
    ),
    foot,
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

/** Returns the folded table of subscribers with the largest differences. */
function whoParts(rows: readonly string[]): readonly string[] {
  if (rows.length === 0) return []
  const table = ['| Who | Price | A month | At the new price |', '| --- | --- | --- | --- |', ...rows].join('\n')
  return [`<details><summary>Who, and how much (${String(rows.length)})</summary>\n\n${table}\n\n</details>`]
}

const impactLine = (price: PriceImpact) => `- ${codeText(price.priceId)}: ${proseText(impactSentence(price))}`

/**
 * Returns the line with the total monthly amount of all prices. Empty if there is only one price, because its own line contains the amount.
 */
function totalLines(impact: readonly PriceImpact[]): readonly string[] {
  if (impact.length < 2) return []
  const sums = new Map<string, number>()
  for (const { monthly } of impact)
    for (const { currency, amount } of monthly) sums.set(currency, (sums.get(currency) ?? 0) + amount)
  const money = [...sums].map(([currency, amount]) => formatMinor(amount, currency))
  const subscriptions = impact.reduce((sum, one) => sum + one.subscriptions, 0)
  const text = `${count(subscriptions, 'subscription item')} on ${count(impact.length, 'price')}`
  return [`- **In all: ${[text, ...(money.length === 0 ? [] : [`${money.join(' + ')} a month`])].join(', ')}**`]
}

function policyParts(violations: readonly Violation[], lines: Fitting): readonly string[] {
  if (lines.shown.length === 0) return []
  const ids = deniedIds(violations)
  const lift =
    ids.length === 0
      ? []
      : [
          `An owner may override ${ids.length === 1 ? 'the rule' : 'the rules'}, with a key of scope \`owner\`: ${codeText(`--override ${ids.join(',')} --message "…"`)}`,
        ]
  return [`#### Policies\n\n${lines.shown.join('\n')}`, ...leftOut(lines.left, 'policy', []), ...lift]
}

function policyLine({ id, rule, severity, details, others, reason }: BrokenPolicy, conceal: Redact): string {
  const label = severity === 'deny' ? '⛔ **denied**' : '⚠️ warned'
  const why = reason === null ? '' : ` Why: ${proseText(conceal(reason))}`
  const head = `- ${label} by ${codeText(id)} (${codeText(rule)}):`
  const [first = ''] = details
  if (details.length + others.length < 2) return `${head} ${proseText(conceal(first))}${why}`
  return [
    `${head}${why}`,
    ...details.map((detail) => `  - ${proseText(conceal(detail))}`),
    ...(others.length === 0
      ? []
      : [`  - and ${String(others.length)} more: ${others.map((one) => codeText(conceal(one))).join(', ')}`]),
  ].join('\n')
}

function warningLine(
  { code, detail, path, line }: Pick<ViewedIssue, 'code' | 'detail' | 'path' | 'line'>,
  conceal: Redact,
): string {
  const place = path === undefined ? '' : `${codeText(`${path}:${String(line ?? 1)}`)} `
  return `- ${place}${proseText(conceal(detail))} (${codeText(code)})`
}

interface TableStyle {
  readonly columns: MarkdownPlan['columns']
  readonly tense: Tense
  /** Most characters of all tables together. */
  readonly room: number
}

/** Returns the first changes as a visible table, and all further changes in a folded section. */
function changeParts(
  changes: readonly Change[],
  { columns, tense, room }: TableStyle,
  conceal: Redact,
): readonly string[] {
  if (changes.length === 0) return []
  const rows = linesThatFit(
    changes.map((change) => rowsOf(change, tense, conceal)),
    room,
  )
  const [before, after] = columns
  const table = (lines: readonly string[]) =>
    [`| Change | Kind | Id | ${before} | ${after} |`, '| --- | --- | --- | --- | --- |', ...lines].join('\n')
  const open = openCount(rows.shown)
  const folded = rows.shown.slice(open)
  return [
    ...(rows.shown.length === 0 ? [] : [table(rows.shown.slice(0, open))]),
    ...(folded.length === 0
      ? []
      : [
          `<details>\n<summary>${count(folded.length, 'more change')}: ${countedChanges(changes.slice(open, rows.shown.length), tense).join(', ')}</summary>\n\n${table(folded)}\n\n</details>`,
        ]),
    ...leftOut(rows.left, 'change', countedChanges(changes.slice(changes.length - rows.left), tense)),
  ]
}

/** Returns the number of changes that the visible table may contain. Each change takes one row, plus one row for each changed field. */
function openCount(changes: readonly string[]): number {
  let rows = 0
  const end = changes.findIndex((text) => (rows += text.split('\n').length) > openRows)
  return end < 0 ? changes.length : Math.max(1, end)
}

const lengthOf = (...lists: readonly Fitting[]) =>
  lists.flatMap(({ shown }) => shown).reduce((sum, line) => sum + line.length + 1, 0)

interface Fitting {
  readonly shown: readonly string[]
  readonly left: number
}

/** Returns lines from the first one on, up to `room` characters in total, and the number of lines left out. */
function linesThatFit(lines: readonly string[], room: number): Fitting {
  let used = 0
  const end = lines.findIndex((line) => (used += line.length + 1) > room)
  return end < 0 ? { shown: lines, left: 0 } : { shown: lines.slice(0, end), left: lines.length - end }
}

function leftOut(left: number, what: string, counts: readonly string[]): string[] {
  if (left === 0) return []
  const kinds = counts.length === 0 ? '' : ` (${counts.join(', ')})`
  const many = { 'price with subscribers': 'prices with subscribers', policy: 'policies' }[what] ?? `${what}s`
  return [
    `**${count(left, `more ${what}`, `more ${many}`)} left out here${kinds}.** The command line without \`--format markdown\` shows all.`,
  ]
}

const placeOf = (action: Action) => order.indexOf(action)

/** Returns the table rows of a change: one for the change, and one for each field that its display line does not show. */
function rowsOf(change: Change, tense: Tense, conceal: Redact): string {
  const value = (text: string | null) =>
    text === null
      ? ''
      : tierLines(conceal(text))
          .map((line) => codeText(line))
          .join('<br>')
  const { before, after } = change.display
  const isDrift = tense === 'drift'
  const onlyBefore = change.action === 'archive' && !isDrift
  const onlyAfter = change.action === 'create' && !isDrift
  const [was, is] = [onlyAfter ? null : before, onlyBefore ? null : after]
  const same = was !== null && was === is
  const head = row([
    `${symbols[change.action] ?? ''} ${changeWord(change.action, tense)}`.trim(),
    kindWord(change.kind),
    value(change.configId),
    same ? '' : value(was),
    value(is),
  ])
  const fields = changedFields(change).map(({ field, before: old, after: next, origin }) => {
    const [was, is] = shortenedValues(fieldText(old, conceal), fieldText(next, conceal))
    return row([
      '',
      origin === 'edit' ? '' : editedWords[origin],
      `↳ ${value(field)}`,
      was === null ? '' : codeText(was),
      is === null ? '' : codeText(is),
    ])
  })
  return [head, ...fields].join('\n')
}

/** Splits the line of a price with many tiers before each tier, so that the table does not become as wide as all of them. */
const tierLines = (text: string): readonly string[] =>
  text.length <= longestCell ? [text] : text.split(/(?<=,) (?=up to |then |and \d+ more)/)

/** Longest line (characters) of a table cell that is not split. */
const longestCell = 60

/** Shortens two long texts around their first difference. */
function shortenedValues(before: string | null, after: string | null): readonly [string | null, string | null] {
  return before === null || after === null ? [before, after] : shortenBoth(before, after)
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

/** Returns the redacted text of a value. The text has no quotes, because it is shown as a code span. */
function fieldText(value: unknown, conceal: Redact): string | null {
  if (value === undefined || value === null) return null
  return conceal(typeof value === 'string' ? value : valueText(value))
}

/** Returns the Markdown of `push --dry-run` and `diff`. */
export function outcomeMarkdown(
  plan: PushOutcome,
  where: string,
  more: {
    readonly warnings: readonly ViewedIssue[]
    readonly variables: readonly VariableOrigin[]
    /** Adds positions in the files to the warnings of the server. */
    readonly place: (issues: readonly ViewedIssue[]) => readonly ViewedIssue[]
  },
  conceal: Redact,
): string {
  const seen = new Set(more.warnings.map(({ detail }) => detail))
  const refusal = verdictText(plan.violations)
  return showMarkdown(
    {
      title: `Prices: plan for version ${codeText(plan.version)}`,
      // Whether it can be applied is the first thing to know.
      lead: [
        ...(refusal === null ? [] : [`**${proseText(refusal)}**`]),
        `**${proseText(plan.summary)}**`,
        `${planSummary(plan.details, plan.writes)} At ${codeText(where)}.`,
      ],
      details: plan.details,
      tense: 'todo',
      columns: ['Before', 'After'],
      impact: plan.impact,
      who: plan.who,
      violations: plan.violations,
      warnings: [...more.warnings, ...more.place(plan.warnings).filter(({ detail }) => !seen.has(detail))],
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
      tense: 'done',
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
      lead: [driftText(drift, of), ...(unfinished === null ? [] : [`**${proseText(unfinished)}**`])],
      details: asEdits(drift.differences),
      tense: 'drift',
      columns: ['As pushed', 'At the processor'],
      foot: drift.inSync || unfinished !== null ? [] : [ways],
    },
    conceal,
  )
}

// Commands in texts of the service, and where the dashboard does the same. The service writes its hints for the terminal, e.g. "List them
// with `ratecard tenants list`."; on a page the same hint reads "List them on the Tenants page.", with a link.

import { capitalized } from './words.ts'

/**
 * A piece of a text: plain, a literal, a time (ISO 8601), the id of a price or product, or a link to the page that does what a command does.
 */
export type Part =
  | { readonly kind: 'text' | 'code' | 'time' | 'price' | 'product'; readonly text: string }
  | { readonly kind: 'page'; readonly text: string; readonly path: string }

interface Act {
  /** The command without `ratecard`. Its group is the id that the path ends with. */
  readonly command: RegExp
  readonly path: string
  readonly name: string
}

const page = (command: RegExp, path: string, name: string): Act => ({ command, path, name })

/** What the commands are in the dashboard. A command that is not here has no counterpart on a page, so the text keeps it. */
const acts: readonly Act[] = [
  page(/^billing (?:push|pushes|resume)$/, '/plan', 'the Plan page'),
  page(/^billing (?:push|resume) (\S+)$/, '/plan/', 'the page of the push'),
  page(/^billing history$/, '/history', 'the History page'),
  page(/^billing drift$/, '/drift', 'the Drift page'),
  page(/^billing show$/, '/prices', 'the Price list page'),
  page(/^billing migrate --price (\S+)$/, '/prices/', '“Move subscribers …” on the page of the price'),
  page(/^billing webhook secret$/, '/webhooks', 'the Webhooks page'),
  page(/^enterprise coverage$/, '/coverage', 'the Coverage page'),
  page(/^tenants list$/, '/tenants', 'the Tenants page'),
  page(/^tenants list --state (\S+)$/, '/tenants?state=', 'the Tenants page'),
  page(/^tenants list --owing/, '/tenants?owing', 'the Tenants page'),
  page(/^tenants \w+ <id>$/, '/tenants', 'the page of the tenant'),
  page(/^tenants (?:show|grants|subscriptions|invoices) (\S+)$/, '/tenants/', 'the page of the tenant'),
  page(/^jobs list$/, '/jobs', 'the Jobs page'),
  page(/^jobs show (\S+)$/, '/jobs/', 'the page of the job'),
  page(/^jobs cancel (\S+) --take-back$/, '/jobs/', '“Take back …” on the page of the job'),
  page(/^cloud workers cron runs (\S+)$/, '/workers/', 'the page of the worker'),
  page(/^keys create$/, '/keys', 'the Keys page'),
  page(/^doctor$/, '/health', 'the Health page'),
]

/** Buttons of the dashboard that do what an option of a command does. */
const buttons: readonly (readonly [option: RegExp, button: string])[] = [
  [/\b([Pp])ush with --approve-impact(?: \(`[^`]*`\))?/g, '“Approve impact and plan again”'],
  [/\b([Pp])ush with --force(?: \(`[^`]*`\))?/g, '“Plan to overwrite these edits”'],
  [/\bwith --force(?: \(`[^`]*`\))?/g, 'with “Plan to overwrite these edits”'],
  [/--override \S+ --message "…"/g, '“Override” in the question before the change'],
]

function withButtons(text: string): string {
  return buttons.reduce(
    (words, [option, button]) =>
      words.replace(option, (_, verb: unknown) =>
        typeof verb === 'string' ? `${verb === 'P' ? 'Choose' : 'choose'} ${button}` : button,
      ),
    text,
  )
}

/** Matches a command with the word before it, which differs before a page: "with `ratecard …`" becomes "on the … page". */
const commandText = /(\bwith |\bRun |\brun )?`([^`]+)`/g

const onPage: Readonly<Record<string, string>> = { 'with ': 'on ', 'Run ': 'See ', 'run ': 'see ' }

/** Returns a text of the service as the dashboard shows it. */
export function pageWords(text: string): readonly Part[] {
  const parts: Part[] = []
  const words = withButtons(text)
  let end = 0
  for (const match of words.matchAll(commandText)) {
    const [whole, lead = '', literal = ''] = match
    const before = words.slice(end, match.index)
    const act = actOf(literal)
    const isSentenceStart = lead === '' && /(?:^|[.!?] )$/.test(words.slice(0, match.index))
    if (act === null) parts.push({ kind: 'text', text: before + lead }, { kind: 'code', text: literal })
    else
      parts.push(
        { kind: 'text', text: before + (onPage[lead] ?? lead) },
        { ...act, text: isSentenceStart ? capitalized(act.text) : act.text },
      )
    end = match.index + whole.length
  }
  return [...parts, { kind: 'text' as const, text: words.slice(end) }]
    .flatMap(withTimes)
    .flatMap(withIds)
    .filter(({ text: own }) => own !== '')
}

const timeText = /(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z)/

/** Splits plain text at its times. */
const withTimes = (part: Part): readonly Part[] =>
  part.kind === 'text'
    ? part.text.split(timeText).map((text, index) => ({ kind: index % 2 === 0 ? 'text' : 'time', text }))
    : [part]

/** Matches a quoted id, with the word before it and what is between them: `price "pro"`, `"a", "b"`, `a month. "c"`. */
const quotedId = /(?:\b([A-Za-z]+))?([^A-Za-z"]*)"([A-Za-z0-9][\w.-]*)"/g

/** Words after which an id is of the same kind as the one before it: `price "a" became "b"`. */
const joining: ReadonlySet<string> = new Set(['and', 'or', 'of', 'to', 'than', 'became'])

/** Splits plain text at ids of prices and products: those that the text calls so, and those that follow them. */
function withIds(part: Part): readonly Part[] {
  if (part.kind !== 'text') return [part]
  const parts: Part[] = []
  let end = 0
  let kind: 'price' | 'product' | null = null
  for (const match of part.text.matchAll(quotedId)) {
    const [whole, word, between = '', id = ''] = match
    const called = word === undefined ? undefined : /^(price|product)s?$/i.exec(word)?.[1]?.toLowerCase()
    if (called === 'price' || called === 'product') kind = called
    else if (word !== undefined && !joining.has(word) && !/[.!?] $/.test(between)) kind = null
    if (kind === null) continue
    const at = match.index + whole.length - id.length - 2
    parts.push({ kind: 'text', text: part.text.slice(end, at) }, { kind, text: id })
    end = match.index + whole.length
  }
  return [...parts, { kind: 'text', text: part.text.slice(end) }]
}

/** Returns the page for a command, e.g. `ratecard jobs show job_1`. Null if the dashboard has none. */
function actOf(literal: string): Extract<Part, { kind: 'page' }> | null {
  const command = /^(?:npx )?ratecard (.+)$/.exec(literal)?.[1]
  if (command === undefined) return null
  for (const { command: form, path, name } of acts) {
    const found = form.exec(command)
    if (found !== null) return { kind: 'page', text: name, path: path + encodeURIComponent(found[1] ?? '') }
  }
  return null
}

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { pageWords } from '../../packages/dashboard/src/words/page-words.ts'

const sources = path.join(import.meta.dirname, '../../packages/ratecard/src')

/** Rooms whose hints are read in a terminal: they stop the command line or the start of the service. */
const terminalRooms = ['cli/', 'workers/', 'server/composition/', 'server/http/', 'server/settings.ts']

const commandsWithoutPage = ['billing pull', 'billing usage']

const isCommand = ({ kind, text }: ReturnType<typeof pageWords>[number]) =>
  kind === 'code' && text.startsWith('ratecard ')

/** All hints in the sources of the service that name a command or an option. Values that are filled in read `x`. */
function hintsOfTheService(): readonly string[] {
  return readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !terminalRooms.some((room) => file.startsWith(room)))
    .flatMap((file) => readFileSync(path.join(sources, file), 'utf8').split('\n'))
    .filter((line) => !/^\s*(?:\/\/|\*|\/\*|when:|description:|demands:)/.test(line))
    .flatMap((line) =>
      [...line.matchAll(/'([^']*)'|(?<!\\)`((?:[^`\\]|\\.)*)`/g)].map((match) => match[1] ?? match[2] ?? ''),
    )
    .map((text) => text.replaceAll('\\`', '`').replace(/\$\{[^}]*\}/g, 'x'))
    .filter((text) => text.includes('`ratecard ') || / --[a-z]/.test(text))
}

/** The text as a reader sees it, with links as [text](path). */
const read = (text: string) =>
  pageWords(text)
    .map((part) =>
      part.kind === 'page' ? `[${part.text}](${part.path})` : part.kind === 'code' ? `\`${part.text}\`` : part.text,
    )
    .join('')

describe('a text of the service on a page of the dashboard', () => {
  test.each([
    ['List them with `ratecard tenants list`.', 'List them on [the Tenants page](/tenants).'],
    ['See `ratecard jobs show job_1`. It waits.', 'See [the page of the job](/jobs/job_1). It waits.'],
    ['`ratecard billing drift` shows each.', '[The Drift page](/drift) shows each.'],
    [
      'Finish it with `ratecard billing resume push_1`, or push again.',
      'Finish it on [the page of the push](/plan/push_1), or push again.',
    ],
    ['Run `ratecard doctor` for details.', 'See [the Health page](/health) for details.'],
    [
      '`ratecard tenants list --owing --sort owed` shows who owes it, `ratecard tenants invoices <id>` since when.',
      '[The Tenants page](/tenants?owing) shows who owes it, [the page of the tenant](/tenants) since when.',
    ],
    ['`ratecard tenants list --state past_due` shows who.', '[The Tenants page](/tenants?state=past_due) shows who.'],
    [
      'Check the affected subscriptions, then push with --approve-impact (`?approve_impact=true`).',
      'Check the affected subscriptions, then choose “Approve impact and plan again”.',
    ],
    [
      'To switch it on, push with --force or edit it in the files.',
      'To switch it on, choose “Plan to overwrite these edits” or edit it in the files.',
    ],
  ])('replaces the command in a text with a link or a button’s name: %s', (text, shown) => {
    expect(read(text)).toBe(shown)
  })

  test('keeps a command for which the dashboard has no page', () => {
    expect(read('Take the edit into the document with `ratecard billing pull --update`.')).toBe(
      'Take the edit into the document with `ratecard billing pull --update`.',
    )
  })

  test('contains no command in a hint, except for commands for which the dashboard has no page', () => {
    const kept = hintsOfTheService().filter((hint) => pageWords(hint).some(isCommand))
    expect(kept.length).toBeGreaterThan(0)
    expect(kept.filter((hint) => !commandsWithoutPage.some((command) => hint.includes(command)))).toEqual([])
  })

  test('contains no option of a command in a hint, except within a command', () => {
    const plain = (hint: string) => pageWords(hint).flatMap(({ kind, text }) => (kind === 'text' ? text : []))
    expect(hintsOfTheService().filter((hint) => plain(hint).some((text) => /(?:^| )--[a-z]/.test(text)))).toEqual([])
  })

  test('is split at times, which are shown in the time zone of the viewer', () => {
    expect(
      pageWords('complete until 2026-11-23T16:56:58.036Z, then late').map(({ kind, text }) => [kind, text]),
    ).toEqual([
      ['text', 'complete until '],
      ['time', '2026-11-23T16:56:58.036Z'],
      ['text', ', then late'],
    ])
  })

  test.each([
    ['The price "pro" rises by 10%.', 'price pro'],
    [
      'The base price "pro" of "pro_gold" rises to €9.00 / month. "pro_gold" stays.',
      'price pro, price pro_gold, price pro_gold',
    ],
    ['price "pro" × 3 became "pro_gold", billed from the renewal on.', 'price pro, price pro_gold'],
    ['edits of product "studio" (name), product "stock" (description)', 'product studio, product stock'],
    ['The prices "a", "b" and "c" end.', 'price a, price b, price c'],
    ['The tenant "pro" has the plan "pro", and the feature "sso".', ''],
    ['The price "pro" is for the tenant "acme".', 'price pro'],
  ])('names the prices and products that it mentions: %s', (text, mentioned) => {
    const ids = pageWords(text).filter(({ kind }) => kind === 'price' || kind === 'product')
    expect(ids.map(({ kind, text: id }) => `${kind} ${id}`).join(', ')).toBe(mentioned)
  })

  test('keeps other literals in backticks, and a single backtick', () => {
    expect(read('Report with `strict`.')).toBe('Report with `strict`.')
    expect(read('A ` alone')).toBe('A ` alone')
  })
})

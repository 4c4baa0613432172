import { expect, it } from 'vitest'
import { menuOf } from '../../site/pages.mjs'

const page = (text: string, link: string) => ({ text, link })

it('each group of the first page is a group of the menu, with one entry for each page below it', () => {
  const readme = [
    '**I decide**',
    '- [beside other tools](guides/beside.md): [a part of it](guides/beside.md#parts)',
    '**I operate it**',
    '- [Settings](reference/settings.md), [the same](reference/settings.md), [beside again](guides/beside.md)',
    '- [Architecture](../ARCHITECTURE.md), [decisions](decisions/)',
  ].join('\n')
  expect(menuOf(readme)).toEqual([
    { text: 'I decide', items: [page('Beside other tools', '/guides/beside')] },
    { text: 'I operate it', items: [page('Settings', '/reference/settings')] },
  ])
})

it('links of the introduction are no entries, and keep no page out of its group', () => {
  const readme =
    'Start with [your first push](guides/first-push.md).\n\n**I write**\n\n- [Your first push](guides/first-push.md)'
  expect(menuOf(readme)).toEqual([{ text: 'I write', items: [page('Your first push', '/guides/first-push')] }])
})

it('a group without a page of the site is left out', () => {
  expect(menuOf('**I change it**\n\n- [Contributing](../CONTRIBUTING.md)')).toEqual([])
})

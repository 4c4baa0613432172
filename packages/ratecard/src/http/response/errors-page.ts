import { issueCodes, problemCodes } from '../../errors/codes.ts'

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
// Backticks in the tables mark code.
const html = (text: string) =>
  text.replace(/[&<>"]/g, (character) => escapes[character] ?? character).replace(/`([^`]+)`/g, '<code>$1</code>')

/** The page behind every problem's `type`: one anchor per code, made from the tables. */
export function errorsPage(): string {
  const problems = Object.entries(problemCodes).map(
    ([code, { status, title, when }]) =>
      `<section id="${code}"><h3><code>${code}</code> · ${String(status)}</h3><p><b>${html(title)}.</b> ${html(when)}</p></section>`,
  )
  const issues = Object.entries(issueCodes).map(
    ([code, text]) => `<section id="${code}"><h3><code>${code}</code></h3><p>${html(text)}</p></section>`,
  )
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Ratecard: errors</title>',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<style>body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}',
    'h3{margin:1.5rem 0 .25rem}p{margin:0}section:target{outline:2px solid;outline-offset:.5rem}</style></head><body>',
    '<h1>Errors</h1><p>Every error is <code>application/problem+json</code> (RFC 9457); switch on <code>code</code>.</p>',
    `<h2>Problems</h2>${problems.join('')}`,
    `<h2>Issues, in <code>errors</code></h2>${issues.join('')}`,
    '</body></html>',
  ].join('')
}

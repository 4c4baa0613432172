import { issueCodes, problemCodes } from '../../../base/errors/codes.ts'
import { pageStyle } from './page-style.generated.ts'

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
// Escapes a text of the error tables for HTML. Text between backticks becomes `<code>`.
const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (character) => escapes[character] ?? character).replace(/`([^`]+)`/g, '<code>$1</code>')

/** Returns the HTML page of all error codes. The `type` of every problem links to its code's anchor on this page. */
export function errorsPage(): string {
  const problems = Object.entries(problemCodes).map(
    ([code, { status, title, when }]) =>
      `<section id="${code}"><h3><code>${code}</code> · ${String(status)}</h3><p><b>${escapeHtml(title)}.</b> ${escapeHtml(when)}</p></section>`,
  )
  const issues = Object.entries(issueCodes).map(
    ([code, text]) => `<section id="${code}"><h3><code>${code}</code></h3><p>${escapeHtml(text)}</p></section>`,
  )
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Ratecard: errors</title>',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<style>${pageStyle}`,
    'body{padding:2rem 1rem 4rem}main{max-width:48rem;margin:0 auto;display:grid;gap:.75rem}h2{margin-top:1.5rem}',
    'section{padding:.9rem 1.1rem;background:var(--surface);border:1px solid var(--line);border-radius:var(--radius)}',
    'section h3{margin-bottom:.25rem}section:target{outline:2px solid var(--accent);outline-offset:2px}</style></head><body><main>',
    '<h1>Errors</h1><p class="quiet">Every error is <code>application/problem+json</code> (RFC 9457); switch on <code>code</code>.</p>',
    `<h2>Problems</h2>${problems.join('')}`,
    `<h2>Issues, in <code>errors</code></h2>${issues.join('')}`,
    '</main></body></html>',
  ].join('')
}

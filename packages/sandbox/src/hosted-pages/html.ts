// Builds hosted pages as text. The template tag `html` escapes all values.
import { pageStyle } from './page-style.generated.ts'

/** Markup whose values are already escaped. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Markup | null | readonly Markup[]

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function toHtml(part: Part): string {
  if (part === null) return ''
  if (part instanceof Markup) return part.text
  if (typeof part === 'object') return part.map((one) => one.text).join('')
  return String(part).replace(/[&<>"']/g, (character) => escapes[character] ?? character)
}

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(
    strings.map((text, index) => (index === 0 ? text : toHtml(parts[index - 1] ?? null) + text)).join(''),
  )
}

const style = new Markup(`${pageStyle}
body { padding: 2rem 1rem 3rem; }
main { max-width: 34rem; margin: 0 auto; display: grid; gap: 1rem; padding: 1.5rem; background: var(--surface);
  border: 1px solid var(--line); border-radius: var(--radius); box-shadow: var(--shadow); }
main > *, form > *, section > * { min-width: 0; }
section { display: grid; gap: .75rem; border-top: 1px solid var(--line); padding-top: 1rem; }
table { width: 100%; border-collapse: collapse; } td, th { padding: .5rem 0; text-align: start; vertical-align: top; }
td:last-child, th:last-child { text-align: end; font-variant-numeric: tabular-nums; overflow-wrap: normal; padding-inline-start: 1rem; }
tbody tr + tr td, tfoot th { border-top: 1px solid var(--line); } tfoot th { font-weight: 650; }
form { display: grid; gap: 1rem; } label { display: grid; gap: .3rem; font-weight: 600; font-size: .875rem; }
input { width: 100%; font: inherit; font-weight: 400; color: inherit; background: var(--surface); padding: .5rem .7rem;
  min-height: 2.5rem; border: 1px solid var(--line-strong); border-radius: 8px; }
button { font: inherit; font-weight: 600; min-height: 2.5rem; padding: .4rem 1rem; cursor: pointer; border-radius: 8px;
  color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); }
button:hover { background: var(--accent-hover); }
button[value=apply], button[value=cancel] { color: var(--text); background: var(--surface); border-color: var(--line-strong); }
button[hidden] { display: none; }
.row { display: flex; gap: .5rem; align-items: end; } .row label { flex: 1; min-width: 0; }
[role=alert] { color: var(--bad); background: var(--bad-soft); border-radius: 8px; padding: .7rem .9rem; }
.note { font-size: .8125rem; color: var(--quiet); }
.sandbox-badge { justify-self: start; font-size: .8125rem; font-weight: 600; color: var(--warn); background: var(--warn-soft);
  border-radius: 999px; padding: .15rem .75rem; }
`)

export interface HtmlResponse {
  readonly status: number
  readonly body: string
  /** URL to which the response redirects. */
  readonly location?: string
}

export function page(title: string, content: Markup, status = 200): HtmlResponse {
  const whole = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${style}
        </style>
      </head>
      <body>
        <main>
          <p class="sandbox-badge">This is the sandbox processor: no money moves.</p>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html> `
  return { status, body: whole.text }
}

export function redirect(location: string): HtmlResponse {
  return { status: 303, body: '', location }
}

export function problem(message: string | null): Markup {
  return message === null ? html`` : html`<p role="alert">${message}</p>`
}

// Hosted pages as text. Every value that is not ours passes through `html`, which escapes it.

/** Markup that needs no escaping any more. */
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

function shown(part: Part): string {
  if (part === null) return ''
  if (part instanceof Markup) return part.text
  if (typeof part === 'object') return part.map((one) => one.text).join('')
  return String(part).replace(/[&<>"']/g, (character) => escapes[character] ?? character)
}

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(
    strings.map((text, index) => (index === 0 ? text : shown(parts[index - 1] ?? null) + text)).join(''),
  )
}

const style = new Markup(`
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 34rem; margin: 2rem auto; padding: 0 1rem; }
table { width: 100%; border-collapse: collapse; } td, th { padding: .4rem 0; text-align: left; vertical-align: top; }
td:last-child, th:last-child { text-align: right; font-variant-numeric: tabular-nums; }
tfoot th { border-top: 1px solid; }
form { display: grid; gap: 1rem; margin: 1.5rem 0; } label { display: grid; gap: .25rem; }
input, button { font: inherit; padding: .5rem; } .row { display: flex; gap: .5rem; align-items: end; } .row label { flex: 1; }
[role=alert] { border-left: 4px solid #c00; padding-left: .75rem; } .note { font-size: .875rem; opacity: .8; }
`)

export interface Page {
  readonly status: number
  readonly body: string
  /** Where to go instead. */
  readonly location?: string
}

export function page(title: string, content: Markup, status = 200): Page {
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
          <h1>${title}</h1>
          ${content}
          <p class="note">This is the sandbox processor: no money moves.</p>
        </main>
      </body>
    </html> `
  return { status, body: whole.text }
}

export function redirect(location: string): Page {
  return { status: 303, body: '', location }
}

export function problem(message: string | null): Markup {
  return message === null ? html`` : html`<p role="alert">${message}</p>`
}

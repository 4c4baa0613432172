const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (character) => escapes[character] ?? character)

export interface SignInPage {
  readonly styleSheet: string
  /** Dashboard path that opens after signing in. */
  readonly next: string
  /** Reason why the last attempt to sign in failed; null before the first attempt. */
  readonly problem: { readonly detail: string; readonly hint?: string | undefined } | null
  /** True if the user was signed in until now, and the session or its key has ended. */
  readonly hasEnded: boolean
}

/** Returns the HTML of the sign-in page with a form for a service key. The page works without script. */
export function signInPage({ styleSheet, next, problem, hasEnded }: SignInPage): string {
  const ended = hasEnded
    ? '<div class="alert alert-note" role="status"><p>Your session has ended, or its key was revoked. Sign in to continue.</p></div>'
    : ''
  const alert =
    problem === null
      ? ended
      : `<div class="alert alert-problem" role="alert"><p><b>${escapeHtml(problem.detail)}</b></p>${
          problem.hint === undefined ? '' : `<p>${escapeHtml(problem.hint)}</p>`
        }</div>`
  return renderPage(
    styleSheet,
    'Sign in',
    `<form class="card" method="post" action="/dashboard/session">
<p class="brand"><span class="brand-mark" aria-hidden="true"></span>Ratecard</p>
<h1>Sign in</h1>
${alert}
<input type="hidden" name="next" value="${escapeHtml(next)}">
<label class="field"><span class="field-label">Service key</span>
<input class="input" name="key" type="password" required autofocus autocomplete="current-password" spellcheck="false" autocapitalize="off"${problem === null ? '' : ' aria-invalid="true"'}></label>
<button class="button button-primary button-wide" type="submit">Sign in</button>
<p class="quiet">A key with the scope <code>read</code> can only view, a key with <code>write</code> can also make changes. The session ends after 12 hours, or when the key expires or is revoked.</p>
<p class="quiet">On the machine of the service, <code>npx ratecard dashboard</code> creates a link that signs in.</p>
</form>`,
  )
}

/**
 * Returns the HTML of the page behind a sign-in link; it works without script. Only the button on the page submits the token. Opening the
 * page changes nothing, because mail scanners and chat previews open links too.
 */
export function openLinkPage(styleSheet: string, token: string): string {
  return renderPage(
    styleSheet,
    'Sign in',
    `<form class="card" method="post" action="/dashboard/open">
<p class="brand"><span class="brand-mark" aria-hidden="true"></span>Ratecard</p>
<h1>Sign in</h1>
<input type="hidden" name="token" value="${escapeHtml(token)}">
<button class="button button-primary button-wide" type="submit" autofocus>Sign in to the dashboard</button>
<p class="quiet">The link works once, within ten minutes. The session ends after 12 hours, or when the key that created the link expires or is revoked.</p>
</form>`,
  )
}

/** Returns the page that is shown at every path if the built files are missing. */
export function notBuiltPage(): string {
  return renderPage(
    null,
    'Not built',
    '<h1>The dashboard is not built</h1><p>Run <code>npm run build</code> in the repository, then start the service again.</p>',
  )
}

function renderPage(styleSheet: string | null, title: string, body: string): string {
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<title>${escapeHtml(title)} · Ratecard</title><meta name="viewport" content="width=device-width, initial-scale=1">`,
    '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">',
    styleSheet === null ? '' : `<link rel="stylesheet" href="${escapeHtml(styleSheet)}">`,
    '</head><body class="gate"><main>',
    `${body}</main></body></html>`,
  ].join('')
}

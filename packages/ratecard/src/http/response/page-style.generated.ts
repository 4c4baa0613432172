// Generated from packages/dashboard/src/styles/base.css by scripts/reference/page-style.ts; do not edit.

export const pageStyle = `
/* What every page of ours shares: colours, text, cards, fields, buttons. Light and dark follow the system. */
:root {
  color-scheme: light dark;
  --ground: #f6f6f3;
  --surface: #ffffff;
  --sunken: #f0f0ec;
  --line: #dedfd8;
  --line-strong: #8b8f88;
  --text: #1b1e1c;
  --quiet: #585e59;
  --accent: #0b5f51;
  --accent-hover: #084a3f;
  --on-accent: #ffffff;
  --accent-soft: #e2f0ec;
  --good: #17653a;
  --good-soft: #e3f2e8;
  --warn: #7d4d00;
  --warn-soft: #fbefd9;
  --bad: #a8231b;
  --bad-soft: #fbe9e7;
  --note: #28508c;
  --note-soft: #e6edf8;
  --live: #8a1c6e;
  --on-live: #ffffff;
  --shadow: 0 1px 2px rgb(20 30 25 / 6%), 0 4px 16px rgb(20 30 25 / 5%);
  --radius: 10px;
  --mono: ui-monospace, 'SF Mono', SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #111413;
    --surface: #191d1b;
    --sunken: #222724;
    --line: #2f3532;
    --line-strong: #7d857f;
    --text: #e9ece9;
    --quiet: #a5ada7;
    --accent: #6fd3bd;
    --accent-hover: #93e2d0;
    --on-accent: #06231d;
    --accent-soft: #17342d;
    --good: #7fd6a0;
    --good-soft: #17321f;
    --warn: #efc06a;
    --warn-soft: #3a2c10;
    --bad: #ff9c92;
    --bad-soft: #411b18;
    --note: #9dbff5;
    --note-soft: #1a2a45;
    --live: #f29ad8;
    --on-live: #3a0a2c;
    --shadow: 0 1px 2px rgb(0 0 0 / 40%);
  }
}
*,
*::before,
*::after {
  box-sizing: border-box;
}
html {
  -webkit-text-size-adjust: 100%;
}
body {
  margin: 0;
  background: var(--ground);
  color: var(--text);
  font:
    15px/1.5 system-ui,
    -apple-system,
    'Segoe UI',
    Roboto,
    'Noto Sans',
    sans-serif;
  overflow-wrap: anywhere;
}
h1,
h2,
h3,
p,
ul,
ol,
dl,
dd,
figure,
fieldset {
  margin: 0;
  padding: 0;
}
h1 {
  font-size: 1.5rem;
  line-height: 1.25;
  letter-spacing: -0.015em;
  font-weight: 650;
}
h2 {
  font-size: 1.0625rem;
  line-height: 1.35;
  font-weight: 650;
}
h3 {
  font-size: 0.9375rem;
  font-weight: 650;
}
a {
  color: var(--accent);
  text-underline-offset: 0.15em;
}
a:hover {
  color: var(--accent-hover);
}
code,
pre,
.mono {
  font-family: var(--mono);
  font-size: 0.875em;
}
pre {
  margin: 0;
  white-space: pre-wrap;
}
:focus-visible {
  outline: 2px solid var(--accent);
  outline-offset: 2px;
  border-radius: 4px;
}
.quiet {
  color: var(--quiet);
}
.small {
  font-size: 0.8125rem;
}
.card {
  background: var(--surface);
  border: 1px solid var(--line);
  border-radius: var(--radius);
  box-shadow: var(--shadow);
  padding: 1.25rem;
}
.field {
  display: grid;
  gap: 0.3rem;
}
.field-label {
  font-weight: 600;
  font-size: 0.875rem;
}
.input,
.select,
.textarea {
  width: 100%;
  min-width: 0;
  font: inherit;
  color: inherit;
  background: var(--surface);
  border: 1px solid var(--line-strong);
  border-radius: 8px;
  padding: 0.5rem 0.7rem;
  min-height: 2.5rem;
}
.textarea {
  font-family: var(--mono);
  font-size: 0.8125rem;
  line-height: 1.5;
  resize: vertical;
}
.input[aria-invalid='true'] {
  border-color: var(--bad);
}
.button {
  display: inline-flex;
  align-items: center;
  justify-content: center;
  gap: 0.45rem;
  min-height: 2.375rem;
  padding: 0.4rem 0.95rem;
  font: inherit;
  font-weight: 600;
  font-size: 0.9rem;
  color: var(--text);
  background: var(--surface);
  border: 1px solid var(--line-strong);
  border-radius: 8px;
  cursor: pointer;
  text-decoration: none;
}
.button:hover {
  background: var(--sunken);
  color: var(--text);
}
.button:disabled,
.button[aria-disabled='true'] {
  opacity: 0.55;
  cursor: default;
}
.button-primary {
  background: var(--accent);
  border-color: var(--accent);
  color: var(--on-accent);
}
.button-primary:hover {
  background: var(--accent-hover);
  border-color: var(--accent-hover);
  color: var(--on-accent);
}
.button-danger {
  color: var(--bad);
  border-color: currentcolor;
}
.button-wide {
  width: 100%;
}
.button-small {
  min-height: 2rem;
  padding: 0.2rem 0.7rem;
  font-size: 0.8125rem;
}
.alert {
  border: 1px solid;
  border-radius: var(--radius);
  padding: 0.8rem 1rem;
  display: grid;
  gap: 0.35rem;
}
.alert-problem {
  color: var(--bad);
  background: var(--bad-soft);
  border-color: color-mix(in srgb, var(--bad) 35%, transparent);
}
.alert-warning {
  color: var(--warn);
  background: var(--warn-soft);
  border-color: color-mix(in srgb, var(--warn) 35%, transparent);
}
.alert-good {
  color: var(--good);
  background: var(--good-soft);
  border-color: color-mix(in srgb, var(--good) 35%, transparent);
}
.alert-note {
  color: var(--note);
  background: var(--note-soft);
  border-color: color-mix(in srgb, var(--note) 35%, transparent);
}
.alert a {
  color: inherit;
}
.brand {
  display: inline-flex;
  align-items: center;
  gap: 0.55rem;
  font-weight: 680;
  letter-spacing: -0.01em;
  color: var(--text);
  text-decoration: none;
}
.brand-mark {
  width: 1.25rem;
  height: 1.25rem;
  border-radius: 5px;
  background:
    linear-gradient(var(--on-accent) 0 0) 50% 28% / 52% 12% no-repeat,
    linear-gradient(var(--on-accent) 0 0) 50% 52% / 52% 12% no-repeat,
    linear-gradient(var(--on-accent) 0 0) 28% 76% / 32% 12% no-repeat,
    var(--accent);
}
.gate main {
  min-height: 100vh;
  display: grid;
  align-content: center;
  justify-items: center;
  padding: 1.5rem;
}
.gate .card {
  width: 100%;
  max-width: 24rem;
  display: grid;
  gap: 1rem;
  padding: 1.75rem;
}
.gate .quiet {
  font-size: 0.8125rem;
}
`

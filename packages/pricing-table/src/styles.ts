// Three looks by CSS alone. Everything that a site may want to change is a custom property or a part.
export const styles = `
:host {
  --_accent: var(--ratecard-accent, #3451d1);
  --_on-accent: var(--ratecard-on-accent, #fff);
  --_text: var(--ratecard-text, #1b2030);
  --_muted: var(--ratecard-muted, #535b70);
  --_surface: var(--ratecard-surface, #fff);
  --_line: var(--ratecard-line, #d5d9e3);
  --_radius: var(--ratecard-radius, 12px);
  --_gap: var(--ratecard-gap, 16px);
  --_column: var(--ratecard-column, 15rem);
  display: block;
  color: var(--_text);
  font: var(--ratecard-font, inherit);
  line-height: 1.45;
}
@media (prefers-color-scheme: dark) {
  :host(:not([scheme="light"])) {
    --_accent: var(--ratecard-accent, #8fa4ff);
    --_on-accent: var(--ratecard-on-accent, #10142a);
    --_text: var(--ratecard-text, #e9ebf3);
    --_muted: var(--ratecard-muted, #a9b1c6);
    --_surface: var(--ratecard-surface, #171b28);
    --_line: var(--ratecard-line, #363d52);
  }
}
:host([scheme="dark"]) {
  --_accent: var(--ratecard-accent, #8fa4ff);
  --_on-accent: var(--ratecard-on-accent, #10142a);
  --_text: var(--ratecard-text, #e9ebf3);
  --_muted: var(--ratecard-muted, #a9b1c6);
  --_surface: var(--ratecard-surface, #171b28);
  --_line: var(--ratecard-line, #363d52);
}
:host([hidden]) { display: none; }
* { box-sizing: border-box; }
.bar { display: flex; flex-wrap: wrap; gap: var(--_gap); align-items: center; justify-content: center; margin-block-end: var(--_gap); }
fieldset { border: 0; margin: 0; padding: 0; min-inline-size: 0; display: flex; flex-wrap: wrap; gap: 4px; }
legend { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.pick { position: relative; }
.pick input { position: absolute; inset: 0; inline-size: 100%; block-size: 100%; margin: 0; opacity: 0; cursor: pointer; }
.pick span { display: block; padding: 6px 14px; border: 1px solid var(--_line); border-radius: 999px; background: var(--_surface); }
.pick input:checked + span { background: var(--_accent); border-color: var(--_accent); color: var(--_on-accent); }
.pick input:focus-visible + span { outline: 3px solid var(--_accent); outline-offset: 2px; }
.saving { margin-inline-start: .5em; font-size: .85em; }
select, input[type="number"] { font: inherit; color: inherit; background: var(--_surface); border: 1px solid var(--_line); border-radius: 8px; padding: 6px 8px; max-inline-size: 100%; }
select:focus-visible, input:focus-visible, a:focus-visible, button:focus-visible { outline: 3px solid var(--_accent); outline-offset: 2px; }
.cards { display: grid; gap: var(--_gap); grid-template-columns: repeat(auto-fit, minmax(min(100%, var(--_column)), 1fr)); list-style: none; margin: 0; padding: 0; }
.card { position: relative; display: flex; flex-direction: column; gap: 8px; min-inline-size: 0; padding: 20px; background: var(--_surface); overflow-wrap: anywhere; }
h3 { margin: 0; font-size: 1.2rem; line-height: 1.25; }
.tagline, .note, .period { color: var(--_muted); margin: 0; }
.badge { align-self: flex-start; padding: 2px 10px; border-radius: 999px; background: var(--_accent); color: var(--_on-accent); font-size: .8rem; }
.amount { margin: 0; font-size: 1.9rem; font-weight: 650; line-height: 1.15; }
.suffix { font-size: 1rem; font-weight: 400; }
.features { margin: 0; padding-inline-start: 1.2em; }
.features li { margin-block: 2px; }
.quantity { display: grid; grid-template-columns: 1fr auto; gap: 6px 10px; align-items: center; }
.quantity label { grid-column: 1 / -1; font-size: .9rem; color: var(--_muted); }
.quantity input[type="range"] { inline-size: 100%; min-inline-size: 0; accent-color: var(--_accent); }
.quantity input[type="number"] { inline-size: 7.5em; }
.act { margin-block-start: auto; padding-block-start: 8px; }
.cta { display: block; inline-size: 100%; padding: 10px 16px; border: 1px solid var(--_accent); border-radius: 8px; background: transparent; color: var(--_accent); font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; }
.cta:hover, .highlighted .cta { background: var(--_accent); color: var(--_on-accent); }
.message { text-align: center; color: var(--_muted); }
.message button { font: inherit; }
:host(:not([theme="plain"])) .card { border: 1px solid var(--_line); border-radius: var(--_radius); }
:host(:not([theme="plain"])) .highlighted { border-color: var(--_accent); box-shadow: 0 0 0 1px var(--_accent); }
:host([theme="plain"]) .card { padding: 8px; background: transparent; }
:host([theme="plain"]) .highlighted { background: color-mix(in srgb, var(--_accent) 7%, transparent); }
:host([theme="compact"]) .cards { grid-template-columns: 1fr; gap: 0; border: 1px solid var(--_line); border-radius: var(--_radius); overflow: hidden; }
:host([theme="compact"]) .card { border: 0; border-block-end: 1px solid var(--_line); border-radius: 0; display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 2fr) minmax(8rem, 1fr); align-items: center; padding: 12px 16px; }
:host([theme="compact"]) li:last-child .card { border-block-end: 0; }
:host([theme="compact"]) .highlighted { box-shadow: inset 4px 0 0 var(--_accent); }
:host([theme="compact"]) .amount { font-size: 1.3rem; }
:host([theme="compact"]) .features { display: none; }
@media (max-width: 640px) { :host([theme="compact"]) .card { display: flex; align-items: stretch; } }
@media (forced-colors: active) { .pick input:checked + span, .badge, .cta { forced-color-adjust: none; } }
@media (prefers-reduced-motion: no-preference) { .cta, .pick span { transition: background-color .12s; } }
`

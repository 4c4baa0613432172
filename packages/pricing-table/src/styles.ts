// Style sheet with three layouts. A site can change everything through CSS custom properties and parts.
export const styles = `
:host {
  --_accent: var(--ratecard-accent, #0b5f51);
  --_on-accent: var(--ratecard-on-accent, #fff);
  --_text: var(--ratecard-text, #1b2030);
  --_muted: var(--ratecard-muted, #535b70);
  --_surface: var(--ratecard-surface, #fff);
  --_line: var(--ratecard-line, #d5d9e3);
  --_radius: var(--ratecard-radius, 12px);
  --_gap: var(--ratecard-gap, 16px);
  --_column: var(--ratecard-column, 15rem);
  --_widest: var(--ratecard-card-max, 420px);
  display: block;
  color: var(--_text);
  font: var(--ratecard-font, inherit);
  line-height: 1.45;
  text-align: start;
}
@supports (color: light-dark(#000, #fff)) {
  :host {
    --_accent: var(--ratecard-accent, light-dark(#0b5f51, #6fd3bd));
    --_on-accent: var(--ratecard-on-accent, light-dark(#fff, #06231d));
    --_text: var(--ratecard-text, light-dark(#1b2030, #e9ebf3));
    --_muted: var(--ratecard-muted, light-dark(#535b70, #aeb6ca));
    --_surface: var(--ratecard-surface, light-dark(#fff, #171b28));
    --_line: var(--ratecard-line, light-dark(#d5d9e3, #39415a));
  }
}
:host([hidden]) { display: none; }
* { box-sizing: border-box; }
/* Text in another script (e.g. Arabic on an English page) keeps its own direction, and is aligned like the text of the page. */
[dir="auto"]:not(.cta) { text-align: -webkit-match-parent; text-align: match-parent; }
.choices { display: flex; flex-wrap: wrap; gap: 12px var(--_gap); align-items: center; justify-content: center; margin-block-end: calc(var(--_gap) * 1.5); }
.choices:empty { display: none; }
fieldset { border: 1px solid var(--_line); border-radius: 999px; margin: 0; padding: 3px; min-inline-size: 0; display: flex; flex-wrap: wrap; gap: 2px; background: var(--_surface); }
legend { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.pick { position: relative; display: block; }
.pick input { position: absolute; inset: 0; inline-size: 100%; block-size: 100%; margin: 0; opacity: 0; cursor: pointer; }
.pick-label { display: block; padding: 6px 16px; border-radius: 999px; color: var(--_text); }
.pick input:checked + .pick-label { background: var(--_accent); color: var(--_on-accent); }
.pick input:focus-visible + .pick-label { outline: 3px solid var(--_accent); outline-offset: 2px; }
.saving { font-size: .85em; }
select, input[type="number"] { font: inherit; color: var(--_text); background: var(--_surface); border: 1px solid var(--_line); border-radius: 8px; padding: 6px 8px; max-inline-size: 100%; }
select:focus-visible, input:focus-visible, a:focus-visible, button:focus-visible, summary:focus-visible { outline: 3px solid var(--_accent); outline-offset: 2px; }
.cards { --_c: var(--_columns, 99); display: grid; gap: var(--_gap); grid-template-columns: repeat(auto-fill, minmax(min(100%, max(var(--_column), (100% - (var(--_c) - 1) * var(--_gap)) / var(--_c))), 1fr)); max-inline-size: calc(var(--_c) * var(--_widest) + (var(--_c) - 1) * var(--_gap)); list-style: none; margin: 0 auto; padding: 0; }
.cards > li { display: grid; min-inline-size: 0; }
.waiting { --_columns: 3; }
.waiting .card { min-block-size: 24rem; background: var(--_line); opacity: .35; }
.hidden { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; margin: 0; }
.card { position: relative; display: flex; flex: 1; flex-direction: column; gap: 16px; min-inline-size: 0; padding: 24px; background: var(--_surface); overflow-wrap: anywhere; }
.head { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 10px; }
.image { inline-size: 100%; block-size: 8rem; object-fit: cover; border-radius: calc(var(--_radius) / 2); }
.name { margin: 0; hyphens: auto; hyphenate-limit-chars: 10 4 4; font-size: 1.25rem; line-height: 1.25; font-weight: 650; }
.badge, .own { padding: 2px 10px; border-radius: 999px; background: var(--_accent); color: var(--_on-accent); font-size: .8rem; font-weight: 600; }
.own { justify-self: start; }
.tagline { flex-basis: 100%; }
.tagline, .period, .attached { color: var(--_muted); margin: 0; }
.offer { display: grid; gap: 8px; align-content: start; }
.top, .extra { display: grid; gap: 8px; align-content: start; }
.top:empty, .extra:empty { display: none; }
.more { display: grid; gap: 16px; align-content: start; }
.more > .offer { border-block-start: 1px solid var(--_line); padding-block-start: 16px; }
.offer-name { margin: 0; font-size: 1rem; font-weight: 600; }
.cost { display: grid; gap: 6px; align-content: start; }
.amount { margin: 0; line-height: 1.15; }
.figure.note { font-size: 1rem !important; font-weight: 400; color: var(--_muted); letter-spacing: 0; }
.figure { font-size: 2rem; font-weight: 700; font-variant-numeric: tabular-nums; letter-spacing: -.01em; }
.figure.words { display: inline-block; font-size: 1.5rem; line-height: 1.4; text-wrap: balance; }
.suffix { display: inline-block; color: var(--_muted); }
.quantity { display: flex; flex-wrap: wrap; gap: 6px 10px; align-items: center; margin-block-start: 4px; }
.quantity-label { flex: 9 1 auto; min-inline-size: 0; font-size: .9rem; color: var(--_muted); }
.quantity-label::first-letter { text-transform: uppercase; }
.quantity input[type="range"] { flex: 0 0 100%; inline-size: 100%; min-inline-size: 0; margin: 0; block-size: 24px; accent-color: var(--_accent); cursor: pointer; }
.quantity input[type="number"] { flex: 1 1 6.5em; inline-size: 6.5em; min-inline-size: 0; text-align: end; font-variant-numeric: tabular-nums; }
.tiers { font-size: .9rem; color: var(--_muted); }
.tiers summary { cursor: pointer; padding-block: 2px; }
.tiers ul { margin: 4px 0 0; padding-inline-start: 1.3em; }
.act { margin-block-start: 8px; }
.cta { display: block; inline-size: 100%; padding: 11px 16px; border: 1px solid var(--_accent); border-radius: 8px; background: transparent; color: var(--_accent); font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; }
.cta:hover, .highlighted .cta { background: var(--_accent); color: var(--_on-accent); }
.highlighted .cta:hover { filter: brightness(1.08); }
.features { margin: 0; padding: 0; list-style: none; display: grid; gap: 6px; }
.features li { padding-inline-start: 1.7em; position: relative; }
.features li::before { content: ""; position: absolute; inset-inline-start: .25em; inset-block-start: .25em; inline-size: .35em; block-size: .7em; border: solid var(--_accent); border-width: 0 2px 2px 0; rotate: 45deg; }
.dialog { inline-size: min(30rem, calc(100vw - 2rem)); max-block-size: calc(100vh - 2rem); overflow: auto; padding: 24px; color: var(--_text); background: var(--_surface); border: 1px solid var(--_line); border-radius: var(--_radius); overflow-wrap: anywhere; }
.dialog::backdrop { background: rgb(0 0 0 / .45); }
.dialog-actions { display: flex; flex-wrap: wrap; gap: 8px; margin-block-start: 16px; }
.dialog [part="dialog-confirm"] { background: var(--_accent); color: var(--_on-accent); }
.dialog-actions .cta { flex: 1 1 auto; inline-size: auto; }
.cta:disabled { opacity: .55; cursor: default; }
.preview { display: grid; grid-template-columns: minmax(0, auto) minmax(0, 1fr); gap: 6px 16px; margin: 16px 0; }
.preview dt { color: var(--_muted); }
.preview dd { margin: 0; text-align: end; font-variant-numeric: tabular-nums; font-weight: 600; }
.problem { border-inline-start: 3px solid var(--_accent); padding-inline-start: 10px; margin: 12px 0; }
.warning { color: var(--_muted); margin: 8px 0; }
.message { text-align: center; color: var(--_muted); padding: 24px 8px; margin: 0; }
.message button { font: inherit; color: var(--_accent); background: transparent; border: 1px solid var(--_line); border-radius: 8px; padding: 6px 12px; margin-inline-start: 8px; cursor: pointer; }
:host(:not([theme="plain"])) .card { border: 1px solid var(--_line); border-radius: var(--_radius); }
:host(:not([theme="plain"])) .highlighted { border-color: var(--_accent); box-shadow: 0 0 0 1px var(--_accent); }
:host([theme="plain"]) .card { padding: 8px 12px; background: transparent; border-inline-start: 3px solid transparent; }
:host([theme="plain"]) .highlighted { border-inline-start-color: var(--_accent); }
:host([theme="plain"]) .figure { font-size: 1.6rem; }
:host([theme="compact"]) .cards { grid-template-columns: minmax(0, 1fr); max-inline-size: none; gap: 0; border: 1px solid var(--_line); border-radius: var(--_radius); overflow: hidden; }
:host([theme="compact"]) .card { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1.6fr); align-items: start; gap: 0 24px; padding: 14px 18px; border: 0; border-block-end: 1px solid var(--_line); border-radius: 0; }
:host([theme="compact"]) .cards > li:last-child .card { border-block-end: 0; }
:host([theme="compact"]) .highlighted { box-shadow: inset 4px 0 0 var(--_accent); }
:host([theme="compact"]) .highlighted:dir(rtl) { box-shadow: inset -4px 0 0 var(--_accent); }
:host([theme="compact"]) .offer { grid-column: 2; grid-template-columns: minmax(0, 1fr) 11rem; column-gap: 16px; }
:host([theme="compact"]) .offer > * { grid-column: 1; }
:host([theme="compact"]) .more { grid-column: 2; }
:host([theme="compact"]) .offer > .act { grid-column: 2; grid-row: 1 / span 3; margin: 0; align-self: center; }
:host([theme="compact"]) .head { grid-column: 1; grid-row: 1 / span 9; }
:host([theme="compact"]) .figure { font-size: 1.3rem; }
:host([theme="compact"]) .features { grid-column: 1 / -1; grid-template-columns: repeat(auto-fill, minmax(min(100%, 12rem), 1fr)); margin-block-start: 12px; font-size: .9rem; }
/* Rows across all cards: head, name of the offer, amount with its terms, quantity, button, other offers, features. Gaps are margins, because a row that no card uses has no gap. */
@supports (grid-template-rows: subgrid) {
  :host(:not([theme="compact"])) .cards:not(.waiting) { row-gap: 0; margin-block-end: calc(-1 * var(--_gap)); }
  :host(:not([theme="compact"])) .cards > li { grid-row: span 7; grid-template-rows: subgrid; margin-block-end: var(--_gap); }
  :host(:not([theme="compact"])) .cards > li > .card { display: grid; grid-row: 1 / span 7; grid-template-rows: subgrid; gap: 0; }
  :host(:not([theme="compact"])) .card > .head { grid-row: 1; align-content: start; margin-block-end: 16px; }
  :host(:not([theme="compact"])) .card > .offer { grid-row: 2 / span 4; grid-template-rows: subgrid; gap: 0; }
  :host(:not([theme="compact"])) .card > .offer > .top { grid-row: 1; align-content: end; margin-block-end: 8px; }
  :host(:not([theme="compact"])) .card > .offer > .cost { grid-row: 2; }
  :host(:not([theme="compact"])) .card > .offer > .extra { grid-row: 3; margin-block-start: 8px; }
  :host(:not([theme="compact"])) .card > .offer > .act { grid-row: 4; margin-block-start: 16px; }
  :host(:not([theme="compact"])) .card > .more { grid-row: 6; margin-block-start: 16px; }
  :host(:not([theme="compact"])) .card > .features { grid-row: 7; margin-block-start: 16px; align-content: start; }
}
@media (max-width: 560px) {
  .card { padding: 18px; }
  :host([theme="compact"]) .card { display: flex; align-items: stretch; gap: 12px; }
  :host([theme="compact"]) .offer { display: grid; grid-template-columns: minmax(0, 1fr); }
  :host([theme="compact"]) .offer > .act { grid-column: 1; grid-row: auto; }
}
@media (forced-colors: active) { .pick input:checked + .pick-label { forced-color-adjust: none; background: Highlight; color: HighlightText; } .card { border: 1px solid; } }
@media (prefers-reduced-motion: no-preference) { .cta, .pick-label { transition: background-color .12s, color .12s; } }
`

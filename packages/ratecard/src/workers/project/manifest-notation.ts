// How hints write keys of a manifest: as TOML (wrangler.toml) or as JSON (wrangler.json, wrangler.jsonc).

export interface Notation {
  /** Writes a key with its value, which is given as JSON: `main = "src/index.ts"` or `"main": "src/index.ts"`. */
  readonly pair: (key: string, json: string) => string
  /** Writes a section: `[limits]` or `"limits": { … }`. */
  readonly section: (name: string) => string
  /** Says where a key of a section belongs, e.g. `under [limits]`; '' is the top level. */
  readonly place: (section: string) => string
  /** What to do about a list `crons` in another section. */
  readonly strayCrons: string
  /** What to do about `triggers` in another section. */
  readonly strayTriggers: (section: string) => string
}

export const tomlNotation: Notation = {
  pair: (key, json) => `${key} = ${json}`,
  section: (name) => `[${name}]`,
  place: (section) => (section === '' ? 'above the first section' : `under [${section}]`),
  strayCrons: 'Write [triggers] on a line of its own above it.',
  strayTriggers: (section) => `Write it above the line [${section}], or as a section [triggers].`,
}

export const jsonNotation: Notation = {
  pair: (key, json) => `"${key}": ${json}`,
  section: (name) => `"${name}": { … }`,
  place: (section) => (section === '' ? 'at the top level' : `in "${section}"`),
  strayCrons: 'Write "triggers": { "crons": [ … ] } at the top level.',
  strayTriggers: () => 'Write it at the top level.',
}

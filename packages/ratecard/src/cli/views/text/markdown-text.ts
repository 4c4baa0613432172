// Escapes foreign text for the Markdown of code hosts. The text must not be able to format text, link, mention users, embed images or leave
// its table cell.

/** Matches text whose characters all have no special meaning in Markdown, neither inside a code span nor in a table cell. */
const plainInCode = /^[\p{L}\p{N}\p{M}\p{Sc}\p{Zs} .,:;/+\-_%()'"“”‘’^={}?$&→…·•¦§°–—]*$/u

/** Formats a value as a code span, in which code hosts (e.g. GitHub) make no links or mentions. Truncates it to `longest` characters. */
export function codeText(text: string, longest = 300): string {
  const line = text.replaceAll(/\s*[\r\n\t]+\s*/g, ' ').trim()
  if (line === '') return ''
  const characters = Array.from(line)
  const shown = characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : line
  return plainInCode.test(shown) ? `\`${shown}\`` : `<code>${escapeEntities(shown)}</code>`
}

/** Replaces all characters but letters, digits and spaces by HTML entities, so that nothing is parsed as Markdown or HTML. */
const escapeEntities = (text: string) =>
  Array.from(text, (character) =>
    /[\p{L}\p{N}\p{M} ]/u.test(character) ? character : `&#${String(character.codePointAt(0) ?? 0xfffd)};`,
  ).join('')

/** Escapes foreign prose. Letters and punctuation stay, but nothing is formatted, linked or mentioned. */
export function proseText(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\`*_~|[\]!{}$]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[@#](?=\w)|(?<=\w)(?:@|:(?=\/\/))|(?<=www)\./g, `$&${joiner}`)
    .trim()
}

/** Invisible character that breaks up `@name`, `#1` and addresses, so that code hosts do not link them. */
const joiner = '\u200c'

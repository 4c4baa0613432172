// Text of others in Markdown, as a code host shows it: it may neither format anything nor link, mention, embed or leave its cell.

/** What says nothing to Markdown inside a code span, nor to the table around it. */
const plainInCode = /^[\p{L}\p{N}\p{M}\p{Sc}\p{Zs} .,:;/+\-_%()'"“”‘’^={}?$&→…·•¦§°–—]*$/u

/** A value as code, where code hosts link and mention nothing. Cut off at `longest` characters. */
export function codeText(text: string, longest = 300): string {
  const line = text.replaceAll(/\s*[\r\n\t]+\s*/g, ' ').trim()
  if (line === '') return ''
  const characters = Array.from(line)
  const shown = characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : line
  return plainInCode.test(shown) ? `\`${shown}\`` : `<code>${entities(shown)}</code>`
}

/** Every character but letters, digits and spaces by its number: nothing in it can be taken for Markdown or HTML. */
const entities = (text: string) =>
  Array.from(text, (character) =>
    /[\p{L}\p{N}\p{M} ]/u.test(character) ? character : `&#${String(character.codePointAt(0) ?? 0xfffd)};`,
  ).join('')

/** A sentence of others: letters and signs as they are, but nothing that formats, links or mentions. */
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

/** Stands between characters, is not seen, and keeps `@name`, `#1` and addresses from being found. */
const joiner = '\u200c'

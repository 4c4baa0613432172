/** Returns a table row. Escapes pipes and replaces line breaks, because both would end the cell. */
export function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')).join(' | ')} |`
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(row)].join('\n')
}

/** A field, parameter, setting or option in a reference table. */
export interface Described {
  /** Its name as it is written, e.g. `currency` or `--limit <n>`. */
  readonly name: string
  readonly required?: boolean
  readonly meaning: string
  /** What it may hold, the shortest first and limits last: type, default, range, pattern. Empty texts are left out. */
  readonly value: readonly string[]
}

/**
 * Returns a table of two columns: the name with its meaning below it, and the value. More columns would leave the meaning, which is read
 * most, a seventh of the page, and nothing of it on a phone.
 */
export function describedTable(head: readonly [what: string, value: string], rows: readonly Described[]): string {
  return table(
    head,
    rows.map(({ name, required = false, meaning, value }) => [
      lines([`${code(name)}${required ? ' *required*' : ''}`, meaning]),
      lines(value),
    ]),
  )
}

const lines = (texts: readonly string[]) => texts.filter((text) => text !== '').join('<br>')

export const code = (text: string) => `\`${text}\``

/** Returns a generated page. Its first lines name the source, because the page must not be edited by hand. */
export function page(title: string, source: string, blocks: readonly string[]): string {
  return `${[`# ${title}`, `<!-- Generated from ${source} by \`npm run generate\`. Do not edit. -->`, ...blocks].join('\n\n')}\n`
}

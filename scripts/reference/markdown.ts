/** Returns a table row. Escapes pipes and replaces line breaks, because both would end the cell. */
export function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')).join(' | ')} |`
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(row)].join('\n')
}

export const code = (text: string) => `\`${text}\``

/** Returns a generated page. Its first lines name the source, because the page must not be edited by hand. */
export function page(title: string, source: string, blocks: readonly string[]): string {
  return `${[`# ${title}`, `<!-- Generated from ${source} by \`npm run generate\`. Do not edit. -->`, ...blocks].join('\n\n')}\n`
}

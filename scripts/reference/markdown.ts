/** A table row. Pipes are escaped and line ends replaced, because they would end the cell. */
export function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')).join(' | ')} |`
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(row)].join('\n')
}

export const code = (text: string) => `\`${text}\``

/** A generated page. Its first lines name the source, because it must not be edited by hand. */
export function page(title: string, source: string, blocks: readonly string[]): string {
  return `${[`# ${title}`, `<!-- Generated from ${source} by \`npm run generate\`. Do not edit. -->`, ...blocks].join('\n\n')}\n`
}

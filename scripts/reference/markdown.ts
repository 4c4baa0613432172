/** A table row; pipes and line ends in cells would end the cell, so they are escaped. */
export function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')).join(' | ')} |`
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(row)].join('\n')
}

export const code = (text: string) => `\`${text}\``

/** Pages are never edited by hand: the first line says where they come from. */
export function page(title: string, source: string, blocks: readonly string[]): string {
  return `${[`# ${title}`, `<!-- Generated from ${source} by \`npm run generate\`. Do not edit. -->`, ...blocks].join('\n\n')}\n`
}

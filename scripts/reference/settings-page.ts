import { settingsSchema } from '../../packages/ratecard/src/server/settings.ts'
import { code, describedTable, page } from './markdown.ts'
import { limitsText, plainSchema, typeText } from './schema-text.ts'

const intro = `Everything is set by environment variables, read once at start. All mistakes are told together, by name, never by value. An empty
variable counts as absent, unless its meaning says what empty is. A variable that begins with \`RATECARD_\` and is no setting is named in the log, with the nearest setting.`

export function settingsPage(): string {
  const rows = Object.entries(plainSchema(settingsSchema).properties ?? {}).map(([name, node]) => ({
    name,
    meaning: node.description ?? '',
    value: [
      typeText(node),
      node.default === undefined
        ? ''
        : `default ${code(typeof node.default === 'string' ? node.default : JSON.stringify(node.default))}`,
      limitsText(node),
    ],
  }))
  return page('Settings', 'packages/ratecard/src/server/settings.ts', [
    intro,
    describedTable(['Variable', 'Value'], rows),
  ])
}

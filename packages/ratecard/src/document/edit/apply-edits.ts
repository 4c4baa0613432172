// Edits values inside the text of a configuration file. All other bytes stay unchanged: comments, order, formatting. After an edit, the
// text is parsed and compared with the expected document. If they differ, the edit is rejected.
import { canonicalJson } from '../schema/canonical/canonical.ts'
import { editJson } from './edit-json.ts'
import { editYaml } from './edit-yaml.ts'
import { parseSource, type ConfigSource } from '../files/source.ts'
import { NotEditable, type EditPath, type SourceEdit } from './edit.ts'

/** Applies the edits one after the other, so that a path may refer to the result of an earlier edit. Throws {@link NotEditable}. */
export function editSource(source: ConfigSource, edits: readonly SourceEdit[]): string {
  const mark = source.text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const edit = /\.ya?ml$/i.test(source.path) ? editYaml : editJson
  let text = source.text.slice(mark.length)
  let expected = parseSource({ path: source.path, text }).document
  for (const one of edits) {
    expected = withValueAt(expected, one.path, one.value)
    text = edit(text, one)
    const { document } = parseSource({ path: source.path, text })
    if (document === undefined || canonicalJson(document) !== canonicalJson(expected))
      throw new NotEditable(`${one.path.join('.')} cannot be changed without touching something else.`)
  }
  return mark + text
}

/**
 * Returns the minimal edits that turn `before` into `after`: member by member and item by item. A value is replaced as a whole if its type
 * changes.
 */
export function editsBetween(before: unknown, after: unknown, path: EditPath): SourceEdit[] {
  if (canonicalJson(before) === canonicalJson(after) && (before === undefined) === (after === undefined)) return []
  if (isObject(before) && isObject(after)) {
    const gone = Object.keys(before).filter((key) => after[key] === undefined)
    return [
      ...Object.entries(after).flatMap(([key, value]) =>
        value === undefined ? [] : editsBetween(before[key], value, [...path, key]),
      ),
      ...gone.map((key) => ({ path: [...path, key], value: undefined })),
    ]
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length > 0 && after.length > 0)
    return listEdits(before as readonly unknown[], after as readonly unknown[], path)
  return [{ path, value: after }]
}

function listEdits(before: readonly unknown[], after: readonly unknown[], path: EditPath): SourceEdit[] {
  if ([...before, ...after].every((item) => typeof item === 'string')) return setEdits(before, after, path)
  const shared = Math.min(before.length, after.length)
  const edits = after
    .slice(0, shared)
    .flatMap((value, index): SourceEdit[] => editsBetween(before[index], value, [...path, index]))
  for (let index = before.length - 1; index >= shared; index--) edits.push({ path: [...path, index], value: undefined })
  for (let index = shared; index < after.length; index++) edits.push({ path: [...path, index], value: after[index] })
  return edits
}

/** Returns the edits of a list of names. The order of names has no meaning, so items that stay keep their position and their comments. */
function setEdits(before: readonly unknown[], after: readonly unknown[], path: EditPath): SourceEdit[] {
  const stays = before.filter((item) => after.includes(item))
  if (stays.length === 0) return [{ path, value: after }]
  const gone = before.flatMap((item, index) => (after.includes(item) ? [] : [index])).reverse()
  const come = after.filter((item) => !before.includes(item))
  return [
    ...gone.map((index) => ({ path: [...path, index], value: undefined })),
    ...come.map((value, index) => ({ path: [...path, stays.length + index], value })),
  ]
}

function withValueAt(document: unknown, path: EditPath, value: unknown): unknown {
  const [token, ...rest] = path
  if (token === undefined) return value
  if (Array.isArray(document)) {
    const items = [...(document as readonly unknown[])]
    if (rest.length === 0 && value === undefined) items.splice(Number(token), 1)
    else items[Number(token)] = withValueAt(items[Number(token)], rest, value)
    return items
  }
  const members = isObject(document) ? document : {}
  if (rest.length > 0 || value !== undefined)
    return { ...members, [token]: withValueAt(members[String(token)], rest, value) }
  return Object.fromEntries(Object.entries(members).filter(([key]) => key !== String(token)))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

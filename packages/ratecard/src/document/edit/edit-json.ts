// Makes one change in JSON text, at the offsets of its parsed nodes. No formatter is used, because it would reformat the lines around the
// change.
import { findNodeAtLocation, parseTree, type Node } from 'jsonc-parser'
import { NotEditable, type SourceEdit } from './edit.ts'

/** Sets or removes one value. The caller parses and verifies the result. */
export function editJson(text: string, { path, value }: SourceEdit): string {
  const root = parseTree(text, [], { allowTrailingComma: true })
  const parent = root === undefined ? undefined : findNodeAtLocation(root, path.slice(0, -1))
  const token = path.at(-1)
  if (parent === undefined || token === undefined)
    throw new NotEditable(`${path.join('.')} cannot be written: the file has no object or list to contain it.`)
  const children = parent.children ?? []
  const child =
    parent.type === 'array' ? children[Number(token)] : children.findLast((member) => keyOf(member) === token)
  if (value === undefined) return child === undefined ? text : removeChild(text, parent, child)
  if (child === undefined) return addChild(text, parent, parent.type === 'array' ? null : String(token), value)
  const node = parent.type === 'array' ? child : (child.children?.[1] ?? child)
  return text.slice(0, node.offset) + jsonText(text, value, indentAt(text, child.offset)) + text.slice(endOf(node))
}

function keyOf(member: Node): unknown {
  return member.children?.[0]?.value
}

function endOf(node: Node): number {
  return node.offset + node.length
}

function addChild(text: string, parent: Node, key: string | null, value: unknown): string {
  const eol = eolOf(text)
  const last = parent.children?.at(-1)
  const member = (indent: string | null) =>
    (key === null ? '' : `${JSON.stringify(key)}: `) + jsonText(text, value, indent)
  if (last === undefined) {
    const open = parent.offset + 1
    const space = parent.type === 'object' ? ' ' : ''
    return `${text.slice(0, open)}${space}${member(null)}${space}${text.slice(endOf(parent) - 1)}`
  }
  const indent = indentAt(text, last.offset)
  const line = lineEnd(text, endOf(last))
  const rest = text.slice(endOf(last), line)
  // Insert the new member on this line if another member or the closing bracket follows on it.
  if (indent === null || !/^\s*,?\s*(\/\/.*|\/\*((?!\*\/).)*\*\/\s*)?$/.test(rest))
    return `${text.slice(0, endOf(last))}, ${member(null)}${text.slice(endOf(last))}`
  const comma = /^\s*,/.test(rest)
  const before = text.slice(0, endOf(last)) + (comma ? '' : ',') + rest
  return `${before}${eol}${indent}${member(indent)}${comma ? ',' : ''}${text.slice(line)}`
}

function removeChild(text: string, parent: Node, child: Node): string {
  const children = parent.children ?? []
  const index = children.indexOf(child)
  const [previous, next] = [children[index - 1], children[index + 1]]
  if (previous === undefined && next === undefined)
    return text.slice(0, parent.offset + 1) + text.slice(endOf(parent) - 1)
  const line = lineEnd(text, endOf(child))
  const ownLine =
    indentAt(text, child.offset) !== null &&
    /^\s*,?\s*(\/\/.*|\/\*((?!\*\/).)*\*\/\s*)?$/.test(text.slice(endOf(child), line))
  if (!ownLine)
    return next === undefined && previous !== undefined
      ? text.slice(0, endOf(previous)) + text.slice(endOf(child))
      : text.slice(0, child.offset) + text.slice(next?.offset ?? endOf(child))
  const start = text.lastIndexOf('\n', child.offset - 1) + 1
  const end = text.indexOf('\n', line) + 1
  const kept = text.slice(0, start)
  const closes = next === undefined && !/^\s*,/.test(text.slice(endOf(child), line))
  if (!closes || previous === undefined) return kept + text.slice(end)
  // Remove the comma after the member that is now the last one. It separated that member from the removed member.
  return kept.slice(0, endOf(previous)) + kept.slice(endOf(previous)).replace(',', '') + text.slice(end)
}

/**
 * Returns the JSON text of a value. If the value starts on its own line, the text has several lines with the file's indentation; otherwise
 * it has one line.
 */
function jsonText(text: string, value: unknown, indent: string | null): string {
  const flat = JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return flat
  const scalars = Object.values(value).every((member) => typeof member !== 'object' || member === null)
  if (indent === null || (Array.isArray(value) && scalars)) return inlineJson(value)
  const unit = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
  return JSON.stringify(value, null, unit)
    .split('\n')
    .join(`${eolOf(text)}${indent}`)
}

function inlineJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inlineJson).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${inlineJson(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** Returns the indentation of the line that contains `offset`; null if `offset` is not at the first token of the line. */
function indentAt(text: string, offset: number): string | null {
  const before = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  return /^[ \t]*$/.test(before) && text.lastIndexOf('\n', offset - 1) >= 0 ? before : null
}

function lineEnd(text: string, offset: number): number {
  const line = text.indexOf('\n', offset)
  if (line < 0) return text.length
  return text[line - 1] === '\r' ? line - 1 : line
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

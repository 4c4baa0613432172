// Makes one change in YAML text, at the offsets of its parsed nodes. The YAML library's output is not used, because it would reformat the
// whole document.
import { isAlias, isCollection, isMap, isNode, isScalar, isSeq, parseDocument, stringify } from 'yaml'
import type { Document, Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml'
import { NotEditable, type EditPath, type SourceEdit } from './edit.ts'

interface YamlSource {
  readonly text: string
  readonly eol: string
}

/** Sets or removes one value. The caller parses and verifies the result. */
export function editYaml(text: string, { path, value }: SourceEdit): string {
  const document = parseDocument(text, { version: '1.2', schema: 'core' })
  const place: YamlSource = { text, eol: text.includes('\r\n') ? '\r\n' : '\n' }
  const token = path.at(-1)
  const parent = nodeAt(document, path.slice(0, -1))
  if (token === undefined || parent === undefined) throw notEditable(path)
  if (isMap(parent)) return editMap(place, parent, String(token), value, path)
  if (isSeq(parent)) return editSeq(place, parent, Number(token), value, path)
  throw notEditable(path)
}

function nodeAt(document: Document, path: EditPath): Node | undefined {
  let node: unknown = document.contents
  for (const token of path) {
    if (isMap(node)) node = pairOf(node, String(token))?.value
    else if (isSeq(node)) node = node.items[Number(token)]
    else return undefined
    if (isAlias(node)) throw notEditable(path)
  }
  return isNode(node) ? node : undefined
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.findLast((pair) => isScalar(pair.key) && String(pair.key.value) === key)
}

function editMap(place: YamlSource, map: YAMLMap, key: string, value: unknown, path: EditPath): string {
  const pair = pairOf(map, key)
  if (value === undefined) {
    if (pair === undefined) throw notEditable(path)
    return removeItem(place, map, map.items.indexOf(pair), (at) => startOf(map.items[at]?.key, path), path)
  }
  if (pair !== undefined) return replaceNode(place, pair, value, isFlow(map), path)
  return addItem(place, map, { [key]: value }, path)
}

function editSeq(place: YamlSource, seq: YAMLSeq, index: number, value: unknown, path: EditPath): string {
  if (value === undefined) return removeItem(place, seq, index, (at) => itemStart(place, seq, at, path), path)
  if (index === seq.items.length) return addItem(place, seq, [value], path)
  const item = seq.items[index]
  if (!isNode(item)) throw notEditable(path)
  return spliceValue(place, item, value, isFlow(seq), path)
}

/** Returns the start offset of a list item: of its dash or, in a flow sequence (`[a, b]`), of the item itself. */
function itemStart({ text }: YamlSource, seq: YAMLSeq, index: number, path: EditPath): number {
  const start = startOf(seq.items[index], path)
  return isFlow(seq) ? start : text.lastIndexOf('-', start - 1)
}

function replaceNode(place: YamlSource, pair: Pair, value: unknown, flow: boolean, path: EditPath): string {
  if (isNode(pair.value)) return spliceValue(place, pair.value, value, flow, path)
  throw notEditable(path)
}

function spliceValue({ text }: YamlSource, node: Node, value: unknown, flow: boolean, path: EditPath): string {
  if (
    isAlias(node) ||
    ((isScalar(node) || isCollection(node)) && (node.anchor !== undefined || node.tag !== undefined))
  )
    throw notEditable(path)
  const [start, end] = rangeOf(node, path)
  const old = text.slice(start, end)
  // The text of a block node includes its final line break. This line break must stay in front of the next node.
  const tail = /\r?\n[ \t]*$/.exec(old)?.[0] ?? ''
  const gap = start > 0 && text[start - 1] === ':' ? ' ' : ''
  return text.slice(0, start) + gap + inlineYaml(value, flow, isScalar(node) ? node : null) + tail + text.slice(end)
}

/** Returns a value as text on one line. A string keeps its former quotes where possible. */
function inlineYaml(value: unknown, flow: boolean, before: Scalar | null): string {
  if (typeof value !== 'string') return JSON.stringify(value).replace(/^(\{.*\}|\[.*\])$/s, flowYaml)
  if (before?.type === 'QUOTE_SINGLE' && !/['\n\r]/.test(value)) return `'${value}'`
  if (before?.type === 'QUOTE_DOUBLE') return JSON.stringify(value)
  const plain = stringify(value, { lineWidth: 0 }).trimEnd()
  return plain === value && !(flow && /[,[\]{}]/.test(value)) ? plain : JSON.stringify(value)
}

function flowYaml(json: string): string {
  return stringify(JSON.parse(json), { collectionStyle: 'flow', lineWidth: 0 }).trimEnd()
}

/** Adds an item after the last one, in the style of the list (flow or block). */
function addItem(place: YamlSource, parent: YAMLMap | YAMLSeq, item: object, path: EditPath): string {
  const { text, eol } = place
  const [start, end] = rangeOf(parent, path)
  if (isFlow(parent)) {
    const inner = stringify(item, { collectionStyle: 'flow', lineWidth: 0 }).trim().slice(1, -1).trim()
    const last = lastEnd(parent, path)
    const at = last ?? start + 1
    return `${text.slice(0, at)}${last === null ? '' : ', '}${inner}${text.slice(at)}`
  }
  const last = lastEnd(parent, path)
  if (last === null)
    return text.slice(0, start) + stringify(item, { collectionStyle: 'flow', lineWidth: 0 }).trim() + text.slice(end)
  const indent = ' '.repeat(columnOf(text, start))
  const lines = stringify(item, { lineWidth: 0 }).trimEnd().split('\n')
  const block = lines.map((line) => (line === '' ? line : indent + line)).join(eol)
  const at = lineEnd(text, last)
  return `${text.slice(0, at)}${eol}${block}${text.slice(at)}`
}

/**
 * Removes an item of a list. For a block list, removes the item's lines with their trailing comments. Comments on their own lines belong to
 * the next item and stay.
 */
function removeItem(
  place: YamlSource,
  parent: YAMLMap | YAMLSeq,
  index: number,
  startAt: (index: number) => number,
  path: EditPath,
): string {
  const { text } = place
  const count = parent.items.length
  if (index < 0 || index >= count) throw notEditable(path)
  if (count === 1) {
    const [start, end] = rangeOf(parent, path)
    const tail = /\r?\n[ \t]*$/.exec(text.slice(start, end))?.[0] ?? ''
    return `${text.slice(0, start)}${isMap(parent) ? '{}' : '[]'}${tail}${text.slice(end)}`
  }
  const start = startAt(index)
  if (isFlow(parent)) {
    if (index < count - 1) return text.slice(0, start) + text.slice(startAt(index + 1))
    return (
      text.slice(0, contentEnd(parent.items[index - 1], text, path)) +
      text.slice(contentEnd(parent.items[index], text, path))
    )
  }
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  // The first member of a list item is on the line of the dash. So after its removal, the next member moves up to that position.
  if (text.slice(lineStart, start).trim() !== '') return text.slice(0, start) + text.slice(startAt(index + 1))
  const after = lineEnd(text, contentEnd(parent.items[index], text, path))
  const next = text.indexOf('\n', after)
  if (next >= 0) return text.slice(0, lineStart) + text.slice(next + 1)
  return text.slice(0, Math.max(0, lineStart - (text.slice(0, lineStart).endsWith('\r\n') ? 2 : 1)))
}

function lastEnd(parent: YAMLMap | YAMLSeq, path: EditPath): number | null {
  const last: unknown = parent.items.at(-1)
  return last === undefined ? null : contentEndOf(last, path)
}

function contentEnd(item: unknown, text: string, path: EditPath): number {
  const end = contentEndOf(item, path)
  // The range of a block includes its final line break. The content ends before it.
  return text.slice(0, end).trimEnd().length
}

function contentEndOf(item: unknown, path: EditPath): number {
  if (isNode(item)) return innerEnd(item, path)
  const pair = item as Pair
  return isNode(pair.value) ? innerEnd(pair.value, path) : rangeOf(pair.key, path)[1]
}

/**
 * Returns the offset at which a node ends, without trailing comments. The range of a block also contains comments after its last item. So
 * for a block, returns the end of its last item.
 */
function innerEnd(node: Node, path: EditPath): number {
  if ((isMap(node) || isSeq(node)) && !isFlow(node)) return lastEnd(node, path) ?? rangeOf(node, path)[1]
  return rangeOf(node, path)[1]
}

function lineEnd(text: string, end: number): number {
  const content = text.slice(0, end).trimEnd().length
  const line = text.indexOf('\n', content)
  if (line < 0) return text.length
  return text[line - 1] === '\r' ? line - 1 : line
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1)
}

function isFlow(node: YAMLMap | YAMLSeq): boolean {
  return node.flow === true
}

function startOf(node: unknown, path: EditPath): number {
  return rangeOf(node, path)[0]
}

function rangeOf(node: unknown, path: EditPath): readonly [number, number] {
  const range = isNode(node) ? node.range : undefined
  if (range === undefined || range === null) throw notEditable(path)
  return [range[0], range[1]]
}

function notEditable(path: EditPath): NotEditable {
  return new NotEditable(`${path.join('.')} cannot be changed without touching something else.`)
}

// Creates elements with DOM calls and never from HTML text, so that text of a price list cannot become HTML.

export type Child = Node | string | null
type Attributes = Readonly<Record<string, string>>

export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children.filter((child) => child !== null))
  return element
}

/**
 * Returns an element with a text of the seller, in the text's own writing direction (e.g. right to left for Arabic). Null if there is no
 * text.
 */
export function textElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  name: string,
  content: string | undefined,
): HTMLElementTagNameMap[Tag] | null {
  const words = content?.trim() ?? ''
  return words === '' ? null : h(tag, { class: name, part: name, dir: 'auto' }, words)
}

export interface MenuGroup {
  readonly text: string
  readonly items: readonly { readonly text: string; readonly link: string }[]
}

export function menuOf(readme: string): readonly MenuGroup[]

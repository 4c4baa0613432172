// Texts of the price list in the language of the page, from `ui.translations`. Pure.
import type { Price, Product } from '../../ratecard/src/document/schema/schema.ts'

/** Plural forms of a noun by category, e.g. `{ one: 'seat', other: 'seats' }`. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

/** Name of one unit: plural forms, or one form for all numbers. */
export type Unit = string | Plural

/** Returns the form of a unit for a quantity, e.g. `seats` for 3. */
export function unitFor(unit: Unit, quantity: number, locale: string): string {
  if (typeof unit === 'string') return unit
  return unit[new Intl.PluralRules(locale).select(quantity)] ?? unit.other
}

/** Returns the entry for the locale or, if there is none, for its language: `de` for `de-AT`. */
function entryFor<Entry>(translations: Readonly<Record<string, Entry>> | undefined, locale: string): Entry | undefined {
  const known = new Map(Object.entries(translations ?? {}).map(([name, entry]) => [name.toLowerCase(), entry]))
  const parts = locale.toLowerCase().split('-')
  for (let length = parts.length; length > 0; length--) {
    const entry = known.get(parts.slice(0, length).join('-'))
    if (entry !== undefined) return entry
  }
  return undefined
}

/** Price with the plural forms of its unit in the language of the page. */
export interface WithUnit {
  readonly unit?: Unit
}

/** Returns the price list with its texts in the language of the locale. Texts without a translation stay as they are. */
export function inLanguage<List extends { readonly products: readonly Product[] }>(list: List, locale: string): List {
  return { ...list, products: list.products.map((product) => productIn(product, locale)) }
}

function productIn(product: Product, locale: string): Product {
  const prices = product.prices?.map((price) => priceIn(price, locale))
  const texts = entryFor(product.ui?.translations, locale)
  const { unit, ...shown } = texts ?? {}
  return {
    ...product,
    ...(prices === undefined ? {} : { prices }),
    ...(texts === undefined ? {} : { ui: { ...product.ui, ...shown } }),
    ...(unit === undefined ? {} : { unit }),
  }
}

function priceIn(price: Price, locale: string): Price {
  const texts = entryFor(price.ui?.translations, locale)
  if (texts === undefined) return price
  const { custom_text, suffix, limits, unit, ...shown } = texts
  const display = {
    ...price.ui?.price_display,
    ...(custom_text === undefined ? {} : { custom_text }),
    ...(suffix === undefined ? {} : { suffix }),
  }
  const translated = limits?.map((text) => ({ text }))
  return {
    ...price,
    ui: { ...price.ui, ...shown, price_display: display, ...(translated === undefined ? {} : { limits: translated }) },
    ...(unit === undefined ? {} : { unit }),
  }
}

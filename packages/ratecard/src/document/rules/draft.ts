// A view of an unvalidated document for rules. Rules can run although other parts of the document are malformed: the view returns undefined
// for a value of the wrong type, and the schema check reports the value.
import type { IssueCode } from '../../base/errors/codes.ts'
import { pointerToken, type Issue } from '../../base/errors/issue.ts'
import { didYouMean } from '../../base/errors/suggest.ts'

/** One object of the document with its pointer. */
export class Entry {
  readonly pointer: string
  readonly #fields: Readonly<Record<string, unknown>>

  constructor(fields: Readonly<Record<string, unknown>>, pointer: string) {
    this.#fields = fields
    this.pointer = pointer
  }

  has(name: string): boolean {
    return this.value(name) !== undefined
  }

  value(name: string): unknown {
    return Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined
  }

  text(name: string): string | undefined {
    const value = this.value(name)
    return typeof value === 'string' ? value : undefined
  }

  number(name: string): number | undefined {
    const value = this.value(name)
    return typeof value === 'number' ? value : undefined
  }

  list(name: string): readonly unknown[] {
    const value = this.value(name)
    return Array.isArray(value) ? value : []
  }

  /** Returns the objects of a list. Skips items that are not objects. Indexes in pointers still count the skipped items. */
  entries(name: string): readonly Entry[] {
    return this.list(name).flatMap((item, index) =>
      isObject(item) ? [new Entry(item, `${this.at(name)}/${index}`)] : [],
    )
  }

  /** Returns the object under `name`; an empty one if there is no object. */
  child(name: string): Entry {
    const value = this.value(name)
    return new Entry(isObject(value) ? value : {}, `${this.pointer}/${pointerToken(name)}`)
  }

  keys(): readonly string[] {
    return Object.keys(this.#fields)
  }

  /** Returns the pointer to a field. The name must not need escaping. */
  at(name: string): string {
    return `${this.pointer}/${name}`
  }
}

export interface ProductDraft {
  readonly product: Entry
  readonly prices: readonly Entry[]
}

export interface Draft {
  readonly root: Entry
  readonly products: readonly ProductDraft[]
  readonly prices: readonly Entry[]
  readonly features: readonly Entry[]
  readonly meters: readonly Entry[]
  readonly webhooks: readonly Entry[]
  readonly coupons: readonly Entry[]
  readonly promotionCodes: readonly Entry[]
  readonly taxRates: readonly Entry[]
  readonly portals: readonly Entry[]
  /**
   * Returns `Did you mean …?` with the most similar candidate. Returns undefined if no candidate is similar, or if the document already has
   * the maximum number of suggestions.
   */
  readonly suggest: (word: string, candidates: readonly string[]) => string | undefined
}

export function draftOf(document: unknown): Draft {
  const root = new Entry(isObject(document) ? document : {}, '#')
  const products = root.entries('products').map((product) => ({ product, prices: product.entries('prices') }))
  return {
    root,
    products,
    prices: products.flatMap(({ prices }) => prices),
    features: root.entries('features'),
    meters: root.entries('meters'),
    webhooks: root.entries('webhooks'),
    coupons: root.entries('coupons'),
    promotionCodes: root.entries('promotion_codes'),
    taxRates: root.entries('tax_rates'),
    portals: root.entries('portal'),
    suggest: createSuggester(),
  }
}

// Maximum number of suggestions per document. Comparing words is the most expensive operation of a rule, and a hostile document must not
// cause too many comparisons.
const maxSuggestions = 100
const maxCandidates = 500
/**
 * Maximum number of letter comparisons per document. For scale: comparing 100 words of 20 letters with 500 candidates of 20 letters takes
 * 20 million.
 */
const maxComparisons = 40_000_000

function createSuggester(): Draft['suggest'] {
  let left = maxSuggestions
  let comparisons = maxComparisons
  return (word, candidates) => {
    if (left === 0 || comparisons <= 0 || word.length > 100) return undefined
    left--
    const compared = candidates.slice(0, maxCandidates)
    comparisons -=
      word.length * compared.reduce((letters, { length }) => letters + Math.min(length, 2 * word.length), 0)
    return didYouMean(word, compared)
  }
}

/**
 * A rule about a whole document. It returns the issues that it finds, and never throws. Each rule has a row in the rule table of the
 * specification, or in the table of rules that Ratecard adds.
 */
export type Rule = (draft: Draft) => readonly Issue[]

export function errorIssue(code: IssueCode, pointer: string, detail: string, hint?: string): Issue {
  return { code, pointer, severity: 'error', detail, ...(hint === undefined ? {} : { hint }) }
}

export function warningIssue(code: IssueCode, pointer: string, detail: string, hint?: string): Issue {
  return { ...errorIssue(code, pointer, detail, hint), severity: 'warning' }
}

/** Returns e.g. `The price "solo_monthly"`, or `The price` if the item has no id. */
export function entryName(kind: string, entry: Entry, article: 'The' | 'the' = 'The'): string {
  const id = entry.text('id')
  return id === undefined ? `${article} ${kind}` : `${article} ${kind} ${quoteValue(id)}`
}

const maxQuoteLength = 80

/** Returns a value as JSON for a message, truncated to 80 characters. */
export function quoteValue(value: unknown): string {
  // Cut the string before it is serialized, because thousands of messages may quote the same string of several megabytes.
  const short = typeof value === 'string' ? value.slice(0, maxQuoteLength) : value
  const text = short === undefined ? 'nothing' : JSON.stringify(short)
  return text.length > maxQuoteLength ? `${text.slice(0, maxQuoteLength - 1)}…` : text
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

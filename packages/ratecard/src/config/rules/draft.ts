// A lenient view of an unchecked document, so that rules can run although other parts are malformed. Readers return undefined for a value
// of the wrong type, which the shape check reports.
import type { IssueCode } from '../../errors/codes.ts'
import { pointerToken, type Issue } from '../../errors/issue.ts'
import { didYouMean } from '../../errors/suggest.ts'

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

  /** The objects of a list. Other items are skipped, but indexes are kept. */
  entries(name: string): readonly Entry[] {
    return this.list(name).flatMap((item, index) =>
      isObject(item) ? [new Entry(item, `${this.at(name)}/${index}`)] : [],
    )
  }

  /** The object under `name`; empty if there is none. */
  child(name: string): Entry {
    const value = this.value(name)
    return new Entry(isObject(value) ? value : {}, `${this.pointer}/${pointerToken(name)}`)
  }

  keys(): readonly string[] {
    return Object.keys(this.#fields)
  }

  /** Pointer to a field whose name needs no escaping. */
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
  /** `Did you mean …?`; undefined if no candidate is similar or the limit per document is reached. */
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
    suggest: suggestions(),
  }
}

// Limits per document. Comparing words is the most expensive operation of a rule, and a hostile document must not multiply it.
const maxSuggestions = 100
const maxCandidates = 500
/** Limit of letter comparisons: 100 words of 20 letters with 500 candidates of the same length need 20 million. */
const maxComparisons = 40_000_000

function suggestions(): Draft['suggest'] {
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

/** A row of the specification's rule table, or of its elaboration: a pure function of the whole document. Never throws. */
export type Rule = (draft: Draft) => readonly Issue[]

export function problem(code: IssueCode, pointer: string, detail: string, hint?: string): Issue {
  return { code, pointer, severity: 'error', detail, ...(hint === undefined ? {} : { hint }) }
}

export function warning(code: IssueCode, pointer: string, detail: string, hint?: string): Issue {
  return { ...problem(code, pointer, detail, hint), severity: 'warning' }
}

/** `The price "solo_monthly"`, or `The price` if it has no id. */
export function named(kind: string, entry: Entry, article: 'The' | 'the' = 'The'): string {
  const id = entry.text('id')
  return id === undefined ? `${article} ${kind}` : `${article} ${kind} ${quoted(id)}`
}

const maxQuoteLength = 80

/** A value as JSON, truncated to 80 characters for a message. */
export function quoted(value: unknown): string {
  // Sliced before serializing, because thousands of messages may quote the same string of several megabytes.
  const short = typeof value === 'string' ? value.slice(0, maxQuoteLength) : value
  const text = short === undefined ? 'nothing' : JSON.stringify(short)
  return text.length > maxQuoteLength ? `${text.slice(0, maxQuoteLength - 1)}…` : text
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// Finds the line and column of keys and values in a TOML text, because the TOML parser does not return them. Error messages contain these
// positions. The text has already been parsed, so its syntax is valid.

export interface Position {
  readonly line: number
  readonly column: number
}

type Path = readonly (string | number)[]

/**
 * Returns the position of the value at a path. If the value has no position, returns that of its closest parent, otherwise the start of the
 * text.
 */
export interface ManifestPositions {
  value(path: Path): Position
  key(path: Path): Position
}

export function locateToml(text: string): ManifestPositions {
  const walker = new Walker(text)
  walker.document()
  const find = (offsets: ReadonlyMap<string, number>, path: Path): number | undefined => offsets.get(keyOf(path))
  const nearest = (path: Path): number => {
    for (let length = path.length; length > 0; length--) {
      const part = path.slice(0, length)
      const offset = find(walker.values, part) ?? find(walker.keys, part)
      if (offset !== undefined) return offset
    }
    return 0
  }
  return {
    value: (path) => positionAt(text, nearest(path)),
    key: (path) => positionAt(text, find(walker.keys, path) ?? nearest(path)),
  }
}

export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return { line, column: offset - before.lastIndexOf('\n') }
}

function keyOf(path: Path): string {
  return JSON.stringify(path)
}

class Walker {
  readonly keys = new Map<string, number>()
  readonly values = new Map<string, number>()
  private readonly text: string
  private at = 0
  private table: (string | number)[] = []
  private readonly arrayLengths = new Map<string, number>()

  constructor(text: string) {
    this.text = text
  }

  document(): void {
    while (this.more('')) {
      if (this.text[this.at] === '[') this.header()
      else this.pair(this.table)
    }
  }

  private header(): void {
    const isArray = this.text[this.at + 1] === '['
    this.at += isArray ? 2 : 1
    const start = this.at
    const names = this.dottedKey()
    this.at += isArray ? 2 : 1
    this.table = names.flatMap((name, index) => {
      const path = names.slice(0, index + 1)
      const length = this.arrayLengths.get(keyOf(path))
      if (isArray && index === names.length - 1) return [name, length ?? 0]
      return length === undefined ? [name] : [name, length - 1]
    })
    if (isArray) this.arrayLengths.set(keyOf(names), (this.arrayLengths.get(keyOf(names)) ?? 0) + 1)
    for (let length = 1; length <= this.table.length; length++)
      this.remember(this.keys, this.table.slice(0, length), start)
  }

  private pair(parent: Path): void {
    const start = this.at
    const path = [...parent, ...this.dottedKey()]
    for (let length = parent.length + 1; length <= path.length; length++)
      this.remember(this.keys, path.slice(0, length), start)
    this.at++
    this.blank()
    this.value(path)
  }

  private value(path: Path): void {
    this.remember(this.values, path, this.at)
    const first = this.text[this.at]
    if (first === '[') this.list(path)
    else if (first === '{') this.inlineTable(path)
    else if (first === '"' || first === "'") this.string(first)
    else this.skipTo(/[,\]}#\n]/g)
  }

  private list(path: Path): void {
    this.at++
    let index = 0
    while (this.more(']')) {
      if (this.text[this.at] === ',') this.at++
      else this.value([...path, index++])
    }
    this.at++
  }

  private inlineTable(path: Path): void {
    this.at++
    while (this.more('}')) {
      if (this.text[this.at] === ',') this.at++
      else this.pair(path)
    }
    this.at++
  }

  private dottedKey(): string[] {
    const names: string[] = []
    for (;;) {
      this.blank()
      const first = this.text[this.at]
      const start = this.at
      if (first === '"' || first === "'") {
        this.string(first)
        const raw = this.text.slice(start, this.at)
        names.push(first === '"' ? unquote(raw) : raw.slice(1, -1))
      } else {
        this.skipTo(/[^A-Za-z0-9_-]/g)
        names.push(this.text.slice(start, this.at))
      }
      this.blank()
      if (this.text[this.at] !== '.') return names
      this.at++
    }
  }

  private string(quote: string): void {
    const long = this.text.startsWith(quote.repeat(3), this.at)
    const end = long ? quote.repeat(3) : quote
    this.at += end.length
    while (!this.ends(end)) this.at += quote === '"' && this.text[this.at] === '\\' ? 2 : 1
    this.at += end.length
    if (long) while (this.text[this.at] === quote) this.at++
  }

  private blank(): void {
    for (;;) {
      this.skipTo(/[^ \t\r\n]/g)
      if (this.text[this.at] !== '#') return
      this.skipTo(/\n/g)
    }
  }

  /** Skips white space, then returns true if another statement, item or pair follows before `end` or the end of the text. */
  private more(end: string): boolean {
    this.blank()
    return !this.ends(end)
  }

  private ends(end: string): boolean {
    return this.at >= this.text.length || (end !== '' && this.text.startsWith(end, this.at))
  }

  private skipTo(pattern: RegExp): void {
    pattern.lastIndex = this.at
    this.at = pattern.exec(this.text)?.index ?? this.text.length
  }

  private remember(offsets: Map<string, number>, path: Path, offset: number): void {
    const key = keyOf(path)
    if (!offsets.has(key)) offsets.set(key, offset)
  }
}

function unquote(raw: string): string {
  try {
    const value: unknown = JSON.parse(raw)
    return typeof value === 'string' ? value : raw
  } catch {
    return raw.slice(1, -1)
  }
}

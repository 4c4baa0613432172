// JSON bodies, parsed so that no input can surprise what comes after: UTF-8 only, no prototype members, no name twice in one
// object (which of the two would be meant?), no depth that breaks recursive code.
import type { FastifyInstance } from 'fastify'
import { inTurns } from '../../turns.ts'
import type { Turns } from '../../turns.ts'
import { pointerOf } from '../../errors/issue.ts'
import { ServiceError } from '../../errors/service-error.ts'

const maxDepth = 64
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Only `application/json` is taken, everywhere. An empty body is `undefined`: routes that need one say so. */
export function registerJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const encoding = request.headers['content-encoding']
    if (encoding !== undefined && encoding !== 'identity') {
      done(new ServiceError('media_type_unsupported', 'The body must come without Content-Encoding.'))
      return
    }
    if (body.length === 0) {
      done(null, undefined)
      return
    }
    parseJson(typeof body === 'string' ? Buffer.from(body) : body).then(
      (value) => {
        done(null, value)
      },
      (error: unknown) => {
        done(error instanceof Error ? error : malformed('The body is not JSON.'))
      },
    )
  })
}

async function parseJson(bytes: Buffer): Promise<unknown> {
  const text = decode(bytes)
  const value = parse(text)
  const flaw = await inTurns(flawTurns(text))
  if (flaw !== null) throw flaw
  return value
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw malformed('The body is not UTF-8.')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw malformed(`The body is not JSON: ${error instanceof Error ? error.message : 'it cannot be parsed'}.`)
  }
}

export function malformed(detail: string, path: readonly (string | number)[] = []): ServiceError {
  return new ServiceError('json_malformed', detail, {
    issues: [{ code: 'syntax', pointer: pointerOf(path), severity: 'error', detail }],
  })
}

/** Between two pauses of the scan. */
const charactersInOneGo = 32 * 1024

interface Frame {
  /** null in an array. */
  readonly names: Set<string> | null
  /** Name or index of the member that the scan is in. */
  at: string | number
  expectsName: boolean
}

/** Scans text that is known to be JSON, without recursion. */
function* flawTurns(text: string): Turns<ServiceError | null> {
  const frames: Frame[] = []
  let rested = 0
  for (let position = 0; position < text.length; position++) {
    if (position - rested > charactersInOneGo) {
      rested = position
      yield
    }
    const top = frames.at(-1)
    switch (text.charAt(position)) {
      case '"': {
        const end = endOfString(text, position)
        if (top?.expectsName === true && top.names !== null) {
          const name = JSON.parse(text.slice(position, end + 1)) as string
          top.at = name
          top.expectsName = false
          const path = () => frames.map((frame) => frame.at)
          if (top.names.has(name)) return malformed(`The member "${name}" comes twice in one object.`, path())
          if (name === '__proto__') return malformed('A member must not be called "__proto__".', path())
          top.names.add(name)
        }
        position = end
        break
      }
      case '{':
      case '[':
        if (frames.length === maxDepth)
          return malformed(
            `The body is nested more than ${String(maxDepth)} levels deep.`,
            frames.map((frame) => frame.at),
          )
        if (text[position] === '{') frames.push({ names: new Set(), at: '', expectsName: true })
        else frames.push({ names: null, at: 0, expectsName: false })
        break
      case '}':
      case ']':
        frames.pop()
        break
      case ',':
        if (top === undefined) break
        if (typeof top.at === 'number') top.at += 1
        else top.expectsName = true
    }
  }
  return null
}

function endOfString(text: string, start: number): number {
  for (let position = start + 1; ; position++) {
    if (text[position] === '\\') position += 1
    else if (text[position] === '"') return position
  }
}

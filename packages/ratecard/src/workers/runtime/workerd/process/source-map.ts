import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import { moduleFiles } from './workerd-config.ts'

/** Rewrites the places of a text (a stack, or the runtime's own complaint) from the bundle to the author's files. */
export type TraceMapper = (text: string) => string

const place = new RegExp(`\\b${moduleFiles.user.replace('.', '\\.')}:(\\d+):(\\d+)`, 'g')
const ours = new RegExp(
  `\\b(${moduleFiles.entry}|${moduleFiles.prelude}|${moduleFiles.control}|${moduleFiles.egress})(:\\d+)+`,
)

/** Frames of the host's own modules are left out. Without a map, or where it knows nothing, the places of the bundle stay. */
export function traceMapper(sourceMap: string | null): TraceMapper {
  let map: TraceMap | null | undefined
  const load = (): TraceMap | null => {
    try {
      return sourceMap === null ? null : new TraceMap(sourceMap)
    } catch {
      return null
    }
  }
  return (text) => {
    const lines = text.split('\n').filter((line) => !(/^\s+at /.test(line) && ours.test(line)))
    return lines.join('\n').replace(place, (whole, line: string, column: string) => {
      // Parsed on first use: most versions never throw, and a large map costs memory.
      map ??= load()
      if (map === null) return whole
      try {
        const found = originalPositionFor(map, { line: Number(line), column: Number(column) - 1 })
        return found.source === null ? whole : `${found.source}:${found.line}:${found.column + 1}`
      } catch {
        // The text is the worker's own: it may name a place that cannot be, such as 0:0, and the map may be damaged.
        return whole
      }
    })
  }
}

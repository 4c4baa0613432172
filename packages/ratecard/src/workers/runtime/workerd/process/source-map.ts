import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import { moduleFiles } from './workerd-config.ts'

/** Replaces positions in a text (a stack trace, or an error of workerd): positions in the bundle become positions in the author's files. */
export type TraceMapper = (text: string) => string

const place = new RegExp(`\\b${moduleFiles.user.replace('.', '\\.')}:(\\d+):(\\d+)`, 'g')
const ours = new RegExp(
  `\\b(${moduleFiles.entry}|${moduleFiles.prelude}|${moduleFiles.control}|${moduleFiles.egress}|${moduleFiles.cache})(:\\d+)+`,
)

/** Creates a mapper for a source map. It removes frames of the worker host's own modules. Positions without a mapping stay unchanged. */
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
      // Parses the source map on first use, because most versions never throw and a large map needs memory.
      map ??= load()
      if (map === null) return whole
      try {
        const found = originalPositionFor(map, { line: Number(line), column: Number(column) - 1 })
        return found.source === null ? whole : `${found.source}:${found.line}:${found.column + 1}`
      } catch {
        // The position is invalid (e.g. 0:0, which the worker may forge), or the map is damaged. So keep the text unchanged.
        return whole
      }
    })
  }
}

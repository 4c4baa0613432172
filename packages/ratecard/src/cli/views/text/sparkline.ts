const bars = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const
const maxBars = 60

/**
 * Draws values as a line of bars, e.g. `▁▃▅█`. More than 60 values are averaged. The scale starts at 0, so that a bar's height is
 * proportional to its value.
 */
export function sparkline(values: readonly number[]): string {
  const shown = values.length <= maxBars ? values : averageBars(values)
  const highest = Math.max(...shown, 0)
  return shown
    .map((value) => {
      const height = highest <= 0 ? 0 : Math.round((Math.max(0, value) / highest) * (bars.length - 1))
      return bars[height] ?? bars[0]
    })
    .join('')
}

function averageBars(values: readonly number[]): number[] {
  return Array.from({ length: maxBars }, (_, at) => {
    const from = Math.floor((at * values.length) / maxBars)
    const part = values.slice(from, Math.max(from + 1, Math.floor(((at + 1) * values.length) / maxBars)))
    return part.reduce((sum, value) => sum + value, 0) / part.length
  })
}

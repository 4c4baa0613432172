const bars = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const
const maxBars = 60

/** Values as a line of bars, e.g. `▁▃▅█`, at most 60: more values are averaged. From 0, so that a bar's height is its value. */
export function sparkline(values: readonly number[]): string {
  const shown = values.length <= maxBars ? values : averaged(values)
  const highest = Math.max(...shown, 0)
  return shown
    .map((value) => {
      const height = highest <= 0 ? 0 : Math.round((Math.max(0, value) / highest) * (bars.length - 1))
      return bars[height] ?? bars[0]
    })
    .join('')
}

function averaged(values: readonly number[]): number[] {
  return Array.from({ length: maxBars }, (_, at) => {
    const from = Math.floor((at * values.length) / maxBars)
    const part = values.slice(from, Math.max(from + 1, Math.floor(((at + 1) * values.length) / maxBars)))
    return part.reduce((sum, value) => sum + value, 0) / part.length
  })
}

// Line, bar or point chart on uPlot, in the colours of the page. The canvas is hidden from screen readers, so every chart needs the
// same data beside it as text or as a table.
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'

export interface Series {
  readonly label: string
  readonly values: readonly (number | null)[]
  /** Name of a colour of the page: `accent`, `note` or `warn`. */
  readonly color: string
  readonly isDashed?: boolean
  /** Points instead of a line, e.g. marks on another series. */
  readonly isDots?: boolean
}

export interface PlotProps {
  readonly xs: readonly number[]
  readonly series: readonly Series[]
  readonly sayX: (value: number) => string
  readonly sayY: (value: number) => string
  readonly xName: string
  readonly kind?: 'line' | 'bar' | 'point'
  readonly height?: number
  readonly isTime?: boolean
}

export default function Plot(props: PlotProps) {
  const { xs, series, sayX, sayY, xName, kind = 'line', height = 240, isTime = false } = props
  const place = useRef<HTMLDivElement>(null)
  const says = useRef({ sayX, sayY })
  says.current = { sayX, sayY }

  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const dark = matchMedia('(prefers-color-scheme: dark)')
    let plot: uPlot | null = null
    const draw = () => {
      plot?.destroy()
      plot = new uPlot(
        optionsOf({ xs, series, xName, kind, height, isTime, element, says: () => says.current }),
        [[...xs], ...series.map(({ values }) => [...values])],
        element,
      )
    }
    draw()
    const resize = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height }))
    resize.observe(element)
    dark.addEventListener('change', draw)
    return () => {
      dark.removeEventListener('change', draw)
      resize.disconnect()
      plot?.destroy()
    }
  }, [xs, series, xName, kind, height, isTime])

  return <div ref={place} className="chart" aria-hidden="true" />
}

/** Range of the time axis in seconds: 4 % margin, at least 30 minutes on each side (e.g. one hour around a single point). */
function aroundTimes(xs: readonly number[]): [number, number] {
  const [first, last] = [xs[0] ?? 0, xs.at(-1) ?? 0]
  const room = Math.max(1800, (last - first) * 0.04)
  return [first - room, last + room]
}

interface DrawnPlot extends Pick<PlotProps, 'xs' | 'series' | 'xName'> {
  readonly kind: 'line' | 'bar' | 'point'
  readonly height: number
  readonly isTime: boolean
  readonly element: HTMLElement
  readonly says: () => Pick<PlotProps, 'sayX' | 'sayY'>
}

function optionsOf({ xs, series, xName, kind, height, isTime, element, says }: DrawnPlot): uPlot.Options {
  const style = getComputedStyle(element)
  const color = (name: string) => style.getPropertyValue(`--${name}`).trim()
  const font = `12px ${style.fontFamily}`
  const axis = { stroke: color('quiet'), font, grid: { stroke: color('line'), width: 1 }, ticks: { show: false } }
  return {
    width: element.clientWidth,
    height,
    // Right padding, because half of the last axis label lies outside of the plot.
    padding: [10, 28, 0, 0],
    cursor: { points: { size: 6 }, drag: { x: false, y: false } },
    legend: { live: true },
    scales: {
      x: {
        time: isTime,
        ...(kind === 'bar' ? { range: [-0.6, xs.length - 0.4] as [number, number] } : {}),
        ...(kind === 'point' ? { range: aroundTimes(xs) } : {}),
      },
      y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        ...(kind === 'bar' ? { splits: () => [...xs] } : {}),
        ...(isTime ? {} : { values: (_plot, splits) => splits.map((value) => says().sayX(value)) }),
      },
      { ...axis, size: 84, values: (_plot, splits) => splits.map((value) => says().sayY(value)) },
    ],
    series: [
      { label: xName, value: (_plot, value: number | null) => (value === null ? '–' : says().sayX(value)) },
      ...series.map((one, index): uPlot.Series => {
        const stroke = color(one.color)
        return {
          label: one.label,
          stroke,
          width: kind === 'point' || one.isDots === true ? 0 : 2,
          ...(one.isDashed ? { dash: [6, 5] } : {}),
          ...(kind === 'bar'
            ? { fill: stroke, paths: uPlot.paths.bars!({ size: [0.34, 60], align: index === 0 ? -1 : 1, gap: 2 }) }
            : {}),
          points:
            kind === 'point' || one.isDots === true ? { show: true, size: 9, fill: stroke, stroke } : { show: false },
          value: (_plot, value: number | null) => (value === null ? '–' : says().sayY(value)),
        }
      }),
    ],
  }
}

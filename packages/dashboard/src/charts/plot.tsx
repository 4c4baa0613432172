// Line, bar or point chart drawn with uPlot in the colours of the page. Screen readers do not read the canvas, so every chart needs the
// same data beside it as text or as a table.
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { axisTime } from '../words/words.ts'

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
  /** Full texts of values, for the legend. */
  readonly sayX: (value: number) => string
  readonly sayY: (value: number) => string
  /** Short text of a value beside its axis, e.g. `€120`. The full text if absent. */
  readonly tickY?: (value: number) => string
  /** Names of the axes, with the unit, e.g. `Quantity (calls)`. */
  readonly xName: string
  readonly yName: string
  readonly kind?: 'line' | 'bar' | 'point'
  readonly height?: number
  /** True if the values of the x axis are times in seconds. */
  readonly isTime?: boolean
  /** Set for days without a time. Times are otherwise in the viewer's time zone. */
  readonly timeZone?: 'UTC'
}

export default function Plot(props: PlotProps) {
  const {
    xs,
    series,
    sayX,
    sayY,
    tickY = sayY,
    xName,
    yName,
    kind = 'line',
    height = 260,
    isTime = false,
    timeZone,
  } = props
  const place = useRef<HTMLDivElement>(null)
  const says = useRef({ sayX, sayY, tickY })
  says.current = { sayX, sayY, tickY }

  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const dark = matchMedia('(prefers-color-scheme: dark)')
    let plot: uPlot | null = null
    const draw = () => {
      plot?.destroy()
      plot = new uPlot(
        optionsOf({ xs, series, xName, yName, kind, height, isTime, timeZone, element, says: () => says.current }),
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
  }, [xs, series, xName, yName, kind, height, isTime, timeZone])

  return <div ref={place} className="chart" aria-hidden="true" />
}

/** Range of the time axis in seconds: 4 % margin, at least 30 minutes on each side (e.g. one hour around a single point). */
function aroundTimes(xs: readonly number[]): [number, number] {
  const [first, last] = [xs[0] ?? 0, xs.at(-1) ?? 0]
  const room = Math.max(1800, (last - first) * 0.04)
  return [first - room, last + room]
}

/** Width (px) of a character of the axis, roughly. */
const characterPx = 7
/** Least space between two labels, in characters. */
const spaceBetween = 2

/** Returns the labels of the x axis: the short form of a time, or the text of a value. */
function xLabels(splits: readonly number[], { isTime, timeZone, says }: DrawnPlot): string[] {
  if (!isTime) return splits.map((value) => says().sayX(value))
  const spanMs = ((splits.at(-1) ?? 0) - (splits[0] ?? 0)) * 1000
  return splits.map((value) => axisTime(new Date(value * 1000), spanMs, timeZone))
}

/** Leaves out labels that would overlap in a narrow chart: every second one, every third one and so on. */
function spaced(labels: readonly string[], { width }: Pick<uPlot, 'width'>): string[] {
  const longest = Math.max(0, ...labels.map(({ length }) => length)) + spaceBetween
  const fitting = Math.max(1, Math.floor((width - axisPx - namePx) / (longest * characterPx)))
  const every = Math.max(1, Math.ceil(labels.length / fitting))
  return labels.map((label, index) => (index % every === 0 ? label : ''))
}

/** Width (px) of the axis with the amounts, without its name. */
const axisPx = 68

/** Height (px) of the labels below the plot, without the name of the axis. */
const tickPx = 30

/** Space (px) for the name of an axis. */
const namePx = 22

/** Steps between the values of an axis with whole numbers. uPlot's own steps include halves, e.g. 2.5 units. */
const wholeSteps = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat()

/** Returns the step between the lines of an axis from 0 to `high`: 1, 2 or 5 times a power of ten, so that there are at most six. */
function stepTo(high: number): number {
  const power = 10 ** Math.floor(Math.log10(high / 5))
  return [1, 2, 5, 10].map((step) => step * power).find((step) => high / step <= 5.01) ?? power
}

/** Returns the top of an axis: its last line, so that no bar passes the last label. */
const niceTop = (high: number) => (high > 0 ? Math.ceil(high / stepTo(high) - 1e-9) * stepTo(high) : 1)

const multiples = (step: number, high: number) =>
  Array.from({ length: Math.round(high / step) + 1 }, (_, index) => index * step)

interface DrawnPlot extends Pick<PlotProps, 'xs' | 'series' | 'xName' | 'yName'> {
  readonly kind: 'line' | 'bar' | 'point'
  readonly height: number
  readonly isTime: boolean
  readonly timeZone: PlotProps['timeZone']
  readonly element: HTMLElement
  readonly says: () => Required<Pick<PlotProps, 'sayX' | 'sayY' | 'tickY'>>
}

function optionsOf(drawn: DrawnPlot): uPlot.Options {
  const { xs, series, xName, yName, kind, height, isTime, timeZone, element, says } = drawn
  const style = getComputedStyle(element)
  const color = (name: string) => style.getPropertyValue(`--${name}`).trim()
  const font = `12px ${style.fontFamily}`
  const axis = {
    stroke: color('quiet'),
    font,
    labelFont: font,
    labelSize: namePx,
    grid: { stroke: color('line'), width: 1 },
    ticks: { show: false },
  }
  return {
    width: element.clientWidth,
    height,
    // Padding on the right, because half of the last axis label is outside of the plot.
    padding: [10, 28, 0, 0],
    cursor: { points: { size: 6 }, drag: { x: false, y: false } },
    legend: { live: true },
    hooks: {
      // The legend shows values only while the pointer is on the chart. Otherwise it would show dashes.
      setCursor: [(plot) => plot.root.classList.toggle('has-values', typeof plot.cursor.idx === 'number')],
    },
    scales: {
      x: {
        time: isTime,
        ...(kind === 'bar' ? { range: [-0.6, xs.length - 0.4] as [number, number] } : {}),
        ...(kind === 'point' ? { range: aroundTimes(xs) } : {}),
      },
      y: { range: (_plot, _low, high) => [0, niceTop(high)] },
    },
    ...(timeZone === undefined
      ? {}
      : { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), timeZone) }),
    axes: [
      {
        ...axis,
        // The labels of an axis of times are dates or clock times, which need no name.
        ...(isTime ? {} : { label: xName }),
        size: tickPx,
        gap: 8,
        grid: { show: false },
        ...(kind === 'bar' ? { splits: () => [...xs] } : isTime ? {} : { incrs: wholeSteps }),
        values: (plot, splits) => spaced(xLabels(splits, drawn), plot),
      },
      {
        ...axis,
        label: yName,
        size: axisPx,
        splits: (_plot, _axis, _low, high) => multiples(stepTo(high), high),
        values: (_plot, splits) => splits.map((value) => says().tickY(value)),
      },
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

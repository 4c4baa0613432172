// Loads the charting library only on pages with a chart.
import { lazy, Suspense } from 'react'
import type { PlotProps } from './plot.tsx'

const Plot = lazy(() => import('./plot.tsx'))

export const Chart = (props: PlotProps) => (
  <Suspense fallback={<div className="chart chart-empty" />}>
    <Plot {...props} />
  </Suspense>
)

// Charts of monthly recurring revenue: revenue by day with a mark for each push, and its gains and losses by week.
import { useMemo } from 'react'
import type { MoneyDay, MoneyDays } from '@ratecard/client'
import { Table } from '../ui/table.tsx'
import { axisMoney, money, pageLocale } from '../words/words.ts'
import { Chart } from './chart.tsx'

const dayFormat = new Intl.DateTimeFormat(pageLocale, { dateStyle: 'medium', timeZone: 'UTC' })
export const dayText = (day: string) => dayFormat.format(new Date(`${day}T00:00:00Z`))
const secondsOf = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1000

interface ChartProps {
  readonly days: readonly MoneyDay[]
  readonly currency: string
}

export function RevenueChart({ days, pushes, currency }: ChartProps & { readonly pushes: MoneyDays['pushes'] }) {
  const { xs, series } = useMemo(() => {
    const pushed = new Set(pushes.map(({ at }) => at.slice(0, 10)))
    return {
      xs: days.map(({ day }) => secondsOf(day)),
      series: [
        { label: 'MRR', values: days.map(({ mrr }) => Number(mrr)), color: 'accent' },
        {
          label: 'Days with a push',
          values: days.map(({ day, mrr }) => (pushed.has(day) ? Number(mrr) : null)),
          color: 'warn',
          isDots: true,
        },
      ],
    }
  }, [days, pushes])
  return (
    <figure className="stack-small">
      <figcaption className="small quiet">Monthly recurring revenue at the end of each day</figcaption>
      <Chart
        xs={xs}
        series={series}
        xName="Day"
        yName={`MRR (${currency.toUpperCase()})`}
        sayX={(at) => dayText(new Date(at * 1000).toISOString().slice(0, 10))}
        sayY={(value) => money(Math.round(value), currency)}
        tickY={(value) => axisMoney(value, currency)}
        isTime
        timeZone="UTC"
      />
      <DayTable days={days} currency={currency} />
    </figure>
  )
}

/** Table with the data of the chart, because screen readers cannot read the chart. */
const DayTable = ({ days, currency }: ChartProps) => (
  <details>
    <summary className="small">As a table</summary>
    <Table
      caption="Monthly recurring revenue by day"
      columns={['Day', ...['MRR', 'New', 'Expansion', 'Contraction', 'Churn', 'Past due'].map(number)]}
      rows={[...days].reverse().map((day) => ({
        key: day.day,
        cells: [
          dayText(day.day),
          money(day.mrr, currency),
          money(day.new, currency),
          money(day.expansion, currency),
          money(day.contraction, currency),
          money(day.churn, currency),
          money(day.pastDue, currency),
        ],
      }))}
    />
  </details>
)

const number = (name: string) => ({ name, isNumber: true })

const daysAWeek = 7

/** Chart of the revenue won and lost per week. Weeks are counted back from the last day. */
export function MovementsChart({ days, currency }: ChartProps) {
  const { weeks, xs, series } = useMemo(() => {
    const sums = weeksOf(days)
    return {
      weeks: sums,
      xs: sums.map((_, index) => index),
      series: [
        { label: 'Won: new, expansion, reactivation', values: sums.map(({ won }) => won), color: 'accent' },
        { label: 'Lost: contraction, churn', values: sums.map(({ lost }) => lost), color: 'warn' },
      ],
    }
  }, [days])
  return (
    <figure className="stack-small">
      <figcaption className="small quiet">Movements of the monthly recurring revenue, by week</figcaption>
      <Chart
        xs={xs}
        series={series}
        xName="Week until"
        yName={`A month (${currency.toUpperCase()})`}
        sayX={(index) => dayText(weeks[Math.round(index)]?.until ?? days.at(-1)?.day ?? '1970-01-01')}
        sayY={(value) => money(Math.round(value), currency)}
        tickY={(value) => axisMoney(value, currency)}
        kind="bar"
      />
      <details>
        <summary className="small">As a table</summary>
        <Table
          caption="Movements by week"
          columns={['Week until', number('Won'), number('Lost')]}
          rows={[...weeks].reverse().map(({ until, won, lost }) => ({
            key: until,
            cells: [dayText(until), money(Math.round(won), currency), money(Math.round(lost), currency)],
          }))}
        />
      </details>
    </figure>
  )
}

interface Week {
  readonly until: string
  readonly won: number
  readonly lost: number
}

function weeksOf(days: readonly MoneyDay[]): readonly Week[] {
  const weeks: Week[] = []
  for (let end = days.length; end > 0; end -= daysAWeek) {
    const part = days.slice(Math.max(0, end - daysAWeek), end)
    const sum = (valueOf: (day: MoneyDay) => number) => part.reduce((total, day) => total + valueOf(day), 0)
    weeks.unshift({
      until: part.at(-1)?.day ?? '',
      won: sum((day) => Number(day.new) + Number(day.expansion) + Number(day.reactivation)),
      lost: sum((day) => Number(day.contraction) + Number(day.churn)),
    })
  }
  return weeks
}

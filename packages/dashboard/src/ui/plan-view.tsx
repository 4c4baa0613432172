// A plan for approval: changes, affected subscribers, amounts and warnings.
import { useMemo } from 'react'
import type { PushOutcome } from '@ratecard/client'
import { Chart } from '../charts/chart.tsx'
import { impactMoney } from '../impact.ts'
import { count, pluralize, money } from '../words.ts'
import { Badge, Facts, Id, IssueList, Table } from './basic.tsx'
import { Changes, reportWords } from './changes.tsx'

export function PlanView({ outcome }: { readonly outcome: PushOutcome }) {
  const { details, warnings, impact, writes, version, changes, plan } = outcome
  return (
    <div className="stack">
      <Facts
        rows={[
          ['Version', version],
          ['Changes', reportWords(changes)],
          ['Writes at the processor', count(writes)],
          ['Fingerprint', <code key="plan">{plan.slice(0, 12)}</code>],
        ]}
      />
      {warnings.length === 0 ? null : (
        <div className="alert alert-warning">
          <p>
            <b>{pluralize(warnings.length, 'warning')}</b>
          </p>
          <IssueList issues={warnings} />
        </div>
      )}
      {impact.length === 0 ? null : <Impact outcome={outcome} />}
      <section className="stack-small">
        <h3>What changes</h3>
        <Changes changes={details} />
      </section>
    </div>
  )
}

function Impact({ outcome: { impact, details } }: { readonly outcome: PushOutcome }) {
  const sums = useMemo(() => impactMoney(impact, details), [impact, details])
  const currencies = [...new Set(sums.map(({ currency }) => currency))]
  return (
    <section className="stack-small">
      <h3>Affected subscribers</h3>
      <p className="small quiet">
        Live subscriptions on the changed prices, current and earlier ones. They keep their price until you move them.
        “After” is the list price that they would then pay per month.
      </p>
      <Table
        caption="Impact"
        columns={[
          'Price',
          '',
          { name: 'Subscriptions', isNumber: true },
          { name: 'Tenants', isNumber: true },
          { name: 'Per month, before', isNumber: true },
          { name: 'After', isNumber: true },
        ]}
        rows={impact.map((one) => {
          const own = sums.filter(({ priceId }) => priceId === one.priceId)
          return {
            key: one.processorPriceId,
            cells: [
              <Id>{one.priceId}</Id>,
              <Badge tone={one.action === 'archive' ? 'bad' : 'warn'}>{one.action}</Badge>,
              <Generations one={one} />,
              count(one.tenants),
              one.usageBased ? 'by usage' : lines(own.map(({ before, currency }) => money(before, currency))),
              one.usageBased
                ? 'by usage'
                : lines(own.map(({ after, currency }) => (after === null ? '—' : money(after, currency)))),
            ],
          }
        })}
      />
      {currencies.map((currency) => (
        <ImpactChart key={currency} currency={currency} sums={sums.filter((sum) => sum.currency === currency)} />
      ))}
    </section>
  )
}

/** Renders the subscriptions of all generations, and below them those of each earlier generation. */
function Generations({ one: { subscriptions, generations } }: { readonly one: PushOutcome['impact'][number] }) {
  const earlier = generations.filter(({ current, subscriptions: own }) => !current && own > 0)
  return (
    <>
      {count(subscriptions)}
      {earlier.map(({ processorPriceId, subscriptions: own, formatted }) => (
        <div key={processorPriceId} className="small quiet">
          {count(own)} on an earlier price{formatted === null ? '' : ` of ${formatted}`}
        </div>
      ))}
    </>
  )
}

const lines = (texts: readonly string[]) =>
  texts.length === 0 ? '—' : texts.map((text) => <div key={text}>{text}</div>)

interface ImpactChartProps {
  readonly currency: string
  readonly sums: ReturnType<typeof impactMoney>
}

function ImpactChart({ currency, sums }: ImpactChartProps) {
  const xs = useMemo(() => sums.map((_, index) => index), [sums])
  const series = useMemo(
    () => [
      { label: 'before', values: sums.map(({ before }) => before), color: 'note' },
      { label: 'after', values: sums.map(({ after }) => after), color: 'accent' },
    ],
    [sums],
  )
  return (
    <figure>
      <figcaption className="small quiet">Monthly amount in {currency.toUpperCase()}, before and after</figcaption>
      <Chart
        xs={xs}
        series={series}
        kind="bar"
        height={200}
        xName="Price"
        sayX={(value) => sums[value]?.priceId ?? ''}
        sayY={(value) => money(Math.round(value), currency)}
      />
    </figure>
  )
}

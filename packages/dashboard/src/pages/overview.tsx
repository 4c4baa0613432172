// Overview page: revenue, open debts, changes of the last pushes, and problems that the checks found.
import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { CurrencyMoney, Finding, Money, MoneyDays } from '@ratecard/client'
import { api } from '../api.ts'
import { noteMoney } from '../attention.ts'
import { MovementsChart, RevenueChart } from '../charts/money-chart.tsx'
import { useLoaded } from '../live.ts'
import { Badge, Card, Empty, Id, Page, Prose, Show, Table, Text, Time } from '../ui/basic.tsx'
import { AsOf, mirrorReload, ShowMirrored } from '../ui/mirrored.tsx'
import { money, pluralize } from '../words.ts'
import { examine } from './health.tsx'

interface Overviewed {
  readonly now: Money
  readonly days: MoneyDays
}

export function Overview() {
  const state = useLoaded<Overviewed>(
    'overview',
    async (signal) => {
      const [now, days] = await Promise.all([api.money.now({ signal }), api.money.days({ signal })])
      return { now, days }
    },
    mirrorReload,
  )
  useEffect(() => {
    if (state.value !== undefined) noteMoney(state.value.now)
  }, [state.value])
  return (
    <Page title="Overview" lead="Monthly revenue, unpaid amounts and open problems.">
      <ShowMirrored of={state} what="Revenue">
        {({ now, days }) => (
          <>
            <AsOf of={now} />
            {now.currencies.length === 0 ? (
              <Empty title="No subscriptions yet">
                <p>Revenue appears here after the first sale of a recurring price.</p>
              </Empty>
            ) : null}
            {now.currencies.map((one) => (
              <Currency key={one.currency} of={one} days={days} />
            ))}
            <Pushes now={now} days={days} />
          </>
        )}
      </ShowMirrored>
      <Wrong />
    </Page>
  )
}

function Currency({ of, days }: { readonly of: CurrencyMoney; readonly days: MoneyDays }) {
  const own = days.days.filter(({ currency }) => currency === of.currency)
  return (
    <Card title={`Revenue in ${of.currency.toUpperCase()}`}>
      <Tiles of={of} />
      {own.length < 2 ? (
        <p className="quiet">The chart appears after two full days (UTC).</p>
      ) : (
        <div className="stack">
          <RevenueChart days={own} pushes={days.pushes} currency={of.currency} />
          <MovementsChart days={own} currency={of.currency} />
        </div>
      )}
    </Card>
  )
}

function Tiles({ of }: { readonly of: CurrencyMoney }) {
  const { last30Days: moved } = of
  const tiles: readonly (readonly [string, string, ReactNode])[] = [
    ['MRR', of.formatted, pluralize(of.subscriptions, 'subscription')],
    [
      'Last 30 days',
      moved.net.startsWith('-') ? moved.netFormatted : `+${moved.netFormatted}`,
      `${moved.newFormatted} new, ${moved.churnFormatted} churned`,
    ],
    [
      'Past due',
      of.pastDue.formatted,
      of.pastDue.tenants === 0 ? (
        'No tenant is past due'
      ) : (
        <Link href="/tenants?owing">{pluralize(of.pastDue.tenants, 'tenant')}</Link>
      ),
    ],
    ['Trials', String(of.trialing), 'not in the MRR yet'],
    ...(of.usageLastPeriod === '0'
      ? []
      : [['Usage', of.usageLastPeriodFormatted, 'of the last finished periods, not in the MRR'] as const]),
    ...(of.writtenOff.amount === '0'
      ? []
      : [['Written off', of.writtenOff.formatted, pluralize(of.writtenOff.tenants, 'tenant')] as const]),
  ]
  return (
    <dl className="tiles">
      {tiles.map(([name, value, note]) => (
        <div key={name} className="tile">
          <dt>{name}</dt>
          <dd>
            <span className="tile-value">{value}</span>
            <span className="quiet small">{note}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

const mostPushes = 8

function Pushes({ now, days }: { readonly now: Money; readonly days: MoneyDays }) {
  const pushes = days.pushes.slice(-mostPushes).reverse()
  return (
    <Card title="Last pushes" isFlush>
      {pushes.length === 0 ? (
        <p className="quiet card-words">No price list was applied in the last 90 days.</p>
      ) : (
        <Table
          caption="Last pushes and the revenue since"
          columns={['Revision', 'When', 'By', { name: 'MRR since', isNumber: true }]}
          rows={pushes.map((push) => ({
            key: String(push.revision),
            cells: [
              <Link href={`/history/${String(push.revision)}`}>
                {push.revision}, version <Text>{push.version}</Text>
              </Link>,
              <Time at={push.at} />,
              push.by === null ? '—' : <Text>{push.by}</Text>,
              <Since at={push.at} now={now} days={days} />,
            ],
          }))}
        />
      )}
    </Card>
  )
}

/** Renders the change of the MRR from the day before a push until now, in each currency. */
function Since({ at, now, days }: { readonly at: string; readonly now: Money; readonly days: MoneyDays }) {
  const changes = now.currencies.flatMap(({ currency, mrr }) => {
    const before = days.days.findLast((day) => day.currency === currency && day.day < at.slice(0, 10))
    if (before === undefined) return []
    const change = Math.round(Number(mrr) - Number(before.mrr))
    return [`${change >= 0 ? '+' : '−'}${money(Math.abs(change), currency)}`]
  })
  if (changes.length === 0) return <span className="quiet">unknown: before the first recorded day</span>
  return <span className="money">{changes.join(', ')}</span>
}

/** Renders the findings of the service that need an action by the user. */
function Wrong() {
  const findings = useLoaded('doctor', examine, { isLive: false })
  return (
    <Card title="Open problems" aside={<Link href="/health">Health</Link>}>
      <Show of={findings} what="Examining">
        {(list) => {
          const wrong = list.filter(({ status }) => status !== 'ok')
          if (wrong.length === 0) return <p>None: all checks passed.</p>
          return (
            <ul className="issues">
              {wrong.map((finding) => (
                <WrongLine key={finding.check} of={finding} />
              ))}
            </ul>
          )
        }}
      </Show>
    </Card>
  )
}

const WrongLine = ({ of }: { readonly of: Finding }) => (
  <li>
    <Badge tone={of.status === 'problem' ? 'bad' : 'warn'}>{of.status}</Badge> <Id>{of.check}</Id>
    <p>
      <Prose>{of.detail}</Prose> {of.hint === undefined ? null : <Prose>{of.hint}</Prose>}
    </p>
  </li>
)

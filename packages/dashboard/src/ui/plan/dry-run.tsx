// Dry run of a deal (negotiated prices) for a tenant: the items that would move, their amounts, and the items that would stay.
import type { EnterpriseOutcome } from '@ratecard/client'
import type { DealLine, DealMoney } from '../../amounts/deal.ts'
import { count, pluralize, money, period } from '../../words/words.ts'
import { Money, Prose } from '../basic.tsx'
import { Table } from '../table.tsx'
import { NamedPrice } from '../named.tsx'
import { Violations } from './violations.tsx'

interface DryRunProps {
  readonly outcome: EnterpriseOutcome
  readonly money: DealMoney
}

export function DryRun({ outcome, money: { lines, unknown } }: DryRunProps) {
  return (
    <div className="stack-small">
      <p>
        <b>{outcome.pricesSwapped === 0 ? 'No item' : pluralize(outcome.pricesSwapped, 'item')}</b> would move. Nothing
        is billed now. The new price applies from the renewal on.
      </p>
      <Violations of={outcome.violations ?? []} />
      {lines.length === 0 ? null : (
        <Table
          caption="Items that would move"
          columns={[
            'From',
            'To',
            { name: 'Quantity', isNumber: true },
            { name: 'Before', isNumber: true },
            { name: 'After', isNumber: true },
            'From when',
          ]}
          rows={lines.map((line) => ({
            key: line.item,
            cells: [
              <NamedPrice id={line.from} isLink={false} />,
              <NamedPrice id={line.to} isLink={false} />,
              line.quantity === null ? '—' : count(line.quantity),
              <Sum line={line} amount={line.before} />,
              <Sum line={line} amount={line.after} />,
              line.effective === 'now' ? 'the renewal' : 'the end of the period',
            ],
          }))}
        />
      )}
      <Totals lines={lines} />
      {outcome.monthly !== undefined && outcome.swaps.some(({ former }) => former === true) ? (
        <p>
          A month: {sums(outcome.monthly.before)} before, <b>{sums(outcome.monthly.after)}</b> after, at the prices
          before the deal.
        </p>
      ) : null}
      {unknown === null ? null : (
        <div className="alert alert-warning">
          <p>
            <b>The earlier cost of replaced prices is unknown:</b> <Prose>{unknown.message}</Prose>
          </p>
          {unknown.hint === undefined ? null : (
            <p>
              <Prose>{unknown.hint}</Prose>
            </p>
          )}
        </div>
      )}
      {outcome.skipped.length === 0 ? null : (
        <div className="alert alert-warning">
          <p>
            <b>{pluralize(outcome.skipped.length, 'item')} would stay</b>
          </p>
          <ul className="issues">
            {outcome.skipped.map((one, index) => (
              <li key={index}>
                <NamedPrice id={one.price} isLink={false} />: <Prose>{one.detail ?? one.reason}</Prose>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}

const sums = (amounts: readonly { readonly formatted: string }[]) =>
  amounts.length === 0 ? 'nothing' : amounts.map(({ formatted }) => formatted).join(' + ')

const Sum = ({ line, amount }: { readonly line: DealLine; readonly amount: number | null }) =>
  amount === null ? (
    <span className="quiet">{line.quantity === null ? 'by usage' : 'not known'}</span>
  ) : (
    <span>
      <Money amount={amount} currency={line.currency} />{' '}
      <span className="quiet small">{line.interval === undefined ? '' : period({ interval: line.interval })}</span>
    </span>
  )

/** Renders the sums of all lines. Renders nothing if an amount is unknown, or if the lines have different currencies or intervals. */
function Totals({ lines }: { readonly lines: readonly DealLine[] }) {
  const [first] = lines
  if (first === undefined || lines.length < 2) return null
  const isAlike = lines.every(
    ({ currency, interval, before, after }) =>
      currency === first.currency && interval === first.interval && before !== null && after !== null,
  )
  if (!isAlike) return null
  const sum = (member: 'before' | 'after') => lines.reduce((total, line) => total + (line[member] ?? 0), 0)
  return (
    <p>
      Together {money(sum('before'), first.currency)} before, <b>{money(sum('after'), first.currency)}</b> after.
    </p>
  )
}

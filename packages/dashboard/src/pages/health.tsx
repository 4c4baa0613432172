// Health page: the findings of `doctor`. Problems and warnings come first; checks that passed are folded.
import type { Finding } from '@ratecard/client'
import { api } from '../api.ts'
import { noteFindings } from '../frame/attention.ts'
import { useLoaded } from '../frame/live.ts'
import { Card, Page, Show } from '../ui/basic.tsx'
import { checkName, FindingBadge, FindingText } from '../ui/findings.tsx'
import { pluralize } from '../words/words.ts'

/**
 * Runs the checks of the service and returns their findings. Those of a run at most `maxAgeSeconds` ago are returned without another run. The
 * menu shows the number of problems among them.
 */
export async function examine(signal: AbortSignal, maxAgeSeconds = 0): Promise<readonly Finding[]> {
  const findings = await api.admin.doctor({ signal, maxAgeSeconds })
  noteFindings(findings)
  return findings
}

const withStatus = (list: readonly Finding[], wanted: Finding['status']) =>
  list.filter(({ status }) => status === wanted)

export function Health() {
  const findings = useLoaded('doctor', (signal) => examine(signal), {
    everyMs: 60_000,
    isLive: false,
  })
  return (
    <Page
      title="Health"
      lead="Checks of the store, the processor, the workers and unfinished operations."
      actions={
        <button type="button" className="button" disabled={findings.isLoading} onClick={findings.reload}>
          {findings.isLoading ? 'Examining …' : 'Examine again'}
        </button>
      }
    >
      <Show of={findings} what="The checks">
        {(list) => (
          <>
            <Verdict of={list} />
            <Open of={list} />
            <NotChecked of={withStatus(list, 'not_checked')} />
            <Passed of={withStatus(list, 'ok')} />
          </>
        )}
      </Show>
    </Page>
  )
}

function Verdict({ of: list }: { readonly of: readonly Finding[] }) {
  const [problems, warnings] = [withStatus(list, 'problem').length, withStatus(list, 'warning').length]
  const counted = [
    ...(problems === 0 ? [] : [pluralize(problems, 'problem')]),
    ...(warnings === 0 ? [] : [pluralize(warnings, 'warning')]),
  ]
  return (
    <div
      className={`alert ${problems > 0 ? 'alert-problem' : warnings > 0 ? 'alert-warning' : 'alert-good'}`}
      role="status"
    >
      <p>
        <b>{counted.length === 0 ? 'All checks passed' : counted.join(', ')}</b>
      </p>
    </div>
  )
}

/** Renders problems first, then warnings, each with its next step. */
function Open({ of: list }: { readonly of: readonly Finding[] }) {
  const open = [...withStatus(list, 'problem'), ...withStatus(list, 'warning')]
  if (open.length === 0) return null
  return (
    <Card>
      {open.map((finding) => (
        <FindingRow key={finding.check} of={finding} />
      ))}
    </Card>
  )
}

const FindingRow = ({ of: finding }: { readonly of: Finding }) => (
  <div className="finding">
    <div>
      <FindingBadge of={finding} />
    </div>
    <div className="change-body">
      <h2>{checkName(finding.check)}</h2>
      <FindingText of={finding} />
    </div>
  </div>
)

/** Names the checks that were left out, in one sentence, because all of them have one cause: the problem above. */
const NotChecked = ({ of: list }: { readonly of: readonly Finding[] }) =>
  list.length === 0 ? null : (
    <p className="quiet">
      Not checked, because the processor does not answer: {list.map(({ check }) => checkName(check)).join(', ')}.
    </p>
  )

/** Renders the checks that need no action, one line each, folded. */
function Passed({ of: list }: { readonly of: readonly Finding[] }) {
  if (list.length === 0) return null
  return (
    <Card>
      <details>
        <summary>{pluralize(list.length, 'check')} passed</summary>
        <dl className="checks details-body">
          {list.map((finding) => (
            <div key={finding.check}>
              <dt>{checkName(finding.check)}</dt>
              <dd>
                <FindingText of={finding} />
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </Card>
  )
}

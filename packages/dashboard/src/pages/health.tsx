// Health page: the findings of `doctor`.
import type { Finding } from '@ratecard/client'
import { api } from '../api.ts'
import { noteFindings } from '../frame/attention.ts'
import { useLoaded } from '../frame/live.ts'
import { Badge, Card, Page, Show, Text } from '../ui/basic.tsx'
import { FindingText } from '../ui/findings.tsx'
import { pluralize } from '../words/words.ts'

const tones = { ok: 'good', warning: 'warn', problem: 'bad' } as const

const urgency = { problem: 0, warning: 1, ok: 2 } as const

/** Orders problems first, then warnings. Findings of equal status keep the order of the checks. */
const byUrgency = (one: Finding, other: Finding) => urgency[one.status] - urgency[other.status]

/**
 * Runs the checks of the service and returns their findings. Those of a run at most `maxAgeSeconds` ago are returned without another run. The
 * menu shows the number of problems among them.
 */
export async function examine(signal: AbortSignal, maxAgeSeconds = 0): Promise<readonly Finding[]> {
  const findings = await api.admin.doctor({ signal, maxAgeSeconds })
  noteFindings(findings)
  return findings
}

export function Health() {
  const findings = useLoaded('doctor', (signal) => examine(signal), {
    everyMs: 60_000,
    isLive: false,
  })
  const count = (status: keyof typeof tones) => findings.value?.filter((one) => one.status === status).length ?? 0
  const [problems, warnings] = [count('problem'), count('warning')]
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
      <Show of={findings} what="Examining">
        {(list) => (
          <>
            <div
              className={`alert ${problems > 0 ? 'alert-problem' : warnings > 0 ? 'alert-warning' : 'alert-good'}`}
              role="status"
            >
              <p>
                <b>
                  {problems + warnings === 0
                    ? 'All checks passed'
                    : [
                        problems === 0 ? '' : pluralize(problems, 'problem'),
                        warnings === 0 ? '' : pluralize(warnings, 'warning'),
                      ]
                        .filter((text) => text !== '')
                        .join(', ')}
                </b>
              </p>
            </div>
            <Card>
              {[...list].sort(byUrgency).map((finding, index) => (
                <div key={index} className="finding">
                  <div>
                    <Badge tone={tones[finding.status]}>{finding.status}</Badge>
                  </div>
                  <div className="change-body">
                    <h2>
                      <Text>{finding.check}</Text>
                    </h2>
                    <FindingText of={finding} />
                  </div>
                </div>
              ))}
            </Card>
          </>
        )}
      </Show>
    </Page>
  )
}

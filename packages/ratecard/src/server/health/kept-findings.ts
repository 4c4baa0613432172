// Keeps the findings of the last run of the checks, so that each page of the dashboard can show their number without a request to the
// processor.
import type { Clock } from '../../base/clock.ts'
import type { Store } from '../../store/store.ts'
import { driftFinding } from './billing-checks.ts'
import type { DriftReport } from '../../api/push/config.ts'
import type { Finding } from '../../api/server/server.ts'

export interface KeptFindingsDeps {
  readonly store: Pick<Store, 'facts' | 'versions'>
  readonly clock: Clock
  /** Runs all checks. */
  readonly examine: () => Promise<readonly Finding[]>
  readonly drift: () => Promise<DriftReport>
}

const fact = 'doctor_findings'

interface Kept {
  readonly findings: readonly Finding[]
  /** Epoch milliseconds. */
  readonly checkedAt: number
  /** Current revision at the time of the checks; null without one. */
  readonly revision: number | null
}

/** Creates the operations `doctor` and `drift`, which store what they find. */
export function createKeptFindings({ store, clock, examine, drift }: KeptFindingsDeps) {
  const read = async () => {
    const text = await store.facts.get(fact)
    return text === null ? null : (JSON.parse(text) as Kept)
  }
  const keep = (kept: Kept) => store.facts.set(fact, JSON.stringify(kept))
  const revision = async () => (await store.versions.latest())?.revision ?? null

  let running: { readonly revision: number | null; readonly findings: Promise<readonly Finding[]> } | null = null

  const run = async (current: number | null) => {
    const checkedAt = clock.now()
    const findings = await examine()
    // A run during an outage would otherwise be shown after it.
    if (findings.every(({ status }) => status !== 'not_checked')) await keep({ findings, checkedAt, revision: current })
    return findings
  }
  /** Returns the findings of the run that is under way, if no revision was added since its begin; otherwise of a new run. */
  const runOnce = async (current: number | null) => {
    if (running?.revision === current) return running.findings
    const own = { revision: current, findings: run(current) }
    running = own
    try {
      return await own.findings
    } finally {
      if (running === own) running = null
    }
  }

  return {
    /**
     * Returns the findings. Those of the last run are returned if it is at most `maxAgeSeconds` ago and no revision was added since;
     * otherwise the checks run. Calls during a run share it, e.g. of two pages that are opened at once.
     */
    doctor: async ({ maxAgeSeconds = 0 }: { readonly maxAgeSeconds?: number } = {}): Promise<readonly Finding[]> => {
      const current = await revision()
      const last = maxAgeSeconds === 0 ? null : await read()
      if (last !== null && last.revision === current && clock.now() - last.checkedAt <= maxAgeSeconds * 1000)
        return last.findings
      return runOnce(current)
    },
    /** Returns the drift, and updates its finding among those of the last run, so that both name the same number of fields. */
    drift: async (): Promise<DriftReport> => {
      const report = await drift()
      const last = await read()
      if (last !== null) {
        const found = { check: 'drift', ...driftFinding(report) }
        const findings = last.findings.map((one) => (one.check === found.check ? found : one))
        await keep({ ...last, findings })
      }
      return report
    },
  }
}

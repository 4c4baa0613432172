// Requests in a former version of the API. The sandbox carries them out, but its responses have the shapes of its own version, so it says so.
import { apiVersion } from '../api-values.generated.ts'

/** Response header of a request in a former version. Its value is the version of the response. */
export const versionHeader = 'Ratecard-Sandbox-Version'

export class FormerVersionNotices {
  readonly #report: (line: string) => void
  readonly #noted = new Set<string>()

  constructor(report: (line: string) => void) {
    this.#report = report
  }

  /** Returns the headers of the response. The first request in each former version is also logged. */
  headersFor(version: string | null): Readonly<Record<string, string>> {
    if (version === null || version >= apiVersion) return {}
    if (!this.#noted.has(version)) {
      this.#noted.add(version)
      this.#report(
        `sandbox: requests in API version ${version} get responses in version ${apiVersion} (header ${versionHeader})`,
      )
    }
    return { [versionHeader]: apiVersion }
  }
}

import { ServiceError } from '../base/errors/service-error.ts'
import type { Issue } from '../base/errors/issue.ts'
import type { VersionRecord } from '../store/records/configuration.ts'

/**
 * Compares two versions MAJOR.MINOR.PATCH number by number. The result is negative if `a` is lower. The numbers may have any number of
 * digits.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a.split('.'), b.split('.')]
  for (let part = 0; part < 3; part++) {
    const difference = BigInt(left[part] ?? 0) - BigInt(right[part] ?? 0)
    if (difference !== 0n) return difference < 0n ? -1 : 1
  }
  return 0
}

/** Returns a warning if the content changed but its version number did not increase. Throws instead if `requireVersionBump` is set. */
export function checkVersion(
  settings: { readonly requireVersionBump: boolean },
  pushed: Pick<VersionRecord, 'version' | 'checksum'>,
  current: VersionRecord | null,
): Issue[] {
  if (current === null) return []
  const order = compareVersions(pushed.version, current.version)
  const lower = order < 0
  const reused = order === 0 && pushed.checksum !== current.checksum
  if (!lower && !reused) return []
  const detail = lower
    ? `Version ${pushed.version} is lower than the current ${current.version}.`
    : `Version ${pushed.version} is the current version, but has other content.`
  const hint = `Raise it, for example to ${nextPatch(current.version)}.`
  if (settings.requireVersionBump)
    throw new ServiceError('version_conflict', detail, {
      hint,
      issues: [{ code: 'version_not_raised', pointer: '#/version', severity: 'error', detail, hint }],
    })
  return [{ code: 'version_not_raised', pointer: '#/version', severity: 'warning', detail, hint }]
}

function nextPatch(version: string): string {
  const [major = '0', minor = '0', patch = '0'] = version.split('.')
  return `${major}.${minor}.${String(BigInt(patch) + 1n)}`
}

// The commit that a change is compared with: BASE of the environment, e.g. the target of a pull request, otherwise the last merge.
// Null if there is none. As a command it prints the folders and files that changed since:  node scripts/change-base.mjs
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

/** Returns the commit, or null in a clone that does not have it. */
export function changeBase() {
  try {
    const base = process.env['BASE'] || git('rev-list', '--merges', '--max-count=1', 'HEAD~1')
    return base === '' ? null : git('rev-parse', '--verify', `${base}^{commit}`)
  } catch {
    // No history, e.g. an archive or a shallow clone.
    return null
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const base = changeBase()
  // Without a commit to compare with, everything counts as changed.
  console.log(base === null ? git('ls-files') : git('diff', '--name-only', base, 'HEAD'))
}

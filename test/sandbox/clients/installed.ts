// Installs programs of other people, each client's packages in a folder of their own, as its lock file pins them.
import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

/** Timeout (ms) of one installation. npm retries a silent connection after a minute, and gives up after four retries. */
const installTimeoutMs = 400_000

export interface Installed {
  readonly folder: string
  /** Loads a module as a program in the folder would. The caller states its type: the workspace does not have it. */
  load(name: string): unknown
  remove(): void
}

/** Installs the packages of `packages/<name>`. Runs no scripts of packages. */
export async function install(name: string): Promise<Installed> {
  const source = path.join(import.meta.dirname, 'packages', name)
  const folder = mkdtempSync(path.join(os.tmpdir(), `ratecard-client-${name}-`))
  const remove = () => {
    rmSync(folder, { recursive: true, force: true })
  }
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(path.join(source, file), path.join(folder, file))
  try {
    // Not `npm ci`: it wants the binaries of all platforms in the lock file, and a registry may have those of one alone.
    await promisify(execFile)(
      'npm',
      [
        'install',
        ...['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'],
        ...['--fetch-timeout=60000', '--fetch-retries=4'],
      ],
      { cwd: folder, timeout: installTimeoutMs },
    )
  } catch (error) {
    remove()
    const { stderr = '', killed = false } = error as { readonly stderr?: string; readonly killed?: boolean }
    const why = killed ? `npm install was not done after ${String(installTimeoutMs / 1000)} s` : stderr.trim()
    throw new Error(
      `The packages in test/sandbox/clients/packages/${name} were not installed: ${why}\n` +
        'Check that the npm registry can be reached, then run `npm run test:clients` again.',
      { cause: error },
    )
  }
  return { folder, load: createRequire(path.join(folder, 'package.json')), remove }
}

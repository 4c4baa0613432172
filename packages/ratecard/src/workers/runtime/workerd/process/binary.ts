import { existsSync } from 'node:fs'
import { chmod, copyFile, link, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'

const packages: Readonly<Record<string, string>> = {
  'linux x64': '@cloudflare/workerd-linux-64',
  'linux arm64': '@cloudflare/workerd-linux-arm64',
  'darwin x64': '@cloudflare/workerd-darwin-64',
  'darwin arm64': '@cloudflare/workerd-darwin-arm64',
}

/**
 * Returns the path of the workerd executable in the optional dependency. null if it is not installed or not available for this platform.
 */
export function findWorkerd(): string | null {
  const name = packages[`${process.platform} ${process.arch}`]
  if (name === undefined) return null
  const here = createRequire(import.meta.url)
  for (const from of [here, requireOfWorkerd(here)]) {
    try {
      const binary = path.join(path.dirname(from?.resolve(`${name}/package.json`) ?? ''), 'bin', 'workerd')
      if (existsSync(binary)) return binary
    } catch {
      // The package was not found from this location. Package managers install transitive dependencies in different locations, so try the
      // next one.
    }
  }
  return null
}

/**
 * Returns the path of a copy of the executable in `folder`, which every user can open. Makes a hard link to the file (150 MB) if both
 * folders are on one file system, otherwise a copy.
 */
export async function copyOf(binary: string, folder: string): Promise<string> {
  const copy = path.join(folder, 'workerd')
  const { mode } = await stat(binary)
  const linked =
    (mode & 0o005) === 0o005 &&
    (await link(binary, copy).then(
      () => true,
      // No hard link is possible (e.g. another file system), so copy the file below.
      () => false,
    ))
  if (!linked) {
    await copyFile(binary, copy)
    await chmod(copy, 0o755)
  }
  return copy
}

function requireOfWorkerd(here: NodeJS.Require): NodeJS.Require | undefined {
  try {
    return createRequire(here.resolve('workerd/package.json'))
  } catch {
    return undefined
  }
}

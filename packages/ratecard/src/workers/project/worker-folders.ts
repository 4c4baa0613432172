// Finds the folders of a project's workers and their manifests, and what looks like a worker but is none.
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'

/** File names of a manifest. If several lie in a folder, the first one counts, as wrangler decides. */
const manifestNames = ['wrangler.json', 'wrangler.jsonc', 'wrangler.toml'] as const

/** Returns the absolute paths of the manifests in a folder; the first one counts. */
export function manifestsIn(folder: string): string[] {
  return manifestNames.map((name) => path.join(folder, name)).filter((file) => existsSync(file))
}

const rootOf = (project: string) => path.join(project, 'ratecard', 'workers')

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'))
    .map((entry) => path.join(folder, entry.name))
    .sort()
}

/** Returns the folders with a manifest: `ratecard/workers` itself, or its sub-folders. Absolute paths, sorted by name. */
export function findWorkerFolders(project: string): string[] {
  const root = rootOf(project)
  if (manifestsIn(root).length > 0) return [root]
  return foldersIn(root).filter((folder) => manifestsIn(folder).length > 0)
}

export interface StrayFolder {
  /** Absolute path of the file or folder. */
  readonly file: string
  readonly detail: string
  readonly hint: string
}

const moveHint = 'Move its folder to ratecard/workers/<name>.'

/**
 * Returns the folders below `ratecard/workers` that look like a worker and are not read: folders with a manifest, if `ratecard/workers` is a
 * worker itself; manifests two folders deep, e.g. `workers/group/a/wrangler.toml`; and folders with `src`, `package.json` or a misspelt
 * manifest, but none.
 */
export function strayFolders(project: string): StrayFolder[] {
  const root = rootOf(project)
  const isOne = manifestsIn(root).length > 0
  return foldersIn(root).flatMap((folder): StrayFolder[] => {
    const [own] = manifestsIn(folder)
    if (isOne)
      return own === undefined
        ? []
        : [
            {
              file: own,
              detail: 'This worker is not read, because ratecard/workers is a worker itself.',
              hint: 'Move the manifest and the files of ratecard/workers into a folder below it.',
            },
          ]
    if (own !== undefined) return []
    const deeper = foldersIn(folder).flatMap((inner) => manifestsIn(inner).slice(0, 1))
    if (deeper.length > 0)
      return deeper.map((file) => ({ file, detail: 'This worker is not read: it is too deep.', hint: moveHint }))
    const names = readdirSync(folder)
    const misspelt = names.find((name) => /^wrangler\.(toml|jsonc?|ya?ml)$/i.test(name))
    if (misspelt === undefined && !names.includes('package.json') && !names.includes('src')) return []
    return [
      {
        file: path.join(folder, misspelt ?? ''),
        detail:
          misspelt === undefined
            ? 'This folder has no manifest, so it is no worker.'
            : 'This file is not read as a manifest.',
        hint: `A manifest is called ${manifestNames.join(', ')}.`,
      },
    ]
  })
}

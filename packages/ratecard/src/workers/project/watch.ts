// Reports a saved source file at once. esbuild's own watch mode polls and may take two seconds. Watches folders and not files, because
// editors replace a file instead of writing into it.
import { existsSync, readdirSync, statSync, watch, type FSWatcher } from 'node:fs'
import path from 'node:path'

export interface SourceWatch {
  /** Also watches the folders of the given files. */
  follow(files: readonly string[]): void
  close(): void
}

/** Debounce time (ms) of file changes: saving one file often emits several events, and switching a branch emits hundreds. */
const debounceMs = 15

const ignored = new Set(['node_modules', 'dist', '.git'])

/**
 * Calls `onChange` after a change in `folder` or in the folders of `files`. Sub-folders of `folder` are included, except those of packages
 * and builds (e.g. `node_modules`).
 */
export function watchSources(folder: string, files: readonly string[], onChange: () => void): SourceWatch {
  const watchers = new Map<string, FSWatcher & { readonly inode: number }>()
  let timer: NodeJS.Timeout | undefined
  /**
   * Stops the watchers of folders that were deleted and created again, e.g. by a branch switch. Such a folder has a new inode, and its old
   * watcher emits nothing.
   */
  const dropReplaced = (): void => {
    for (const [name, watcher] of watchers) {
      if (statSync(name, { throwIfNoEntry: false })?.ino === watcher.inode) continue
      watcher.close()
      watchers.delete(name)
    }
  }
  const changed = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      dropReplaced()
      for (const name of foldersOf(folder)) add(name)
      onChange()
    }, debounceMs)
  }
  const add = (name: string): void => {
    const inode = statSync(name, { throwIfNoEntry: false })?.ino
    if (watchers.has(name) || inode === undefined) return
    const watcher = Object.assign(watch(name, changed), { inode })
    watcher.on('error', () => {
      watcher.close()
      watchers.delete(name)
    })
    watchers.set(name, watcher)
  }
  const follow = (more: readonly string[]): void => {
    for (const file of more) add(path.dirname(file))
  }
  for (const name of foldersOf(folder)) add(name)
  follow(files)
  return {
    follow,
    close() {
      clearTimeout(timer)
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}

function foldersOf(folder: string): string[] {
  if (!existsSync(folder)) return []
  const inside = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !ignored.has(entry.name) && !entry.name.startsWith('.'))
    .flatMap((entry) => foldersOf(path.join(folder, entry.name)))
  return [folder, ...inside]
}

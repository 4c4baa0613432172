import path from 'node:path'
import { parseManifest } from '../../../workers/project/manifest.ts'
import { findWorkerFolders, manifestsIn } from '../../../workers/project/worker-folders.ts'
import type { ArgumentSpec, CommandContext } from '../../program/command.ts'
import { usageFailure } from '../../failure.ts'
import { readText } from '../../files/read-text.ts'
import { findProject } from '../../files/project.ts'

export const nameArgument: ArgumentSpec = {
  name: '[name]',
  description: 'Name of the worker. Not needed if the project has only one.',
}

/** Returns the worker to use: the given name, otherwise the project's only worker. */
export function workerName({ io }: CommandContext, given: string | undefined, how = 'its name'): string {
  if (given !== undefined) return given
  const project = findProject(io.cwd)
  const names = (project === null ? [] : findWorkerFolders(project)).flatMap(nameIn)
  const [only, ...others] = names
  if (only !== undefined && others.length === 0) return only
  throw usageFailure(
    names.length === 0
      ? 'This folder has no project with a worker, so the command needs the name of the worker.'
      : 'The project has several workers.',
    names.length === 0 ? `Add ${how}; \`ratecard cloud workers list\` shows them.` : `Add ${how}: ${names.join(', ')}.`,
  )
}

function nameIn(folder: string): string[] {
  const [file] = manifestsIn(folder)
  if (file === undefined) return []
  const { manifest } = parseManifest(readText(file), file)
  return [manifest?.name ?? path.basename(folder)]
}

// Creates a new project on disk from the templates of the package. Adds missing files and does not change existing files, with two
// exceptions. Missing lines are added to `.gitignore`, so that secrets stay out of version control. Generated files are replaced by those
// of this version.
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { findWorkerFolders } from './worker-folders.ts'

export const templates = ['saas', 'usage', 'enterprise', 'worker-only'] as const
export type TemplateName = (typeof templates)[number]

export interface MadeProject {
  /** Files that were created. In all three lists, paths are relative to the project, have `/` as separator, and are sorted. */
  readonly created: readonly string[]
  readonly extended: readonly string[]
  readonly kept: readonly string[]
}

export interface InitOptions {
  readonly template: TemplateName
  /**
   * True if the project gets sample products. False if the project already has a configuration, because the samples would be sold beside
   * its products.
   */
  readonly starterBilling: boolean
  /** Content of the generated files of this package version, by path in the project. An existing file with other content is replaced. */
  readonly generated: ReadonlyMap<string, string>
}

const templateRoot = fileURLToPath(new URL('../../../templates/', import.meta.url))

/** Creates the project in `folder`, which may exist and contain other files. */
export function initProject(folder: string, { template, starterBilling, generated }: InitOptions): MadeProject {
  const name = projectName(folder)
  const created: string[] = []
  const extended: string[] = []
  const kept: string[] = []
  // True if sub-folders of `ratecard/workers` contain workers. Then no worker is created in `ratecard/workers` itself, because it would
  // hide them.
  const several = findWorkerFolders(folder).some((found) => found !== path.join(folder, 'ratecard', 'workers'))
  for (const [file, source] of projectFiles(template)) {
    if (several && file.startsWith('ratecard/workers/')) continue
    if (!starterBilling && file.startsWith('ratecard/billing/')) continue
    const target = path.join(folder, file)
    const text = readFileSync(source, 'utf8').replaceAll('{{name}}', name)
    if (file === '.gitignore' && existsSync(target)) (extendLines(target, text) ? extended : kept).push(file)
    else if (existsSync(target)) kept.push(file)
    else {
      mkdirSync(path.dirname(target), { recursive: true })
      writeFileSync(target, text, { flag: 'wx', mode: isSecret(file) ? 0o600 : 0o666 })
      created.push(file)
    }
  }
  for (const [file, text] of generated) {
    const target = path.join(folder, file)
    const present = existsSync(target) ? readFileSync(target, 'utf8') : null
    if (present !== text) {
      mkdirSync(path.dirname(target), { recursive: true })
      writeFileSync(target, text)
    }
    ;(present === null ? created : present === text ? kept : extended).push(file)
  }
  return { created: created.sort(), extended, kept: kept.sort() }
}

/** Returns the template file for each path of the project. The template of an environment file is its example file. */
function projectFiles(template: TemplateName): Map<string, string> {
  const files = new Map<string, string>()
  for (const layer of ['common', template]) {
    const root = path.join(templateRoot, layer)
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const source = path.join(entry.parentPath, entry.name)
      // Template names start with an underscore instead of a dot, because npm drops or renames files that start with a dot when it packs.
      const parts = path.relative(root, source).split(path.sep)
      const target = parts.map((part) => part.replace(/^_/, '.')).join('/')
      files.set(target, source)
      if (/\.env\.[a-z]+\.example$/.test(target)) files.set(target.replace(/\.example$/, ''), source)
    }
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function isSecret(file: string): boolean {
  return /\.env\.[a-z]+$/.test(file)
}

/** Appends the lines of `wanted` that the file does not contain. Returns true if any line was missing. */
function extendLines(file: string, wanted: string): boolean {
  const text = readFileSync(file, 'utf8')
  const present = new Set(text.split(/\r?\n/).map((line) => line.trim()))
  const missing = wanted.split('\n').filter((line) => line !== '' && !present.has(line))
  if (missing.every((line) => line.startsWith('#'))) return false
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  // Appended, because a file that is not UTF-8 would be changed if its text was written again.
  appendFileSync(file, `${gap}${missing.join('\n')}\n`)
  return true
}

/** Returns a name that is valid for package managers and Workers: lower case, digits and hyphens. */
function projectName(folder: string): string {
  const name = path
    .basename(path.resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return name === '' ? 'my-project' : name.slice(0, 50)
}

// Resolves the imports of a worker: Node modules built into the runtime, modules shipped beside the bundle (e.g. `.wasm` files), and
// `@ratecard/client`.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import path from 'node:path'
import type { Plugin } from 'esbuild'
import { decodeText, utf8Hint } from '../../base/utf8.ts'

export type BundleModule =
  | { readonly name: string; readonly type: 'text'; readonly content: string }
  | { readonly name: string; readonly type: 'wasm' | 'data'; readonly content: Uint8Array }

/** Imported modules and their source files, by module name in the bundle. */
export type ImportedModules = Map<string, { readonly module: BundleModule; readonly file: string }>

const moduleTypes: Readonly<Record<string, BundleModule['type']>> = {
  '.wasm': 'wasm',
  '.bin': 'data',
  '.txt': 'text',
  '.html': 'text',
  '.sql': 'text',
}

/**
 * Resolves `@ratecard/client` from the project if it is installed there, otherwise from this installation of Ratecard. So a new project can
 * be deployed before `npm install`.
 */
export const ownClient: Plugin = {
  name: 'own-client',
  setup(context) {
    context.onResolve(
      { filter: /^@ratecard\/client(\/|$)/ },
      async ({ path: name, kind, resolveDir, importer, pluginData }) => {
        if (pluginData === ownClient) return undefined
        const found = await context.resolve(name, { kind, resolveDir, importer, pluginData: ownClient })
        if (found.errors.length === 0) return found
        const own = await context.resolve(name, { kind, resolveDir: import.meta.dirname, pluginData: ownClient })
        return own.errors.length === 0 ? own : { errors: found.errors }
      },
    )
  },
}

/**
 * Resolves `import 'crypto'` to `node:crypto`, as Cloudflare does, unless the project installed a package of that name. Rewrites a CommonJS
 * `require` to an ES import, because the runtime has no `require` and esbuild's replacement always throws.
 */
export const nodeModules: Plugin = {
  name: 'node-modules',
  setup(context) {
    const bare = builtinModules.filter((name) => /^[a-z]/.test(name)).join('|')
    context.onResolve({ filter: new RegExp(`^(node:.*|${bare})$`) }, async (args) => {
      if (args.pluginData === nodeModules) return undefined
      if (!args.path.startsWith('node:')) {
        const { kind, resolveDir, importer } = args
        const found = await context.resolve(args.path, { kind, resolveDir, importer, pluginData: nodeModules })
        if (found.errors.length === 0) return found
      }
      const name = args.path.startsWith('node:') ? args.path : `node:${args.path}`
      return args.kind === 'require-call' ? { path: name, namespace: 'required' } : { path: name, external: true }
    })
    context.onLoad({ filter: /.*/, namespace: 'required' }, ({ path: name }) => ({
      contents: `import module_ from ${JSON.stringify(name)}; module.exports = module_`,
    }))
  },
}

export function importedModules(modules: ImportedModules): Plugin {
  return {
    name: 'imported-modules',
    setup(context) {
      context.onResolve({ filter: /\.(wasm|bin|txt|html|sql)(\?module)?$/ }, async (args) => {
        if (args.pluginData === modules) return undefined
        const found = await context.resolve(args.path.replace(/\?module$/, ''), {
          kind: args.kind,
          resolveDir: args.resolveDir,
          importer: args.importer,
          pluginData: modules,
        })
        if (found.errors.length > 0) return { errors: found.errors }
        const content = await readFile(found.path)
        const type = moduleTypes[path.extname(found.path)] ?? 'data'
        // The digest distinguishes two files of the same name. The file name is kept because stack traces contain it.
        const digest = createHash('sha256').update(content).digest('hex').slice(0, 10)
        const name = `./${digest}-${path.basename(found.path).replace(/[^\w.-]/g, '_')}`
        if (type !== 'text') modules.set(name, { module: { name, type, content }, file: found.path })
        else {
          const { text, problem } = decodeText(content)
          if (problem !== null) return { errors: [notUtf8(found.path, problem)] }
          modules.set(name, { module: { name, type, content: text }, file: found.path })
        }
        return { path: name, external: true }
      })
    },
  }
}

/** Refuses source files of the author that are not UTF-8: esbuild would replace what it cannot read by U+FFFD. */
export const utf8Sources: Plugin = {
  name: 'utf8-sources',
  setup(context) {
    context.onLoad({ filter: /\.([cm]?[jt]sx?|json)$/ }, async (args) => {
      if (args.path.split(path.sep).includes('node_modules')) return undefined
      const { problem } = decodeText(await readFile(args.path))
      return problem === null ? undefined : { errors: [notUtf8(args.path, problem)] }
    })
  },
}

const notUtf8 = (file: string, problem: string) => ({
  text: `The file ${problem}`,
  notes: [{ text: utf8Hint }],
  location: { file, line: 1 },
})

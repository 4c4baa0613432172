// Bundles the element with the arithmetic that it shares with the service:  node packages/pricing-table/build.mjs
// dist/pricing-table.js is a module, for bundlers; dist/pricing-table.script.js defines the element and exports nothing, so that it
// works as a module and as a plain script. Declarations are made file by file: they name nothing of other packages.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = path.dirname(fileURLToPath(import.meta.url))
const entry = path.join(folder, 'src/pricing-table.ts')
const out = path.join(folder, 'dist')
const declared = ['pricing-table', 'element']

export async function buildPricingTable() {
  const { build } = await import('esbuild')
  mkdirSync(out, { recursive: true })
  const bundle = async (format) => {
    const options = {
      bundle: true,
      minify: true,
      target: 'es2022',
      legalComments: 'none',
      write: false,
      charset: 'utf8',
    }
    const { outputFiles } = await build({ ...options, entryPoints: [entry], format })
    return outputFiles[0].text
  }
  write('pricing-table.js', await bundle('esm'))
  write('pricing-table.script.js', await bundle('iife'))
  const { default: typescript } = await import('typescript')
  for (const name of declared) write(`${name}.d.ts`, declarationOf(typescript, path.join(folder, 'src', `${name}.ts`)))
}

function declarationOf(typescript, file) {
  const { outputText, diagnostics = [] } = typescript.transpileDeclaration(readFileSync(file, 'utf8'), {
    fileName: file,
    compilerOptions: {
      target: 99,
      module: 199,
      lib: ['ES2024', 'DOM'],
      isolatedDeclarations: true,
      declaration: true,
      strict: true,
    },
    reportDiagnostics: true,
  })
  if (diagnostics.length > 0)
    throw new Error(
      diagnostics.map(({ messageText }) => typescript.flattenDiagnosticMessageText(messageText, '\n')).join('\n'),
    )
  return outputText
}

/** Writes a file atomically, and only if its content has changed, because several processes may build at the same time. */
function write(name, text) {
  const file = path.join(out, name)
  const present = readPresent(file)
  if (present === text) return
  const draft = `${file}.${process.pid}`
  try {
    writeFileSync(draft, text)
    renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}

function readPresent(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPricingTable()

// Bundles the element with the arithmetic that it shares with the service:  node packages/pricing-table/build.mjs
// dist/pricing-table.js is a module, for bundlers; dist/pricing-table.script.js defines the element and exports nothing, so that it
// works as a module and as a plain script. dist/languages has the texts of each language but English. Declarations are made file by file: they name nothing of other packages.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(fileURLToPath(import.meta.url))
const entry = path.join(root, 'src/pricing-table.ts')
const out = path.join(root, 'dist')
const declared = ['pricing-table', 'element']

export async function buildPricingTable() {
  const { build } = await import('esbuild')
  mkdirSync(path.join(out, 'languages'), { recursive: true })
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
  for (const [language, texts] of Object.entries(await languagePacks(build)))
    write(`languages/${language}.json`, JSON.stringify(texts))
  const { default: typescript } = await import('typescript')
  for (const name of declared) write(`${name}.d.ts`, declarationOf(typescript, path.join(root, 'src', `${name}.ts`)))
}

/** Returns the texts of each language by its subtag. The service serves them as files, so that a page loads one language only. */
async function languagePacks(build) {
  const { outputFiles } = await build({
    entryPoints: [path.join(root, 'src/languages/all.ts')],
    bundle: true,
    format: 'esm',
    charset: 'utf8',
    write: false,
  })
  const script = Buffer.from(outputFiles[0].text).toString('base64')
  return (await import(`data:text/javascript;base64,${script}`)).packs
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

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { alteredValues, workerEnvironment } from '../../../packages/ratecard/src/workers/project/env-files.ts'
import { bundleWorker, openBundler } from '../../../packages/ratecard/src/workers/project/bundle.ts'
import { readWorkers } from '../../../packages/ratecard/src/workers/project/read-workers.ts'
import { findWorkerFolders, strayFolders } from '../../../packages/ratecard/src/workers/project/worker-folders.ts'
import { watchSources } from '../../../packages/ratecard/src/workers/project/watch.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'rc-project-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

function write(file: string, text: string): string {
  const target = path.join(folder, file)
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(target, text)
  return target
}

const manifest = (name: string, more = '') =>
  `name = "${name}"\nmain = "index.ts"\ncompatibility_date = "2026-11-01"\n${more}`
const now = Date.UTC(2026, 10, 21)
const environment = (text: string) => ({ path: '/p/.env.dev', text })

describe('an environment file', () => {
  it('is parsed as in dotenv: with quotes, comments and several lines, without expansion', () => {
    const text = `A=1 # one\nexport B="two\\nlines"\nC='$A \${A}'\nD="first\nsecond"\nE=\n`
    const { variables, issues } = workerEnvironment(`\uFEFF${text}`)
    expect(Object.fromEntries(variables)).toEqual({
      A: '1',
      B: 'two\nlines',
      C: '$A ${A}',
      D: 'first\nsecond',
      E: '',
    })
    expect(issues).toEqual([])
  })

  it('is refused with the line of each malformed line and invalid name, and without any value', () => {
    const text = `# comment\n\nGOOD=1\nsk_live_secret\n  my-key=sk_live_other\n1st=x\nLAST=\${GOOD}\n`
    const { issues } = workerEnvironment(text)
    expect(issues.map(({ severity, line, column }) => [severity, line, column])).toEqual([
      ['error', 4, 1],
      ['error', 5, 3],
      ['error', 6, 1],
      ['warning', 7, 1],
    ])
    expect(issues[1]?.detail).toBe('"my-key" cannot be the name of a variable.')
    expect(issues[3]?.detail).toContain('"${GOOD}" in the value of LAST stays as it is')
    expect(JSON.stringify(issues)).not.toContain('sk_live')
  })

  it.each([
    ["A=1\n  FOO='sk_live_x\nB=2", [2, 3, "'"]],
    ["A=1\nFOO='sk_live_x\nB='2'", [2, 1, "'"]],
    ['FOO="sk_live_x # of "ours"\nB=2', [1, 1, '"']],
    ['FOO=`sk_live_x\r\nB=2', [1, 1, '`']],
  ])('is refused at the line of a quote that is never closed: %j', (text, [line, column, quote]) => {
    const { issues } = workerEnvironment(text)
    const detail = `The value of FOO begins with ${quote ?? ''}, but has no closing quote.`
    expect(issues).toMatchObject([{ severity: 'error', line, column, detail }])
    expect(JSON.stringify(issues)).not.toContain('sk_live')
  })

  it('may contain quotes at the end of a value, inside of it, or within other quotes', () => {
    const text = `A='it's'\nB="'"\nC=it's\nD="a#b" # c\nE='' \n`
    const { variables, issues } = workerEnvironment(text)
    expect(issues).toEqual([])
    expect(Object.fromEntries(variables)).toMatchObject({ A: "it's", B: "'", C: "it's", D: 'a#b', E: '' })
  })

  it('causes a warning with both lines if it sets a name twice', () => {
    const { variables, issues } = workerEnvironment('A=1\nB="x\nA=no"\n\nexport A=2\nA=3\n')
    expect(variables.get('A')).toBe('3')
    expect(issues.map(({ severity, line, detail }) => `${severity} ${line} ${detail}`)).toEqual([
      'warning 5 A is given twice, in line 1 and in line 5: the last one is used.',
      'warning 6 A is given twice, in line 5 and in line 6: the last one is used.',
    ])
  })

  it('may have a value over several lines that looks like assignments', () => {
    expect(workerEnvironment('KEY="-----BEGIN\nnot an assignment\n-----END"\nB=1').issues).toEqual([])
    expect(workerEnvironment('A="say hi\nnot an assignment" # end\nB=1').issues).toEqual([])
    expect(workerEnvironment("KEY='unfinished\nnot an assignment").issues.map(({ line }) => line)).toEqual([1, 2])
  })

  it('passes deployment credentials to no worker', () => {
    const { variables } = workerEnvironment('CLOUDFLARE_API_TOKEN=t\nCLOUDFLARE_ACCOUNT_ID=a\nOTHER=x')
    expect([...variables.keys()]).toEqual(['OTHER'])
  })
})

describe('a value that is not what its line shows', () => {
  const altered = (text: string) =>
    alteredValues(text, new Set(['FIRST', 'PASS', 'COLOR', 'LINK', 'A', 'F'])).map(
      ({ line, detail }) => `${String(line)} ${detail}`,
    )

  it.each([
    ['PASS=abc#def', 'The value of PASS ends before its "#": the rest counts as a comment.'],
    ['COLOR=#FF0000', 'The value of COLOR ends before its "#": the rest counts as a comment.'],
    ['LINK: https://host.example.com/a#b', 'The value of LINK ends before its "#": the rest counts as a comment.'],
    ['A="abc"def', 'The value of A goes on after its closing ": its quotes are part of it.'],
    ['F="x" --flag', 'The value of F goes on after its closing ": its quotes are part of it.'],
    ["A='abc'#def", "What follows the closing ' of A counts as a comment."],
    ['A="say \\"hi\\""', '"\\"" in the value of A stays as these two characters.'],
  ])('%s is warned about', (line, detail) => {
    expect(altered(`FIRST=1\n${line}\n`)).toEqual([`2 ${detail}`])
    expect(workerEnvironment(line).issues).toMatchObject([{ severity: 'warning', line: 1, detail }])
  })

  it.each([
    'A=abc # a comment',
    'A= # a comment',
    'A=',
    "A='abc#def'",
    'A="abc" # a comment',
    'A=$x',
    'A="two\nlines#" #',
    "A='it\"s'",
  ])('%j is as it is written', (line) => {
    expect(altered(line)).toEqual([])
  })

  it('is looked for in the named variables', () => {
    const names = alteredValues('A=b#c\nB=c#d', new Set(['B'])).map(({ line }) => line)
    expect(names).toEqual([2])
  })
})

describe('the workers of a project', () => {
  it('are found in the workers folder itself, or in each of its subfolders with a manifest', () => {
    write('ratecard/workers/b/wrangler.toml', manifest('b'))
    write('ratecard/workers/a/wrangler.toml', manifest('a'))
    write('ratecard/workers/shared/util.ts', '')
    expect(findWorkerFolders(folder).map((found) => path.basename(found))).toEqual(['a', 'b'])
    write('ratecard/workers/wrangler.toml', manifest('only'))
    expect(findWorkerFolders(folder)).toEqual([path.join(folder, 'ratecard/workers')])
    expect(findWorkerFolders(path.join(folder, 'ratecard'))).toEqual([])
  })

  it('have their manifest in TOML or JSON, and the file that wrangler prefers counts', () => {
    write('ratecard/workers/a/index.ts', '')
    const json = (name: string) => `{ // as wrangler writes it
  "name": "${name}", "main": "index.ts", "compatibility_date": "2026-11-01", }`
    const read = () => {
      const { workers, issues } = readWorkers(findWorkerFolders(folder), [], environment(''), now)
      const told = issues.map(({ file, severity, detail }) => `${path.basename(file)} ${severity} ${detail}`)
      return [workers.map(({ manifest: { name }, file }) => `${name} ${path.basename(file)}`), told]
    }
    const shadowed = (file: string, by: string) =>
      `${file} warning This file is not read, because ${by} lies beside it.`
    write('ratecard/workers/a/wrangler.toml', manifest('toml'))
    expect(read()).toEqual([['toml wrangler.toml'], []])
    write('ratecard/workers/a/wrangler.jsonc', json('jsonc'))
    expect(read()).toEqual([['jsonc wrangler.jsonc'], [shadowed('wrangler.toml', 'wrangler.jsonc')]])
    write('ratecard/workers/a/wrangler.json', json('json'))
    expect(read()).toEqual([
      ['json wrangler.json'],
      [shadowed('wrangler.jsonc', 'wrangler.json'), shadowed('wrangler.toml', 'wrangler.json')],
    ])
  })

  it('are told of folders that look like a worker and are none', () => {
    const strays = () =>
      strayFolders(folder).map(
        ({ file, detail }) => `${path.relative(path.join(folder, 'ratecard/workers'), file)}: ${detail}`,
      )
    write('ratecard/workers/a/wrangler.jsonc', '{}')
    write('ratecard/workers/b/src/index.ts', '')
    write('ratecard/workers/c/Wrangler.toml', manifest('c'))
    write('ratecard/workers/d/package.json', '{}')
    write('ratecard/workers/group/deep/wrangler.toml', manifest('deep'))
    write('ratecard/workers/shared/util.ts', '')
    write('ratecard/workers/node_modules/x/package.json', '{}')
    expect(strays()).toEqual([
      'b: This folder has no manifest, so it is no worker.',
      'c/Wrangler.toml: This file is not read as a manifest.',
      'd: This folder has no manifest, so it is no worker.',
      'group/deep/wrangler.toml: This worker is not read: it is too deep.',
    ])
    write('ratecard/workers/wrangler.toml', manifest('root'))
    expect(strays()).toEqual([
      'a/wrangler.jsonc: This worker is not read, because ratecard/workers is a worker itself.',
    ])
  })

  it('can be selected by name or folder, and an unknown name is refused', () => {
    for (const name of ['a', 'b', 'c']) {
      write(`ratecard/workers/${name}/wrangler.toml`, manifest(`worker-${name}`))
      write(`ratecard/workers/${name}/index.ts`, '')
    }
    const read = readWorkers(findWorkerFolders(folder), ['worker-a', 'b', 'nope'], environment(''), now)
    expect(read.workers.map((worker) => worker.manifest.name)).toEqual(['worker-a', 'worker-b'])
    expect(read.unknown).toEqual(['nope'])
    expect(read.known).toEqual(['worker-a', 'worker-b', 'worker-c'])
  })

  it('must have an entry file inside of the project; a file outside is neither read nor quoted', () => {
    const place = write('ratecard/workers/a/wrangler.toml', manifest('a').replace('index.ts', '../../../../secret.ts'))
    const secret = path.join(path.dirname(folder), 'secret.ts')
    const issuesOf = () => readWorkers(findWorkerFolders(folder), [], environment(''), now).issues
    expect(issuesOf()).toMatchObject([
      { severity: 'error', file: place, detail: 'The entry file "../../../../secret.ts" is outside the project.' },
    ])
    writeFileSync(secret, 'swordfish')
    try {
      symlinkSync(secret, path.join(folder, 'ratecard/workers/a/index.ts'))
      write('ratecard/workers/a/wrangler.toml', manifest('a'))
      expect(issuesOf()).toMatchObject([{ detail: 'The entry file "index.ts" is outside the project.' }])
    } finally {
      rmSync(secret)
    }
    write('src/index.ts', '')
    write('ratecard/workers/a/wrangler.toml', manifest('a').replace('index.ts', '../../../src/index.ts'))
    expect(issuesOf()).toEqual([])
  })

  it('receive no credentials of the service and the processor, unless the manifest requires the credentials by name', () => {
    const text =
      'RATECARD_SERVICE_KEY=rck_x\nSTRIPE_SECRET_KEY=sk_test_x\nSTRIPE_API_KEY=sk_x\nRATECARD_MASTER_KEY=1:x\n' +
      'STRIPE_WEBHOOK_SECRET=whsec_x\nSTRIPE_API_BASE=http://x\nOWN=y\n'
    const rest = ['STRIPE_WEBHOOK_SECRET', 'STRIPE_API_BASE', 'OWN']
    const given = (extra: string) => {
      write('ratecard/workers/a/wrangler.toml', manifest('a', extra))
      write('ratecard/workers/a/index.ts', '')
      const { workers, issues } = readWorkers(findWorkerFolders(folder), [], environment(text), now)
      return [
        [...(workers[0]?.variables.keys() ?? [])],
        issues.map(({ severity, line, detail }) => `${severity} ${line} ${detail}`),
      ]
    }
    const warning = (line: number, name: string) => `warning ${line} ${name} is not given to the worker "a".`
    const others = [warning(2, 'STRIPE_SECRET_KEY'), warning(3, 'STRIPE_API_KEY'), warning(4, 'RATECARD_MASTER_KEY')]
    expect(given('')).toEqual([rest, [warning(1, 'RATECARD_SERVICE_KEY'), ...others]])
    expect(given('[secrets]\nrequired = ["STRIPE_SECRET_KEY", "RATECARD_SERVICE_KEY"]\n')).toEqual([
      ['RATECARD_SERVICE_KEY', 'STRIPE_SECRET_KEY', ...rest],
      others.slice(1),
    ])
    expect(given('[ratecard]\nservice_key = "read"\n')).toEqual([rest, others])
  })

  it('have each missing required variable reported at its line of the manifest', () => {
    write(
      'ratecard/workers/wrangler.toml',
      manifest('a', '[secrets]\nrequired = [\n  "THERE",\n  "MISSING",\n  "EMPTY"\n]\n'),
    )
    write('ratecard/workers/index.ts', '')
    const { workers, issues } = readWorkers(findWorkerFolders(folder), [], environment('THERE=1\nEMPTY='), now)
    expect(workers).toEqual([])
    expect(issues.map(({ line, detail }) => `${line} ${detail}`)).toEqual([
      '7 MISSING is required, but .env.dev does not define it.',
      '8 EMPTY is required, but .env.dev does not define it.',
    ])
  })

  it('must have different names, and each must have an entry file', () => {
    write('ratecard/workers/one/wrangler.toml', manifest('same'))
    write('ratecard/workers/two/wrangler.toml', manifest('same'))
    write('ratecard/workers/one/index.ts', '')
    const { issues } = readWorkers(findWorkerFolders(folder), [], environment(''), now)
    expect(issues.map(({ detail }) => detail)).toEqual([
      'The entry file "index.ts" does not exist.',
      'The name "same" is also that of the worker in one.',
    ])
  })
})

describe('the repeated bundling of a worker during development', () => {
  it('detects changes, and lists its input files', async () => {
    write('index.ts', `import { text } from './text.ts'\nimport page from './page.html'\nexport default { text, page }`)
    write('text.ts', `export const text = 'first'`)
    write('page.html', '<p>one</p>')
    const bundler = await openBundler({ entry: 'index.ts', workingDirectory: folder })
    try {
      expect((await bundler.bundle()).bundle?.code).toContain('first')
      expect(
        bundler
          .inputs()
          .map((file) => path.relative(folder, file))
          .sort(),
      ).toEqual(['index.ts', 'page.html', 'text.ts'])
      write('text.ts', `export const text = 'second'`)
      write('page.html', '<p>two</p>')
      const second = await bundler.bundle()
      expect(second.bundle?.code).toContain('second')
      expect(second.bundle?.modules.map(({ content }) => content)).toEqual(['<p>two</p>'])
      write('text.ts', `export const = 1`)
      const broken = await bundler.bundle()
      expect(broken.bundle).toBeNull()
      expect(broken.issues[0]).toMatchObject({ file: 'text.ts', line: 1 })
      write('text.ts', `export const text = 'third'`)
      expect((await bundler.bundle()).bundle?.code).toContain('third')
    } finally {
      await bundler.close()
    }
  })

  it('provides @ratecard/client if the project has not installed it, and otherwise uses the project’s own version', async () => {
    const source = `import { verifyWebhook } from '@ratecard/client/webhooks'\nexport default { fetch: () => verifyWebhook }`
    write('index.ts', source)
    const ours = await bundleWorker({ entry: 'index.ts', workingDirectory: folder })
    expect(ours.issues).toEqual([])
    expect(ours.bundle?.code).toContain('crypto.subtle')
    write('node_modules/@ratecard/client/package.json', '{"exports":{"./webhooks":"./w.js"}}')
    write('node_modules/@ratecard/client/w.js', `export const verifyWebhook = 'the one of the project'`)
    const theirs = await bundleWorker({ entry: 'index.ts', workingDirectory: folder })
    expect(theirs.bundle?.code).toContain('the one of the project')
  })

  it('reports a missing package with the command that installs the package', async () => {
    write('index.ts', `import x from '@scope/pkg/deep'\nimport y from './gone'\nexport default { x, y }`)
    const { issues } = await bundleWorker({ entry: 'index.ts', workingDirectory: folder })
    expect(issues.map(({ hint }) => hint)).toEqual(['Install it: npm install @scope/pkg', 'Correct the path.'])
  })
})

describe('the file watcher of a worker’s folder', () => {
  /** Resolves at the next change. The change itself may cause several events. */
  async function changeAfter(act: () => void, files: readonly string[] = []): Promise<void> {
    let seen: () => void = () => undefined
    const change = new Promise<void>((resolve) => (seen = resolve))
    const watch = watchSources(path.join(folder, 'worker'), files, () => seen())
    act()
    await change
    watch.close()
  }

  it('detects a saved file in the folder, in a new subfolder, and in another folder that the worker uses', async () => {
    write('worker/src/index.ts', '')
    const env = write('environments/.env.dev', '')
    await changeAfter(() => write('worker/src/index.ts', 'changed'))
    await changeAfter(() => write('worker/src/index.ts.tmp', 'as editors do'))
    await changeAfter(() => write('worker/new/deep/file.ts', 'x'))
    await changeAfter(() => writeFileSync(env, 'A=1'), [env])
  })
})

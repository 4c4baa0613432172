import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bundleWorker, type BundleResult } from '../../../packages/ratecard/src/workers/project/bundle.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'rc-bundle-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function bundle(files: Record<string, string | Uint8Array>): Promise<BundleResult> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
    await writeFile(path.join(folder, name), content)
  }
  return bundleWorker({ entry: 'src/index.ts', workingDirectory: folder })
}

const handler = 'export default { fetch() { return new Response(text) } }'

describe('bundleWorker()', () => {
  it('joins TypeScript files and installed packages into one module with a source map', async () => {
    const { bundle: made, issues } = await bundle({
      'src/index.ts': `import { text } from './text.ts'\nimport { greet } from 'greeter'\nconst n: number = 1\ngreet(n)\n${handler}`,
      'src/text.ts': `export const text: string = 'hello'`,
      'node_modules/greeter/package.json': `{"name":"greeter","exports":{"workerd":"./w.js","default":"./n.js"}}`,
      'node_modules/greeter/w.js': `export const greet = () => 'for workers'`,
      'node_modules/greeter/n.js': `import fs from 'fs'; export const greet = () => fs`,
    })
    expect(issues).toEqual([])
    expect(made?.code).toContain('for workers')
    expect(made?.code).not.toContain('sourceMappingURL')
    expect(made?.bytes).toBe(Buffer.byteLength(made?.code ?? ''))
    expect(JSON.parse(made?.sourceMap ?? '')).toMatchObject({
      sources: ['src/text.ts', 'node_modules/greeter/w.js', 'src/index.ts'],
    })
  })

  it('leaves node: and cloudflare: imports to the runtime, and treats a bare name of a Node.js module as node:', async () => {
    const { bundle: made } = await bundle({
      'src/index.ts': `import { x } from 'cloudflare:workers'\nimport a from 'node:util'\nimport { createHmac } from 'crypto'\nimport cjs from './old.cjs'\nconst text = [x, a, createHmac, cjs]\n${handler}`,
      'src/old.cjs': `module.exports = require('path').join`,
    })
    expect(made?.code).toMatch(/from "cloudflare:workers"/)
    expect(made?.code).toMatch(/from "node:path"/)
    expect(made?.code).not.toContain('Dynamic require')
    expect(made?.code).toMatch(/from "node:crypto"/)
  })

  it('keeps wasm, text and binary files as separate modules', async () => {
    const { bundle: made, issues } = await bundle({
      'src/index.ts': `import page from './page.html'\nimport wasm from './add.wasm'\nimport bin from '../x.bin'\nconst text = [page, wasm, bin]\n${handler}`,
      'src/page.html': '<p>ü</p>',
      'src/add.wasm': new Uint8Array([0, 97, 115, 109]),
      'x.bin': new Uint8Array([1, 255]),
    })
    expect(issues).toEqual([])
    const modules = Object.fromEntries((made?.modules ?? []).map((module) => [module.name.slice(13), module]))
    expect(modules['page.html']).toMatchObject({ type: 'text', content: '<p>ü</p>' })
    expect(modules['add.wasm']?.type).toBe('wasm')
    expect([...Buffer.from(modules['x.bin']?.content ?? '')]).toEqual([1, 255])
    for (const module of made?.modules ?? []) expect(made?.code).toContain(`"${module.name}"`)
  })

  it('reports a syntax error and a missing module at file, line and column', async () => {
    const broken = await bundle({ 'src/index.ts': `const a = 1\nconst = 2` })
    expect(broken.bundle).toBeNull()
    expect(broken.issues[0]).toMatchObject({ severity: 'error', file: 'src/index.ts', line: 2, column: 7 })
    const missing = await bundle({ 'src/index.ts': `\n  import x from './nowhere.ts'\nexport default x` })
    expect(missing.issues[0]).toMatchObject({ file: 'src/index.ts', line: 2, column: 17 })
    expect(missing.issues[0]?.detail).toContain('./nowhere.ts')
    const text = await bundle({ 'src/index.ts': `import x from './nowhere.txt'\nexport default x` })
    expect(text.issues[0]).toMatchObject({ file: 'src/index.ts', line: 1 })
    const entry = await bundleWorker({ entry: 'absent.ts', workingDirectory: folder })
    expect(entry.issues[0]?.detail).toContain('absent.ts')
  })

  it.each(['src/index.ts', 'src/data.json', 'src/page.html'])('refuses %s if it is not UTF-8', async (broken) => {
    const files = {
      'src/index.ts': `import text from './page.html'\nimport data from './data.json'\ntext + data\n${handler}`,
      'src/data.json': '{"name":"Café"}',
      'src/page.html': '<p>Café</p>',
    }
    const { bundle: made, issues } = await bundle({ ...files, [broken]: Buffer.from('"é"', 'latin1') })
    expect(made).toBeNull()
    expect(issues).toMatchObject([{ severity: 'error', detail: expect.stringContaining('is not UTF-8: line 1') }])
    expect(issues[0]?.file?.endsWith(path.basename(broken))).toBe(true)
    expect(issues[0]?.hint).toContain('Save it as UTF-8')
  })

  it('refuses the reserved export name, also in a re-export, and a worker without a default export', async () => {
    const direct = await bundle({ 'src/index.ts': `export class __Ctl {}\nexport default {}` })
    expect(direct.issues[0]?.detail).toContain('"__Ctl"')
    const behind = await bundle({
      'src/index.ts': `export * from './other.ts'\nexport default {}`,
      'src/other.ts': 'class A {}\nexport { A as __Ctl }',
    })
    expect(behind.bundle).toBeNull()
    const none = await bundle({ 'src/index.ts': 'export const fetch = 1' })
    expect(none.issues[0]?.detail).toBe('The worker has no default export.')
  })

  it('refuses bundles of more than ten megabytes and names the largest file', async () => {
    const { bundle: made, issues } = await bundle({
      'src/index.ts': `import { text } from './big.ts'\n${handler}`,
      'src/big.ts': `export const text = ${JSON.stringify('x'.repeat(10 * 1024 * 1024))}`,
    })
    expect(made).toBeNull()
    expect(issues[0]?.detail).toBe('The bundle has 10.0 MB; at most 10.0 MB are allowed.')
    expect(issues[0]?.hint).toContain('src/big.ts')
  })
})

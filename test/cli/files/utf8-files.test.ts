// Files that are not UTF-8 are refused wherever one is read: U+FFFD in a name would go to receipts and invoices.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { cliWorld } from '../cli-world.ts'
import { startedForEach } from '../../support/started.ts'

const world = startedForEach(() => cliWorld())
const latin1 = 'has the byte 0xE9, which is perhaps of ISO 8859-1 or Windows-1252'
const put = (file: string, text: string, encoding: 'latin1' | 'utf16le' = 'latin1') => {
  const target = path.join(world.cwd, file)
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(target, Buffer.from(text, encoding))
}
const document = '{"version":"1.0.0","products":[{"id":"p","name":"Café"}]}'
const manifest = 'name = "w"\nmain = "index.js"\ncompatibility_date = "2026-11-01"\n'
const deploy = (...more: string[]) =>
  world.json(['cloud', 'workers', 'deploy', '--dry-run', ...more], { env: { RATECARD_SERVICE_KEY: 'k' } })

describe('a file that is not UTF-8', () => {
  test.each([
    ['a.json', document],
    ['a.yaml', 'version: 1.0.0\nproducts:\n  - id: p\n    name: Café\n'],
    ['a.jsonc', `// é\n${document}`],
  ])('is refused as the document %s', async (file, text) => {
    put(file, text)
    const { exit, document: shown } = await world.json(['billing', 'validate', file])
    expect({ exit, code: shown.error.code }).toEqual({ exit: 1, code: 'file_unfit' })
    expect(shown.error.detail).toContain(latin1)
  })

  test('is refused as UTF-16, by that name', async () => {
    put('a.json', document, 'utf16le')
    const { document: shown } = await world.json(['billing', 'validate', 'a.json'])
    expect(shown.error.detail).toContain('is not UTF-8 but UTF-16 (little endian).')
  })

  test('is refused as an environment file, and as policies', async () => {
    world.write('ratecard/billing/a.json', document.replace('Café', '${TITLE}'))
    put('ratecard/environments/.env.dev', 'TITLE=Café\n')
    expect((await world.json(['billing', 'validate'])).document.error.detail).toContain(latin1)
    put('rules.json', '{"rules":[{"id":"é"}]}')
    const pushed = await world.json(['policies', 'push', 'rules.json'], { env: { RATECARD_SERVICE_KEY: 'k' } })
    expect(pushed.document.error.code).toBe('file_unfit')
    expect(pushed.document.error.detail).toContain(`rules.json is not UTF-8: line 1 ${latin1}`)
  })

  test.each(['wrangler.toml', 'index.js', 'page.html'])('is refused as %s of a worker', async (file) => {
    const at = (name: string) => `ratecard/workers/${name}`
    world.write(at('wrangler.toml'), manifest)
    world.write(at('index.js'), 'import page from "./page.html"\nexport default { fetch: () => new Response(page) }')
    world.write(at('page.html'), '<p>Café</p>')
    const broken = { 'wrangler.toml': `${manifest}# é\n`, 'index.js': '// é\nexport default {}' }[file] ?? '<p>é</p>'
    put(at(file), broken)
    const { exit, document: shown } = await deploy()
    expect(exit).toBe(1)
    expect(shown.error.detail).toContain(`${file} is not UTF-8`)
    expect(shown.error.detail).toContain(latin1)
  })
})

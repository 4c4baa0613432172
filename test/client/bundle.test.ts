import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { readFileSync } from 'node:fs'

const source = (entry: string) => fileURLToPath(new URL(`../../packages/client/src/${entry}`, import.meta.url))
const limit = 10 * 1024

/** Bundles for a browser, as an application does. An import of a Node module cannot be resolved, and fails. */
async function bundle(contents: string, format: 'esm' | 'iife' = 'esm'): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: source('.'), loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    platform: 'browser',
    target: 'es2022',
    format,
    globalName: 'bundled',
  })
  return outputFiles[0]?.contents ?? new Uint8Array()
}

const zipped = (bytes: Uint8Array) => gzipSync(bytes, { level: 9 }).length

describe('the client library in a bundle', () => {
  it('has at most 10 KiB, minified and gzipped', async () => {
    const whole = zipped(await bundle(`export * from './client.ts'`))
    expect(whole).toBeGreaterThan(1000)
    expect(whole).toBeLessThanOrEqual(limit)
  })

  it('contains only the signature check if the import names only the signature check, from either entry point', async () => {
    const alone = zipped(await bundle(`export { verifyWebhook } from './webhooks.ts'`))
    expect(alone).toBeLessThanOrEqual(1536)
    const shaken = zipped(await bundle(`export { verifyWebhook } from './client.ts'`))
    expect(shaken).toBeLessThanOrEqual(alone + 64)
  })

  it('uses no Node.js API, only APIs that browsers and workers have', async () => {
    const text = new TextDecoder().decode(await bundle(`export * from './client.ts'`, 'iife'))
    expect(text).not.toMatch(/\bnode:|\bprocess\.|\bBuffer\b|\brequire\(/)
    const place: { bundled?: { createClient?: unknown } } = {}
    runInNewContext(`${text};globalThis.bundled=bundled`, place)
    expect(typeof place.bundled?.createClient).toBe('function')
  })

  it('has no dependencies, and only the documented entry points', () => {
    const manifest = JSON.parse(readFileSync(source('../package.json'), 'utf8')) as Record<string, unknown>
    expect([manifest['dependencies'], manifest['peerDependencies']]).toEqual([undefined, undefined])
    expect(Object.keys(manifest['exports'] as object)).toEqual(['.', './webhooks', './package.json'])
  })
})

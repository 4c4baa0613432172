// A shop on another origin than the service: the pages of examples/pricing-table, bundled as their README says, and pages of the tests.
// Every response has a strict content security policy.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { listenLocally } from '../support/listen.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const examples = path.join(root, 'examples/pricing-table')

export interface ShopPages {
  readonly url: string
  /** Sets what `/page.html` says. */
  write(body: string, options?: { readonly lang?: string; readonly dir?: string; readonly head?: string }): void
  close(): Promise<void>
}

const types: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript', css: 'text/css' }

/** Bundles `main.js` of a framework's example, with the pricing table from its sources. */
async function bundled(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(examples, name, name === 'react' ? 'main.jsx' : 'main.js')],
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"', __VUE_OPTIONS_API__: 'true', __VUE_PROD_DEVTOOLS__: 'false' },
    alias: { vue: '@vue/runtime-dom' },
    nodePaths: [path.join(root, 'node_modules')],
  })
  return outputFiles[0]?.text ?? ''
}

/** Builds the page of the static site with the prices of the service. */
async function builtStatic(service: string): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'ratecard-static-'))
  try {
    await promisify(execFile)(process.execPath, [path.join(examples, 'static/build.mjs'), service, folder])
    return readFileSync(path.join(folder, 'index.html'), 'utf8')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Pages of a shop whose service is at `service`. */
export async function openShop(service: string): Promise<ShopPages> {
  let written = ''
  const scripts = new Map<string, string>()
  for (const name of ['react', 'vue']) scripts.set(`/${name}/main.js`, await bundled(name))
  scripts.set('/static/index.html', await builtStatic(service))
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${service}`,
    "style-src 'self'",
    `connect-src ${service}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
  const server = createServer((request, response) => {
    const file = new URL(request.url ?? '/', 'http://shop').pathname
    const content = file === '/page.html' ? written : (scripts.get(file) ?? fileOf(file))
    if (content === null) {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, {
      'content-type': `${types[file.split('.').at(-1) ?? ''] ?? 'text/plain'}; charset=utf-8`,
      'content-security-policy': policy,
    })
    response.end(content.replaceAll('http://127.0.0.1:4242', service))
  })
  await listenLocally(server)
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    write(body, { lang = 'en', dir = 'ltr', head = '' } = {}) {
      written = [
        `<!doctype html><html lang="${lang}" dir="${dir}"><head><meta charset="utf-8"><title>Prices</title>`,
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="/page.css">',
        `<script type="module" src="${service}/pricing-table.js"></script>${head}</head><body><main>${body}</main></body></html>`,
      ].join('')
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}

function fileOf(name: string): string | null {
  const file = path.join(examples, name)
  if (!file.startsWith(`${examples}/`)) return null
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

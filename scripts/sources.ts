// Makes the sources and the test data that are built and not committed: what the installed Stripe SDK says, the client's types, and the
// style of pages. The build runs it first. What has not changed is not written, so that an incremental build stays one.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

function write(file: string, text: string): void {
  const target = path.join(root, file)
  if (existsSync(target) && readFileSync(target, 'utf8') === text) return
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(target, text)
}

/** Reading the types of the SDK takes seconds, so it is done once for each version of the SDK and of the scripts that read it. */
async function writeStripeFiles(): Promise<void> {
  const sdk = path.join(path.dirname(createRequire(import.meta.url).resolve('stripe')), '../package.json')
  const scripts = ['stripe-contract.ts', 'stripe-contract-scope.ts'].map((name) => path.join(root, 'scripts', name))
  const hash = createHash('sha256')
  for (const file of [sdk, ...scripts]) hash.update(readFileSync(file))
  const from = hash.digest('hex')
  const stamp = path.join(root, 'node_modules/.cache/stripe-contract.made-from')
  // The stamp file has the hash of the sources in its first line, and the paths of the files made from them in the others.
  const [made, ...files] = existsSync(stamp) ? readFileSync(stamp, 'utf8').split('\n') : []
  if (made === from && files.every((file) => existsSync(path.join(root, file)))) return
  const { stripeFiles } = await import('./stripe-contract.ts')
  for (const [file, text] of Object.entries(stripeFiles)) write(file, text)
  writeFileSync(stamp, [from, ...Object.keys(stripeFiles)].join('\n'))
}

await writeStripeFiles()
const { pageStyle } = await import('./reference/page-style.ts')
write('packages/ratecard/src/server/http/response/page-style.generated.ts', pageStyle())
write('packages/sandbox/src/hosted-pages/page-style.generated.ts', pageStyle())
// The document's schema, and so the client's types, contain the events of webhooks that the SDK lists.
const { clientNames, clientTypes } = await import('./reference/client-types.ts')
write('packages/client/src/names.generated.ts', clientNames())
write('packages/client/src/wire.generated.ts', clientTypes())

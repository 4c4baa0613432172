// The browser of the tests: the system's Chromium, if installed.
import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

export const chromiumPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((file) => existsSync(file)) ?? null

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath ?? '',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Without font hinting, text has the same layout on every machine.
      '--font-render-hinting=none',
    ],
  })
}

// The server of an account page. It knows who is signed in, makes the customer's session, and passes the page's requests on to Ratecard, so
// that page and service have one address and the session's cookie stays with both.
// A real application has a login; this one takes anybody's word.
import { createReadStream } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@ratecard/client'

const port = Number(process.env.PORT ?? 3000)
const home = process.env.ACCOUNT_URL ?? `http://127.0.0.1:${port}`
const service = process.env.RATECARD_API_URL ?? 'http://127.0.0.1:4242'
const ratecard = createClient({ baseUrl: service, serviceKey: process.env.RATECARD_SERVICE_KEY })
const secure = home.startsWith('https:')
const cookie = secure ? '__Host-ratecard_session' : 'ratecard_session'

const here = path.dirname(fileURLToPath(import.meta.url))
const clientFiles = path.dirname(fileURLToPath(import.meta.resolve('@ratecard/client')))
const pages = {
  '/': 'sign-in.html',
  '/account': 'account.html',
  '/account.js': 'account.js',
  '/account.css': 'account.css',
}
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }

createServer(async (request, response) => {
  try {
    const { pathname, search } = new URL(request.url, home)
    if (request.method === 'POST' && pathname === '/sign-in') await signIn(request, response)
    else if (pathname.startsWith('/api/v1/billing/')) await passOn(request, response, pathname + search)
    // A URL has no `..` in its path, so this stays within the folder.
    else if (pathname.startsWith('/client/'))
      sendFile(response, path.join(clientFiles, pathname.slice('/client'.length)))
    else if (Object.hasOwn(pages, pathname)) sendFile(response, path.join(here, pages[pathname]))
    else response.writeHead(404).end()
  } catch (error) {
    console.error(error.code ?? '', error.message)
    if (!response.headersSent) response.writeHead(502).end()
  }
}).listen(port, '127.0.0.1', () => console.log(`The account page is at ${home}`))

async function signIn(request, response) {
  const tenantId = new URLSearchParams(await bodyOf(request)).get('tenant')
  const { value } = await ratecard.sessions.create({ tenantId })
  response
    .writeHead(303, {
      location: '/account',
      'set-cookie': `${cookie}=${value}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`,
    })
    .end()
}

// The service key is not passed on: what the page may do is what the session may do.
async function passOn(request, response, target) {
  const { cookie: cookies, origin, 'content-type': type, 'idempotency-key': key } = request.headers
  const headers = Object.entries({ cookie: cookies, origin, 'content-type': type, 'idempotency-key': key })
  const answer = await fetch(`${service}${target}`, {
    method: request.method,
    headers: Object.fromEntries(headers.filter(([, value]) => value !== undefined)),
    body: request.method === 'GET' ? undefined : await bodyOf(request),
  })
  const retry = answer.headers.get('retry-after')
  response.writeHead(answer.status, {
    'content-type': answer.headers.get('content-type') ?? 'application/json',
    ...(retry === null ? {} : { 'retry-after': retry }),
  })
  response.end(Buffer.from(await answer.arrayBuffer()))
}

function sendFile(response, file) {
  const content = createReadStream(file)
  content.on('error', () => response.writeHead(404).end())
  content.on('open', () => {
    response.writeHead(200, {
      'content-type': `${types[path.extname(file)] ?? 'application/octet-stream'}; charset=utf-8`,
      'cache-control': 'no-store',
    })
    content.pipe(response)
  })
}

async function bodyOf(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

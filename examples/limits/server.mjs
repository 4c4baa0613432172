// An application with two limits: projects for each seat, and API calls a month.
// A real application knows its tenant by a login; this one reads it from the header `x-tenant`.
import { createServer } from 'node:http'
import { createClient } from '@ratecard/client'
import { limitsOf } from './middleware.mjs'

const port = Number(process.env.PORT ?? 3000)
const ratecard = createClient({
  baseUrl: process.env.RATECARD_API_URL ?? 'http://127.0.0.1:4242',
  serviceKey: process.env.RATECARD_SERVICE_KEY,
})
const tenantOf = (request) => request.headers['x-tenant']
const { oneMore, counted } = limitsOf(ratecard, tenantOf)

/** Number of projects of each tenant; a real application counts rows. */
const projects = new Map()
const projectsOf = (tenant) => projects.get(tenant) ?? 0

const routes = {
  'POST /projects': [oneMore('projects', projectsOf), addProject],
  'POST /render': [counted('calls', 'api_calls'), render],
}

createServer((request, response) => {
  const [check, handler] = routes[`${request.method} ${request.url}`] ?? []
  if (check === undefined) return send(response, 404, { error: 'not_found' })
  if (tenantOf(request) === undefined) return send(response, 401, { error: 'who_are_you' })
  return check(request, response, (error) => {
    if (error === undefined) return handler(request, response)
    console.error(error.code ?? '', error.message)
    send(response, 503, { error: 'try_again' })
  })
}).listen(port, '127.0.0.1', () => console.log(`The application is at http://127.0.0.1:${port}`))

function addProject(request, response) {
  const tenant = tenantOf(request)
  projects.set(tenant, projectsOf(tenant) + 1)
  send(response, 201, { projects: projectsOf(tenant) })
}

function render(_request, response) {
  send(response, 200, { rendered: true })
}

function send(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

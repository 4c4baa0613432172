// Source text of the modules that the worker host adds to the author's modules. They run in the author's isolate and are no security
// boundary: a worker that changes them falsifies only its own logs and outcomes.

import { maxMessageLength } from '../../worker-runtime.ts'
import { consoleText } from './console-text.ts'

/** Header of a response that stands for an exception of the handler. */
export const exceptionHeader = 'x-ratecard-exception'
/** Header of a response to a `fetch` that the egress proxy refused. Its value becomes the message of the TypeError in the worker. */
export const egressHeader = 'x-ratecard-egress'
/** Prefix of a structured log line on standard output. */
export const lineMark = '\u001e'

/** Module that is evaluated before the author's code, so that logging at the top level is captured too. */
export const preludeModule = `import { AsyncLocalStorage } from 'node:async_hooks';
export const invocation = new AsyncLocalStorage();
const raw = console.log.bind(console), stringify = JSON.stringify, now = Date.now;
${consoleText}
const cut = (text) => text.length > ${maxMessageLength} ? text.slice(0, ${maxMessageLength}) + '… (' + text.length + ' characters)' : text;
export function emit(level, message, extra) {
  raw('\\u001e' + stringify({ time: now(), level, ...invocation.getStore(), message: cut(message), ...extra }));
}
for (const level of ['debug', 'log', 'info', 'warn', 'error'])
  console[level] = (...parts) => emit(level, formatLine(parts));
export function failure(error) {
  const message = typeof error === 'object' && error !== null ? read(error, 'message') : undefined;
  if (typeof message !== 'string') return { name: 'Error', message: cut('thrown: ' + textOf(error)) };
  const [name, stack] = [read(error, 'name'), read(error, 'stack')];
  return { name: typeof name === 'string' ? name : 'Error', message: cut(message), stack: typeof stack === 'string' ? cut(textOf(error)) : undefined };
}
export function exception(where, error) { const f = failure(error); emit('exception', f.name + ': ' + f.message, { where, stack: f.stack }); }
globalThis.addEventListener?.('unhandledrejection', (event) => exception('promise', event.reason));
`

export const entryModule = `import { invocation, emit, exception, failure } from './prelude.js';
import * as user from './worker.js';
import { WorkerEntrypoint } from 'cloudflare:workers';
export * from './worker.js';
const main = user.default;
const isClass = typeof main === 'function' && main.prototype instanceof WorkerEntrypoint;
const handlers = isClass ? main.prototype : main;
let pending = 0;
function background(work, failed) {
  pending++;
  return Promise.resolve(work).catch(failed).finally(() => { pending--; });
}
function contextOf(ctx, waitUntil) {
  return { waitUntil, passThroughOnException() {}, props: ctx.props ?? {}, exports: ctx.exports, abort: (reason) => ctx.abort(reason) };
}
function call(name, first, env, ctx) {
  return isClass ? new main(ctx, env)[name](first) : main[name](first, env, ctx);
}
export default {
  fetch(request, env, ctx) {
    const requestId = request.headers.get('x-request-id') ?? undefined;
    return invocation.run({ requestId }, async () => {
      try {
        if (typeof handlers?.fetch !== 'function') throw new TypeError('The worker has no fetch handler.');
        const own = contextOf(ctx, (work) => ctx.waitUntil(background(work, (error) => exception('waitUntil', error))));
        const response = await call('fetch', request, env, own);
        if (!(response instanceof Response)) throw new TypeError('The fetch handler did not return a Response.');
        return response;
      } catch (error) {
        exception('fetch', error);
        return new Response(null, { status: 500, headers: { '${exceptionHeader}': '1' } });
      }
    });
  },
};
export class __Ctl extends WorkerEntrypoint {
  describe() {
    return { fetch: typeof handlers?.fetch === 'function', scheduled: typeof handlers?.scheduled === 'function', pending };
  }
  runScheduled(runId, scheduledTime, cron) {
    return invocation.run({ runId }, async () => {
      const errors = [], work = [];
      const failed = (where) => (error) => { exception(where, error); errors.push(failure(error)); };
      const own = contextOf(this.ctx, (promise) => { work.push(background(promise, failed('waitUntil'))); });
      try {
        if (typeof handlers?.scheduled !== 'function') throw new TypeError('The worker has no scheduled handler.');
        await call('scheduled', { type: 'scheduled', scheduledTime, cron, noRetry() {} }, this.env, own);
      } catch (error) { failed('scheduled')(error); }
      for (let done = 0; done < work.length; done++) await work[done];
      return { errors };
    });
  }
}
`

/** Module of the control worker. It handles requests of the supervisor on the private control socket. */
export const controlModule = `export default {
  async fetch(request, env) {
    const path = new URL(request.url).pathname;
    if (path === '/ping') return new Response('pong');
    if (path === '/describe') return Response.json(await env.WORKER.describe());
    const event = await request.json();
    try {
      return Response.json(await env.WORKER.runScheduled(event.runId, event.scheduledTime, event.cron));
    } catch (error) {
      return Response.json({ errors: [{ name: error?.name ?? 'Error', message: String(error?.message ?? error), stack: error?.stack }] });
    }
  },
};
`

/**
 * Module of the cache that `caches` uses. There is none on one machine, as on Cloudflare where a zone has none: a match misses, a put
 * stores nothing, and a deletion finds nothing.
 */
export const cacheModule = `export default {
  async fetch(request) {
    if (request.method === 'PUT') {
      await request.body?.pipeTo(new WritableStream());
      return new Response(null, { status: 204 });
    }
    if (request.method === 'PURGE') return new Response(null, { status: 404 });
    return new Response(null, { status: 504, headers: { 'cf-cache-status': 'MISS' } });
  },
};
`

/**
 * Module for outgoing `fetch` calls. It converts a refusal of the egress proxy into a TypeError with the reason, like any failed `fetch`.
 */
export const egressModule = `export default {
  async fetch(request, env) {
    const response = await env.OUTSIDE.fetch(request);
    const refusal = response.headers.get('${egressHeader}');
    if (refusal !== null) throw new TypeError(decodeURIComponent(refusal));
    return response;
  },
};
`

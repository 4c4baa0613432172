// Source text of functions that turn the arguments of console methods into text, like the console of Node does. They run in the author's
// isolate, with any compatibility flags, and never throw: a value that cannot be read becomes a text that says so.

/**
 * JavaScript with two functions. `textOf(value)` shows a value, e.g. `Map(1) { 'a' => { b: 1n } }`. `formatLine(parts)` also fills in `%s`,
 * `%d`, `%i`, `%f`, `%o`, `%O` and `%c` of the first part (WHATWG console, Formatter). Getters are not called. A line shows at most 1,000
 * values, five levels deep.
 */
export const consoleText = String.raw`
const widest = 72, deepest = 5, mostEntries = 100, mostValues = 1000, longestText = 10000;
const own = (object, key) => Reflect.getOwnPropertyDescriptor(object, key)?.value;
const isA = (value, name) => typeof globalThis[name] === 'function' && value instanceof globalThis[name];
const quoted = (text) => "'" + JSON.stringify(text.slice(0, longestText)).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'") + (text.length > longestText ? "'…" : "'");
const indented = (text) => text.replaceAll('\n', '\n  ');
function textOf(value, budget = { left: mostValues }) {
  return typeof value === 'string' ? value : shown(value, [], budget);
}
function shown(value, above, budget) {
  try {
    if (budget.left-- <= 0) return '…';
    return typeof value === 'object' && value !== null ? objectText(value, above, budget) : plainText(value);
  } catch { return '[not readable]'; }
}
function plainText(value) {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'bigint') return value + 'n';
  if (typeof value !== 'function') return Object.is(value, -0) ? '-0' : String(value);
  const name = own(value, 'name');
  return '[Function' + (typeof name === 'string' && name !== '' ? ': ' + name : '') + ']';
}
function nameOf(value) {
  const prototype = Reflect.getPrototypeOf(value);
  if (prototype === null) return '[Object: null prototype]';
  const name = own(own(prototype, 'constructor') ?? {}, 'name');
  return typeof name === 'string' && name !== '' ? name : 'Object';
}
function joined(open, parts, close) {
  const line = parts.length === 0 ? open + close : open + ' ' + parts.join(', ') + ' ' + close;
  return line.length <= widest && !line.includes('\n') ? line : open + parts.map((part) => '\n  ' + indented(part)).join(',') + '\n' + close;
}
function objectText(value, above, budget) {
  if (above.includes(value)) return '[Circular]';
  const inside = [...above, value];
  const show = (part) => shown(part, inside, budget);
  const name = nameOf(value);
  if (isA(value, 'Error')) return errorText(value, inside, show, budget);
  if (isA(value, 'Date')) return Number.isNaN(Date.prototype.getTime.call(value)) ? 'Invalid Date' : Date.prototype.toISOString.call(value);
  if (isA(value, 'RegExp')) return RegExp.prototype.toString.call(value);
  if (isA(value, 'URL')) return 'URL ' + value.href;
  if (above.length >= deepest) return '[' + name + ']';
  if (Array.isArray(value)) return joined((name === 'Array' ? '' : name + '(' + value.length + ') ') + '[', elements(value, value.length, show), ']');
  if (isA(value, 'ArrayBuffer')) return 'ArrayBuffer { byteLength: ' + value.byteLength + ' }';
  if (ArrayBuffer.isView(value)) return typeof value.length === 'number' ? joined(name + '(' + value.length + ') [', elements(value, value.length, show), ']') : name + ' { byteLength: ' + value.byteLength + ' }';
  if (isA(value, 'Map')) return joined(name + '(' + value.size + ') {', entries(value, value.size, ([key, one]) => show(key) + ' => ' + show(one)), '}');
  if (isA(value, 'Set')) return joined(name + '(' + value.size + ') {', entries(value, value.size, show), '}');
  if (['Headers', 'FormData', 'URLSearchParams'].some((kind) => isA(value, kind)))
    return joined(name + ' {', entries(value.entries(), Infinity, ([key, one]) => propertyName(key) + ': ' + show(one)), '}');
  if (isA(value, 'Request')) return fields(name, { method: value.method, url: value.url, headers: value.headers }, show);
  if (isA(value, 'Response')) return fields(name, { status: value.status, headers: value.headers }, show);
  const prefix = (name === 'Object' ? '' : name + ' ') + '{';
  return joined(prefix, properties(value, [], show), '}');
}
const fields = (name, value, show) => joined(name + ' {', properties(value, [], show), '}');
const propertyName = (key) => typeof key === 'symbol' ? '[' + String(key) + ']' : /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key) ? key : quoted(key);
function properties(value, without, show) {
  const keys = Reflect.ownKeys(value).filter((key) => !without.includes(key) && Reflect.getOwnPropertyDescriptor(value, key)?.enumerable === true);
  return entries(keys, keys.length, (key) => {
    const found = Reflect.getOwnPropertyDescriptor(value, key);
    return propertyName(key) + ': ' + ('value' in found ? show(found.value) : found.get === undefined ? '[Setter]' : '[Getter]');
  });
}
function elements(list, length, show) {
  return entries({ *[Symbol.iterator]() { for (let index = 0; index < length; index++) yield index; } }, length, (index) => {
    const found = Reflect.getOwnPropertyDescriptor(list, index);
    return found === undefined ? '<empty>' : 'value' in found ? show(found.value) : '[Getter]';
  });
}
function entries(list, size, show) {
  const texts = [];
  for (const one of list) {
    if (texts.length === mostEntries) return [...texts, '… ' + (size === Infinity ? 'more' : size - mostEntries + ' more')];
    texts.push(show(one));
  }
  return texts;
}
function read(error, key) {
  try { return error[key]; } catch { return undefined; }
}
function errorText(error, inside, show, budget) {
  const [name, message, stack] = ['name', 'message', 'stack'].map((key) => { const one = read(error, key); return typeof one === 'string' ? one : ''; });
  const head = stack !== '' ? stack : (name || 'Error') + (message === '' ? '' : ': ' + message);
  const more = properties(error, ['name', 'message', 'stack', 'cause', 'errors'], show);
  for (const key of ['cause', 'errors']) if (Reflect.getOwnPropertyDescriptor(error, key) !== undefined) more.push('[' + key + ']: ' + show(own(error, key)));
  return head + more.map((part) => '\n  ' + indented(part)).join('');
}
function formatLine(parts) {
  const budget = { left: mostValues };
  const [first, ...rest] = parts;
  if (typeof first !== 'string' || rest.length === 0) return parts.map((part) => textOf(part, budget)).join(' ');
  const numberOf = (value, read) => ['object', 'function', 'symbol'].includes(typeof value) ? 'NaN' : typeof value === 'bigint' ? value + 'n' : String(read(value));
  const filled = first.replace(/%[sdifoOc%]/g, (mark) => {
    if (mark === '%%') return '%';
    if (rest.length === 0) return mark;
    const value = rest.shift();
    if (mark === '%s') return textOf(value, budget);
    if (mark === '%d') return numberOf(value, Number);
    if (mark === '%i') return numberOf(value, (one) => Number.parseInt(one, 10));
    if (mark === '%f') return numberOf(value, Number.parseFloat);
    return mark === '%c' ? '' : shown(value, [], budget);
  });
  return [filled, ...rest.map((part) => textOf(part, budget))].join(' ');
}
`

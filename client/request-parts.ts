import type { HttpRequest } from './http-fetch.ts';
import type { Method, Sent } from './rest-calls.ts';

/** Returns the address of a request. `base` has no trailing slash. */
export function urlOf(base: string, path: string, { path: values = {}, query = {} }: Sent): URL {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const url = new URL(`${base}/api/v1${filled}`);
  for (const [name, value] of queryEntries(query)) url.searchParams.append(name, value);
  return url;
}

/** Returns the request for fetch, without a signal. */
export function initOf(
  method: Method,
  { headers = {}, body, document }: Sent,
  always: Readonly<Record<string, string>>,
): HttpRequest {
  const given = Object.fromEntries(headerEntries(headers));
  const sent = body === undefined ? document : { type: 'application/json', text: JSON.stringify(body) };
  const type = sent === undefined ? {} : { 'content-type': sent.type };
  return {
    method: method.toUpperCase(),
    headers: { ...always, ...given, ...type },
    // A body may contain a password: it is never sent to the address that a redirect names.
    ...(sent === undefined ? {} : { body: sent.text, redirect: 'error' }),
  };
}

/** A list becomes one parameter per item, a map one per member. */
function* queryEntries(query: object): Generator<[string, string]> {
  for (const [name, value] of Object.entries(query) as [string, unknown][]) {
    if (Array.isArray(value)) for (const item of value as readonly unknown[]) yield* entry(name, item);
    else if (typeof value === 'object' && value !== null) yield* queryEntries(value);
    else yield* entry(name, value);
  }
}

function* headerEntries(headers: object): Generator<[string, string]> {
  for (const [name, value] of Object.entries(headers) as [string, unknown][])
    yield* entry(name, Array.isArray(value) ? value.join(', ') : value);
}

/** Converts a value to text; skips undefined. The contract restricts the types. */
function* entry(name: string, value: unknown): Generator<[string, string]> {
  if (typeof value === 'string') yield [name, value];
  else if (typeof value === 'number' || typeof value === 'boolean') yield [name, String(value)];
  else if (value !== undefined) throw new TypeError(`${name} cannot be sent`);
}

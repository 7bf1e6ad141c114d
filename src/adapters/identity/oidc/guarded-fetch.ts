import type { CustomFetch } from 'openid-client';

const RESPONSE_BYTES_MAX = 1024 * 1024;

/** Hosts that the service sends requests to: that of the issuer, and those of `auth.oidc.endpoint_hosts`. */
export class EndpointHosts {
  readonly #issuer: URL;
  readonly #others: ReadonlySet<string>;

  constructor(issuer: string, others: readonly string[]) {
    this.#issuer = new URL(issuer);
    this.#others = new Set(others);
  }

  /** Reports whether the service may send a request to the URL. Other hosts than the issuer's need https. */
  allows(url: string): boolean {
    if (!URL.canParse(url)) return false;
    const target = new URL(url);
    if (target.username !== '' || target.password !== '') return false;
    if (target.origin === this.#issuer.origin) return true;
    return target.protocol === 'https:' && this.#others.has(target.host);
  }
}

/**
 * Returns a fetch that sends requests to the allowed hosts only, follows no redirect, and reads a bounded answer within
 * the time limit of its caller (docs/decisions/oidc.md).
 */
export const guardedFetch =
  (hosts: EndpointHosts): CustomFetch =>
  async (url, options) => {
    if (!hosts.allows(url))
      throw new Error(`${originOf(url)} is neither the issuer's host nor in auth.oidc.endpoint_hosts`);
    const response = await fetch(url, {
      method: options.method,
      headers: options.headers,
      body: options.body ?? null,
      redirect: 'manual',
      signal: options.signal ?? null,
    });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new Error(
        `${originOf(url)} answered with a redirect (${response.status}), which is not followed`,
      );
    }
    const { status, statusText, headers } = response;
    const bytes = await readBounded(response, url);
    return new Response(bytes.byteLength === 0 ? null : bytes, { status, statusText, headers });
  };

async function readBounded(response: Response, url: string): Promise<Uint8Array> {
  if (response.body === null) return new Uint8Array();
  const reader = response.body.getReader();
  const pieces: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const read: { readonly done: boolean; readonly value?: unknown } = await reader.read();
    if (read.done) return Buffer.concat(pieces);
    const { value } = read;
    if (!(value instanceof Uint8Array))
      throw new Error(`the answer of ${originOf(url)} is not a stream of bytes`);
    total += value.byteLength;
    if (total > RESPONSE_BYTES_MAX) {
      await reader.cancel();
      throw new Error(`the answer of ${originOf(url)} exceeds ${RESPONSE_BYTES_MAX} bytes`);
    }
    pieces.push(value);
  }
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'the address');

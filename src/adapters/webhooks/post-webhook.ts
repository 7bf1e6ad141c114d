import { lookup, type LookupAddress } from 'node:dns';
import { request as httpRequest, type ClientRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isAllowedTarget, type AllowedTargets } from '../../core/webhooks/target-address.ts';
import { hostOf, refusedAddress, targetUrlFault } from './target-url.ts';

/** Time limit of a request, from the resolution of the name to the end of the response. */
const REQUEST_MS = 10_000;
/** The response is not used: a longer one is cut off. */
const RESPONSE_BYTES_MAX = 65_536;
const ERROR_CHARACTERS_MAX = 200;

/** Resolves a name to all of its addresses. */
export type Resolve = (
  host: string,
  callback: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly allowed: AllowedTargets;
  /** Ends the request. */
  readonly signal: AbortSignal;
}

/** `status` is null without a response; `error` is null after a status of 200 to 299. */
export interface WebhookResponse {
  readonly status: number | null;
  readonly error: string | null;
}

const systemResolve: Resolve = (host, callback) => {
  lookup(host, { all: true }, callback);
};

/**
 * Sends a webhook. Connects only to an address that it has checked, follows no redirect, and reads a bounded response
 * (docs/webhooks.md#addresses). Does not throw: a request without a response has its reason, which never contains the
 * path of the URL.
 */
export async function postWebhook(
  request: WebhookRequest,
  resolve: Resolve = systemResolve,
  timeLimitMs = REQUEST_MS,
): Promise<WebhookResponse> {
  const fault = targetUrlFault(request.url, request.allowed);
  if (fault !== null) return { status: null, error: fault };
  const timeout = AbortSignal.timeout(timeLimitMs);
  try {
    const status = await exchange(request, resolve, AbortSignal.any([request.signal, timeout]));
    return { status, error: errorOfStatus(status) };
  } catch (error) {
    const reason = timeout.aborted ? `no response within ${timeLimitMs / 1000} s` : reasonOf(error);
    return { status: null, error: reason.slice(0, ERROR_CHARACTERS_MAX) };
  }
}

/** Resolves with the status when the response has ended or was cut off. */
function exchange(
  { url, headers, body, allowed }: WebhookRequest,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<number> {
  const target = new URL(url);
  const options: RequestOptions = {
    method: 'POST',
    // A connection of its own: a kept one would not be checked.
    agent: false,
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' },
    lookup: checkedLookup(hostOf(target), allowed, resolve),
    signal,
  };
  return new Promise((done, failed) => {
    const sent: ClientRequest =
      target.protocol === 'https:' ? httpsRequest(target, options) : httpRequest(target, options);
    let status: number | null = null;
    // The status counts, also if the rest of the response does not arrive.
    const end = (error: Error): void => (status === null ? failed(error) : done(status));
    sent.on('error', end);
    sent.on('response', (response) => {
      const received = response.statusCode ?? 0;
      status = received;
      let bytes = 0;
      response.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > RESPONSE_BYTES_MAX) sent.destroy();
      });
      response.on('error', end);
      response.on('close', () => done(received));
    });
    sent.end(body);
  });
}

/**
 * Returns the resolver of a connection. It refuses a name with any address that is not allowed, and the connection uses
 * the addresses that were checked, so that a second resolution cannot lead elsewhere.
 */
const checkedLookup =
  (host: string, allowed: AllowedTargets, resolve: Resolve): LookupFunction =>
  (name, { all }, callback) => {
    resolve(name, (error, addresses) => {
      if (error !== null) {
        callback(error, '');
        return;
      }
      const refused = addresses.find(({ address }) => !isAllowedTarget(host, address, allowed));
      const [first] = addresses;
      if (refused !== undefined) callback(new Error(refusedAddress(refused.address)), '');
      else if (first === undefined) callback(new Error(`${host} has no address`), '');
      else if (all === true) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    });
  };

function errorOfStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `answered with a redirect (${status}), which is not followed`;
  return `answered with status ${status}`;
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
